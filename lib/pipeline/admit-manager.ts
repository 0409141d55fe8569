import 'server-only'
import type { Caller } from '@/lib/kernel/caller'
import type { RequestContext } from '@/lib/kernel/request-context'
import { admit } from '@/lib/pipeline/admit'
import { admitSession } from '@/lib/pipeline/admit-wallet'
import { ownSecret } from '@/lib/services/identity/session'
import { balancesOf } from '@/lib/services/ledger/ledger'
import { creditOf } from '@/lib/services/ledger/spendable'
import { assertWithinBudget } from '@/lib/services/limits/caller-budget'
import { limitRoute } from '@/lib/services/limits/rate-limit'

/**
 * Who manages an account: an admin key, or the service's own pages in a browser that is signed in. A key that was sent
 * counts before the browser's cookie. Source: API contract, README 4 and 5.
 *
 * @param accepts `key` lets inference keys in, too.
 * @throws ApiError 400, 401, 403 or 429 as `admit`.
 */
export async function admitManager(context: RequestContext, accepts: 'key' | 'admin' = 'admin'): Promise<Caller> {
  const secret = context.headers.has('authorization') ? undefined : ownSecret(context)
  if (secret === undefined) return admit(context, accepts)
  const caller = await admitSession(context, secret)
  await assertWithinBudget(context)
  const [, balances] = await Promise.all([limitRoute(context, caller, 'default'), balancesOf(caller.accountId)])
  Object.assign(context.facts, { balanceUsd: creditOf(balances), balanceDiem: balances.DIEM })
  return caller
}
