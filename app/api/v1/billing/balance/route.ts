import { usdNumber, ZERO } from '@/lib/contract/money'
import type { RequestContext } from '@/lib/kernel/request-context'
import { admitManager } from '@/lib/pipeline/admit'
import { type Reply, uncachedJson } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'
import { balancesOf } from '@/lib/services/ledger/ledger'
import type { Balances, Currency } from '@/lib/services/ledger/ledger-types'
import { canConsume, creditOf } from '@/lib/services/ledger/ledger-types'
import { allowanceOf, refreshAllowance } from '@/lib/services/payments/staking'

// Source: API contract, README 13.
const SPEND_ORDER = ['DIEM', 'BUNDLED_CREDITS', 'USD'] as const satisfies Currency[]

async function show(context: RequestContext): Promise<Reply> {
  const caller = await admitManager(context)
  await refreshAllowance(caller)
  const [balances, allowance] = await Promise.all([balancesOf(caller.accountId), allowanceOf(caller.accountId)])
  const granted = allowance?.granted ?? ZERO
  const isStaking = granted > 0n || balances.DIEM > 0n || (allowance?.staked ?? ZERO) > 0n
  const body = {
    canConsume: canConsume(balances),
    consumptionCurrency: firstOf(balances),
    balances: {
      diem: isStaking ? usdNumber(balances.DIEM) : null,
      usd: creditOf(balances) > 0n ? usdNumber(creditOf(balances)) : null,
    },
    diemEpochAllocation: usdNumber(granted),
  }
  return uncachedJson(body)
}

const firstOf = (balances: Balances) => SPEND_ORDER.find((currency) => balances[currency] > 0n) ?? null

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: show })
