import 'server-only'
import { isIPv6 } from 'node:net'
import { MAX_SENT_URL_CHARS } from '@/lib/contract/limits'
import { isOwnAddress, isPrivateName, isPublicAddress, literalAddress } from '@/lib/kernel/safe-fetch/public-address'
import { refused } from '@/lib/kernel/safe-fetch/refused'
import type { Address, Resolve } from '@/lib/kernel/safe-fetch/resolve'

const RESOLVE_MS = 5_000
const MAX_ADDRESSES = 8

export type Reach = {
  resolve: Resolve
  allowOrigins: Pick<ReadonlySet<string>, 'has'>
  ports: ReadonlySet<number>
}

export function parseTarget(text: string, base?: URL): URL {
  if (text.length > MAX_SENT_URL_CHARS) throw refused('address', 'longer than any address')
  const url = URL.parse(text, base?.href)
  if (!url) throw refused('address', 'not a URL')
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw refused('scheme', url.protocol)
  if (url.username || url.password) throw refused('scheme', 'credentials in the URL')
  return url
}

export function portOf(url: URL): number {
  if (url.port) return Number(url.port)
  return url.protocol === 'https:' ? 443 : 80
}

/**
 * Resolves the addresses that a connection may use. One private address refuses all, since the next answer might begin
 * with it.
 *
 * @throws FetchRefused 'address', 'unreachable' or 'timeout'
 */
export async function vetTarget(url: URL, reach: Reach, signal: AbortSignal): Promise<Address[]> {
  const isAllowed = reach.allowOrigins.has(url.origin)
  if (!isAllowed && !reach.ports.has(portOf(url))) throw refused('address', `port ${portOf(url)}`)
  const literal = literalAddress(url.hostname)
  if (!isAllowed && !literal && isPrivateName(url.hostname)) throw refused('address', 'private name')
  const addresses: Address[] = literal
    ? [{ address: literal, family: isIPv6(literal) ? 6 : 4 }]
    : await resolveInTime(url.hostname, isAllowed, reach.resolve, signal)
  if (addresses.length === 0) throw refused('unreachable', 'no address')
  if (isAllowed) return addresses.slice(0, MAX_ADDRESSES)
  for (const { address } of addresses) {
    if (!isPublicAddress(address)) throw refused('address', `${address} is not public`)
    if (isOwnAddress(address)) throw refused('address', `${address} is this machine`)
  }
  return addresses.slice(0, MAX_ADDRESSES)
}

async function resolveInTime(
  hostname: string,
  isAllowed: boolean,
  resolve: Resolve,
  signal: AbortSignal,
): Promise<Address[]> {
  const late = Promise.withResolvers<never>()
  const patience = new AbortController()
  const end = (reason: unknown) => {
    late.reject(reason)
    patience.abort(reason)
  }
  const leave = () => end(signal.reason)
  const timer = setTimeout(() => end(refused('timeout', 'DNS')), RESOLVE_MS)
  signal.addEventListener('abort', leave)
  try {
    return await Promise.race([resolve(hostname, { isAllowed, signal: patience.signal }), late.promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', leave)
    // Nobody waits for it any more when the look-up won.
    late.promise.catch(() => {})
  }
}
