import 'server-only'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'

/** Public by registration, but answered inside a cloud: Azure's host agent. */
const CLOUD_HOST_AGENTS = [ipaddr.parseCIDR('168.63.129.16/32')]
/**
 * The only IPv6 space that is handed out as global unicast (IANA, "IPv6 Global Unicast Address Assignments"). What stands
 * outside of it is local, reserved, or a translation of an IPv4 address: compatible, mapped, NAT64.
 */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3')

/**
 * Names that mean this machine, this network or a cloud's metadata service, whatever DNS says. A name without a dot is
 * one too: search domains would complete it. Sources: RFC 6761, RFC 6762, RFC 8375, RFC 9476, ICANN's `internal`.
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

/** The address that a URL's host is, without brackets; nothing when the host is a name. */
export function literalAddress(hostname: string): string | undefined {
  const bare = hostname.startsWith('[') && hostname.endsWith(']') ? hostname.slice(1, -1) : hostname
  return isIP(bare) === 0 ? undefined : bare
}

/** Whether a host name is never looked up. The URL parser has written it in lower case. */
export function isPrivateName(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, '')
  if (!name.includes('.')) return true
  return PRIVATE_SUFFIXES.some((suffix) => name === suffix || name.endsWith(`.${suffix}`))
}

/**
 * Whether an IP address, as DNS or the URL parser writes it, is public unicast. What is not an address is not public.
 * Sources: IANA's special-purpose registries for IPv4 and IPv6; an IPv4-mapped address is judged by the one inside.
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
 * Whether an address is one of this machine's own. Some servers trust whoever comes from the address they listen on
 * (Apache's `Require local`), and a server that fetches itself goes in circles.
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
