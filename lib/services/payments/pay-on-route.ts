import 'server-only'
import { createHash } from 'node:crypto'
import { ApiError } from '@/lib/contract/errors'
import type { Caller, RequestContext } from '@/lib/kernel/request-context'
import { rails } from '@/lib/services/chains/rails'
import { findAccount } from '@/lib/services/identity/accounts'
import type { AccountStatus } from '@/lib/services/identity/credentials'
import { limitAddress } from '@/lib/services/limits/limits'
import { paymentError } from '@/lib/services/payments/errors'
import { paymentHeader, readPayment } from '@/lib/services/payments/read-payment'
import { withTerms } from '@/lib/services/payments/requirements'
import { noteReceipt } from '@/lib/services/payments/store'
import { topUps } from '@/lib/services/payments/top-up'

/**
 * Settles the payment that a request came with as a top-up, and admits that one request as the payer's wallet. Once it is
 * settled everybody can read the payment on its chain, so it admits no other: neither a repeat, nor a request that spells
 * it anew. Source: API contract, README 5 step 4.
 *
 * @throws ApiError every error of a top-up; PAYMENT_ALREADY_CREDITED (409) when the payment admits nothing more.
 */
export async function payOnRoute(context: RequestContext): Promise<Caller> {
  await limitAddress(context, 'top-up')
  try {
    const header = paymentHeader(context.headers) ?? ''
    const payment = await readPayment(header, rails())
    const { row, hasServed } = await topUps().credit(payment, proofOf(header))
    noteReceipt(context, row)
    if (!hasServed) {
      // Whoever sends a payment that is on its chain may be anybody.
      context.facts.balanceRemaining = undefined
      throw alreadyCredited(row.id)
    }
    return await callerOf(context, row.payer)
  } catch (error) {
    throw await withTerms(context, error)
  }
}

/** Hashes the header's own bytes: what a chain shows of a payment does not say how its sender spelled it. */
const proofOf = (header: string): string => createHash('sha256').update(header).digest('hex')

async function callerOf(context: RequestContext, address: string): Promise<Caller> {
  const account = await findAccount(address)
  if (!account) throw new Error('a payment was credited to an account that is gone')
  context.facts.accountId = account.id
  assertActive(account.status)
  const { id: accountId, isPro, rateMultiplier } = account
  return { accountId, kind: 'wallet', address, isPro, rateMultiplier, via: { type: 'payment' } }
}

function assertActive(status: AccountStatus): void {
  if (status === 'active') return
  throw new ApiError(
    'API_ACCESS_DISABLED',
    'API access is disabled for this account. The payment is kept as its credit.',
  )
}

function alreadyCredited(paymentId: string): ApiError {
  return paymentError(
    'PAYMENT_ALREADY_CREDITED',
    'This payment was credited to its wallet already, and it admits one request only. Sign in with the wallet (SIGN-IN-WITH-X) to use the credit, or send a new payment.',
    { details: { paymentId } },
  )
}
