import 'server-only'
import { BoundedCache } from '@/lib/kernel/bounded-cache'
import { perProcess } from '@/lib/kernel/per-process'
import type { Balances } from '@/lib/services/ledger/hold'
import { balancesOf } from '@/lib/services/ledger/ledger'

const TTL_MS = 2_000
const MAX_KNOWN = 10_000

const known = (): BoundedCache<string, Balances> =>
  perProcess('recent-balances', () => new BoundedCache(MAX_KNOWN, TTL_MS))

export function noteBalances(accountId: string, balances: Balances): void {
  known().set(accountId, balances, performance.now())
}

/** Returns what an account could spend at most two seconds ago: to show and to guard with, never to charge by. */
export async function recentBalances(accountId: string): Promise<Balances> {
  const remembered = known().get(accountId, performance.now())
  if (remembered) return remembered
  const balances = await balancesOf(accountId)
  noteBalances(accountId, balances)
  return balances
}
