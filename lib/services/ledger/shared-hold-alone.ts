import 'server-only'
import { ZERO } from '@/lib/contract/money'
import type { Captured, Charge, Hold } from '@/lib/services/ledger/hold'
import type { HoldStore } from '@/lib/services/ledger/shared-hold-pot'
import { within } from '@/lib/services/ledger/shared-hold-total'

/** Ends the hold of a call that has one of its own: charges at most its amount. */
export async function endAlone(bank: HoldStore, held: Hold, charge: Charge | undefined): Promise<Captured> {
  const fitting = charge && within(charge, held.amount)
  if (fitting && fitting.amount > 0n) return bank.capture(held, fitting)
  const balancesAfter = await bank.release(held, charge ? 'free' : 'nothing delivered')
  return { charged: ZERO, currency: held.currency, balancesAfter }
}
