import 'server-only'
import { lookup, Resolver } from 'node:dns/promises'

export type Address = { address: string; family: 4 | 6 }

export type Resolve = (hostname: string, options: { isAllowed: boolean; signal: AbortSignal }) => Promise<Address[]>

const QUERY_MS = 2_000
const TRIES = 2

/**
 * Creates a resolver that asks DNS directly, without hosts file, search domains or `getaddrinfo`, which would block one
 * of four worker threads for as long as a name server is silent. Origins that the operator named use the system's
 * resolver.
 */
export function createResolve(servers?: string[]): Resolve {
  return async (hostname, { isAllowed, signal }) => {
    if (isAllowed) return (await lookup(hostname, { all: true })) as Address[]
    const resolver = new Resolver({ timeout: QUERY_MS, tries: TRIES })
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
