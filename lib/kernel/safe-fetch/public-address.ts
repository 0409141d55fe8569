import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'

const CLOUD_HOST_AGENTS = [ipaddr.parseCIDR('168.63.129.16/32')]
/** The only IPv6 space assigned as global unicast (IANA); the rest is local, reserved, or translates an IPv4 address. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3')

/**
 * Names of this machine, this network or a cloud's metadata service, whatever DNS says. A name without a dot is private too:
 * search domains would complete it. Sources: RFC 6761, RFC 6762, RFC 8375, RFC 9476, ICANN's `internal`.
 */
const PRIVATE_SUFFIXES = [
  'localhost',
  'localdomain',
  'local',
  'internal',
  'intranet',
  'lan',
  'home.arpa',
  'cluster.local',
  'svc',
  'onion',
  'alt',
  'metadata.goog',
  'metadata.tencentyun.com',
  'metadata.packet.net',
  'metadata.platformequinix.com',
]

export function literalAddress(hostname: string): string | undefined {
  const bare = hostname.startsWith('[') && hostname.endsWith(']') ? hostname.slice(1, -1) : hostname
  return isIP(bare) === 0 ? undefined : bare
}

export function isPrivateName(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, '')
  if (!name.includes('.')) return true
  return PRIVATE_SUFFIXES.some((suffix) => name === suffix || name.endsWith(`.${suffix}`))
}

/**
 * Tells whether an IP address is public unicast. Sources: IANA special-purpose registries for IPv4 and IPv6; an
 * IPv4-mapped address is judged by the one inside.
 */
export function isPublicAddress(address: string): boolean {
  // A zone names an interface of this machine.
  if (address.includes('%') || isIP(address) === 0) return false
  const parsed = ipaddr.process(address)
  if (parsed.range() !== 'unicast') return false
  if (parsed.kind() === 'ipv4') return !CLOUD_HOST_AGENTS.some((range) => parsed.match(range))
  return parsed.match(GLOBAL_UNICAST)
}

/**
 * Tells whether an address belongs to this machine: some servers trust it (Apache `Require local`), and a server that
 * fetches itself loops.
 */
export function isOwnAddress(address: string): boolean {
  const wanted = normalForm(address)
  return Object.values(networkInterfaces()).some((entries) =>
    entries?.some((entry) => normalForm(entry.address) === wanted),
  )
}

function normalForm(address: string): string {
  const bare = address.replace(/%.*$/, '')
  return isIP(bare) ? ipaddr.process(bare).toNormalizedString() : bare
}
