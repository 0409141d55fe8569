import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'

/** Header in which the front passes the client's address on; a client's own value is dropped. */
export const CLIENT_ADDRESS_HEADER = 'x-service-client-address'

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

export function stampClientAddress(request: IncomingMessage, trustedProxies: number): string {
  const forwarded = trustedProxies === 0 ? undefined : request.headers['x-forwarded-for']
  const address = clientAddress(request.socket.remoteAddress, forwarded as string | undefined, trustedProxies)
  setHeader(request, CLIENT_ADDRESS_HEADER, address)
  return address
}

/**
 * Sets a request header in both forms, since a web `Headers` object is made from the raw list. `name` in lower case.
 */
export function setHeader(request: IncomingMessage, name: string, value: string | undefined): void {
  const raw = request.rawHeaders
  for (let index = raw.length - 2; index >= 0; index -= 2) {
    const rawName = raw[index]!
    if (rawName.length === name.length && rawName.toLowerCase() === name) raw.splice(index, 2)
  }
  if (value === undefined) {
    delete request.headers[name]
  } else {
    raw.push(name, value)
    request.headers[name] = value
  }
}
