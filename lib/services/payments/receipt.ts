import 'server-only'
import { NANO_PER_USDC_UNIT } from '@/lib/contract/chains'
import { nano, usdNumber, ZERO } from '@/lib/contract/money'
import type { RequestContext } from '@/lib/kernel/request-context'
import type { PaymentRow } from '@/lib/services/payments/payment-row'

/** The body of a top-up. Source: API contract, x402.md 4.4. */
export const receiptOf = ({ id, payer, amount, balanceAfter }: PaymentRow) => ({
  success: true,
  data: {
    walletAddress: payer,
    amountCredited: usdNumber(nano(amount * NANO_PER_USDC_UNIT)),
    newBalance: usdNumber(balanceAfter ?? ZERO),
    paymentId: id,
  },
})

/** Leaves what the headers of a settled payment are made from. */
export function noteReceipt(
  { facts }: RequestContext,
  { network, payer, transaction, balanceAfter }: PaymentRow,
): void {
  const response = { success: true, network, payer, transaction: transaction ?? '' }
  facts.paymentResponse = Buffer.from(JSON.stringify(response)).toString('base64')
  facts.balanceRemaining = balanceAfter
}
