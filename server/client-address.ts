import ipaddr from 'ipaddr.js'

/** An IPv6 subscriber has at least a /64 and could use a new address for every request. */
const IPV6_PREFIX_BITS = 64
const UNKNOWN = 'unknown'
const MAX_REMEMBERED = 10_000
const remembered = new Map<string, string>()

/**
 * Returns the address that limits count by. Each trusted proxy appends the address it saw to `X-Forwarded-For`, so the
 * client's is the `trustedProxies`-th from the right.
 *
 * @example clientAddress('10.0.0.9', 'forged, 203.0.113.7', 1) // "203.0.113.7"
 */
export function clientAddress(
  socketAddress: string | undefined,
  forwardedFor: string | undefined,
  trustedProxies: number,
): string {
  if (trustedProxies === 0 || forwardedFor === undefined) return bucketOf(socketAddress)
  const hops = forwardedFor.split(',')
  // Fewer entries than proxies: the request came past some of them, and its leftmost entry is the best that is known.
  return bucketOf(hops[Math.max(0, hops.length - trustedProxies)]?.trim())
}

/** @example bucketOf('2001:db8:1:2:3::4') // "2001:db8:1:2::/64" */
export function bucketOf(address: string | undefined): string {
  if (address === undefined) return UNKNOWN
  const known = remembered.get(address)
  if (known !== undefined) return known
  const bucket = parseBucket(address)
  if (remembered.size >= MAX_REMEMBERED) remembered.clear()
  remembered.set(address, bucket)
  return bucket
}

function parseBucket(text: string): string {
  const bare = withoutPort(text)
  if (!ipaddr.isValid(bare)) return UNKNOWN
  const address = ipaddr.process(bare)
  if (!(address instanceof ipaddr.IPv6)) return address.toString()
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${withoutZone(address)}/${IPV6_PREFIX_BITS}`)}/${IPV6_PREFIX_BITS}`
}

function withoutPort(text: string): string {
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(text)
  if (bracketed) return bracketed[1]!
  return /^\d+\.\d+\.\d+\.\d+:\d+$/.test(text) ? text.slice(0, text.indexOf(':')) : text
}

function withoutZone(address: ipaddr.IPv6): string {
  return address.toNormalizedString().replace(/%.*$/, '')
}
