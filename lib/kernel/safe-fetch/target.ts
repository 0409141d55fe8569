import 'server-only'
import { lookup, Resolver } from 'node:dns/promises'
import { isIPv6 } from 'node:net'
import { MAX_SENT_URL_CHARS } from '@/lib/contract/limits'
import { isOwnAddress, isPrivateName, isPublicAddress, literalAddress } from '@/lib/kernel/safe-fetch/public-address'
import { refused } from '@/lib/kernel/safe-fetch/refused'

const RESOLVE_MS = 5_000
const MAX_ADDRESSES = 8
const QUERY_MS = 2_000
const QUERY_TRIES = 2

export type Address = { address: string; family: 4 | 6 }

export type Resolve = (hostname: string, options: { isAllowed: boolean; signal: AbortSignal }) => Promise<Address[]>

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

/**
 * Creates a resolver that asks DNS directly, without hosts file, search domains or `getaddrinfo`, which would block one
 * of four worker threads for as long as a name server is silent. Origins that the operator named use the system's
 * resolver.
 */
export function createResolve(servers?: string[]): Resolve {
  return async (hostname, { isAllowed, signal }) => {
    if (isAllowed) return (await lookup(hostname, { all: true })) as Address[]
    const resolver = new Resolver({ timeout: QUERY_MS, tries: QUERY_TRIES })
    if (servers) resolver.setServers(servers)
    const cancel = () => resolver.cancel()
    signal.addEventListener('abort', cancel)
    try {
      const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
      if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason
      return [...listOf(v6, 6), ...listOf(v4, 4)]
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }
}

export const resolveHost: Resolve = createResolve()

function listOf(answer: PromiseSettledResult<string[]>, family: 4 | 6): Address[] {
  return answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : []
}
