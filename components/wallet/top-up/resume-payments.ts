import { pendingPayments } from '@/components/wallet/top-up/pending-payments'
import { lockOf, topUp } from '@/components/wallet/top-up/store'
import type { PendingPayment } from '@/components/wallet/top-up/top-up'

/** Continues what a reload or a closed tab left unfinished: sends what was signed then, and signs nothing. */
export async function resumePending(): Promise<void> {
  for (const payment of pendingPayments()) await resume(payment)
}

/** Asks about one kept payment, unless another tab is asking. */
export async function resume(payment: PendingPayment): Promise<void> {
  await navigator.locks.request(lockOf(payment.id), { ifAvailable: true }, async (lock) => {
    if (lock) await topUp().resume(payment)
  })
}
