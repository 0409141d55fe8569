import { NANO_PER_USDC_UNIT } from '@/lib/contract/chains'
import { MIN_TOP_UP, SUGGESTED_TOP_UP } from '@/lib/contract/limits'
import { nano, usdNumber } from '@/lib/contract/money'
import type { Params, RequestContext } from '@/lib/kernel/request-context'
import { readAsWallet } from '@/lib/pipeline/admit'
import { type Reply, uncachedJson } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'
import { canConsume, creditOf } from '@/lib/services/ledger/ledger-types'
import { allowanceOf } from '@/lib/services/payments/staking'

// Source: API contract, x402.md 5.
async function show(context: RequestContext, _request: Request, params: Params): Promise<Reply> {
  const { wallet, caller, balances } = await readAsWallet(context, params, 'x402-balance')
  const allowance = await allowanceOf(caller.accountId)
  const hasAllowance = balances.DIEM > 0n || (allowance !== undefined && allowance.granted > 0n)
  const data = {
    walletAddress: wallet,
    balanceUsd: usdNumber(creditOf(balances)),
    canConsume: canConsume(balances),
    minimumTopUpUsd: dollarsOf(MIN_TOP_UP),
    suggestedTopUpUsd: dollarsOf(SUGGESTED_TOP_UP),
    diemBalanceUsd: hasAllowance ? usdNumber(balances.DIEM) : undefined,
  }
  return uncachedJson({ success: true, data })
}

const dollarsOf = (usdcUnits: bigint): number => usdNumber(nano(usdcUnits * NANO_PER_USDC_UNIT))

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: show })
