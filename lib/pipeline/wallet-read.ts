import 'server-only'
import { familyOf, walletId } from '@/lib/contract/chains'
import { invalidField } from '@/lib/contract/errors'
import type { RouteName } from '@/lib/contract/limits'
import type { Caller } from '@/lib/kernel/caller'
import type { RequestContext } from '@/lib/kernel/request-context'
import { admitWallet } from '@/lib/pipeline/admit-wallet'
import type { Params } from '@/lib/pipeline/endpoint'
import { signInHeader } from '@/lib/services/identity/sign-in/verify'
import type { Balances } from '@/lib/services/ledger/hold'
import { balancesOf } from '@/lib/services/ledger/ledger'
import { creditOf } from '@/lib/services/ledger/spendable'
import { limitRoute } from '@/lib/services/limits/rate-limit'
import { refreshAllowance } from '@/lib/services/payments/staking'

export type WalletRead = { wallet: string; caller: Caller; balances: Balances }

/**
 * A wallet that reads its own books: who it is, and what it has. Costs nothing, so nothing is asked of the balance.
 * Source: API contract, x402.md 5 and 6.
 *
 * @throws ApiError 400, 401, 403 or 429 as the contract has them.
 */
export async function readAsWallet(context: RequestContext, params: Params, limits: RouteName): Promise<WalletRead> {
  const named = String(params.walletAddress)
  // Whoever sends nothing is told so first; a proof is not used up for an address that cannot be one.
  if (familyOf(named) === undefined && signInHeader(context.headers) !== undefined) {
    throw invalidField(['walletAddress'], 'must be an EVM address (0x and 40 hex digits) or a Solana address in base58')
  }
  const caller = await admitWallet(context, named)
  await limitRoute(context, caller, limits)
  await refreshAllowance(caller)
  const balances = await balancesOf(caller.accountId)
  const credit = creditOf(balances)
  Object.assign(context.facts, { balanceUsd: credit, balanceDiem: balances.DIEM, balanceRemaining: credit })
  return { wallet: walletId(named), caller, balances }
}
