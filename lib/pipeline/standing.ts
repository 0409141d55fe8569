import 'server-only'
import type { Facts, RequestContext } from '@/lib/kernel/request-context'
import { recentBalances } from '@/lib/services/ledger/recent-balances'
import { creditOf } from '@/lib/services/ledger/spendable'
import { peekRoute } from '@/lib/services/limits/rate-limit'

/**
 * Fills in what the headers of an authenticated reply tell and no stage got round to: a request that failed early still
 * says how much of the caller's minute and credit is left. Counts nothing against the minute, and never fails.
 * Source: API contract, README 6 and 8.2.
 */
export function addStanding({ facts }: RequestContext): Promise<void> | undefined {
  const caller = facts.admitted
  return !caller || (facts.rateLimit && facts.balanceUsd !== undefined) ? undefined : fill(facts, caller)
}

async function fill(facts: Facts, caller: NonNullable<Facts['admitted']>): Promise<void> {
  try {
    facts.rateLimit ??= await peekRoute(caller, 'default')
    if (facts.balanceUsd !== undefined) return
    const balances = await recentBalances(caller.accountId)
    facts.balanceUsd = creditOf(balances)
    facts.balanceDiem = balances.DIEM
  } catch {
    // A reply without these headers is better than none: what keeps them away has its own log line.
  }
}
