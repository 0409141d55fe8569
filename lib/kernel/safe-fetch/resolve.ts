import 'server-only'
import { lookup, Resolver } from 'node:dns/promises'

export type Address = { address: string; family: 4 | 6 }

/**
 * Every address of a host name; an empty list when it has none. `isAllowed`: the operator named this origin.
 *
 * @throws whatever made the look-up fail, or the signal's reason when it aborted.
 */
export type Resolve = (hostname: string, options: { isAllowed: boolean; signal: AbortSignal }) => Promise<Address[]>

/** What one name server may take to answer one question, and how often it is asked. */
const QUERY_MS = 2_000
const TRIES = 2

/**
 * Names from outside are asked of DNS itself, never of the hosts file or a search domain, and without `getaddrinfo`:
 * that would hold one of the process's four worker threads for as long as a stranger's name server keeps silent. What
 * the operator named is resolved as this machine does. `servers`: name servers in place of the system's.
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
