import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '@/lib/contract/errors'
import { log } from '@/lib/kernel/log'
import { ChainUnavailable } from '@/lib/services/payments/chain'
import {
  explain,
  paymentError,
  paymentInProgress,
  settlementPending,
  verificationFailed,
} from '@/lib/services/payments/errors'
import type { Facilitator, Settlement, Verdict } from '@/lib/services/payments/facilitator'
import type { Chain, Finding, Paid, Payment } from '@/lib/services/payments/payment-types'
import type { Credited, PaymentRow, PaymentState, PaymentStore } from '@/lib/services/payments/store'

/** Base units: up to this one confirmation is enough; above it the chain must be past an easy reorganisation. */
const ONE_CONFIRMATION_IS_ENOUGH = 100_000_000n

export type Point = 'received' | 'verified' | 'settling' | 'settled' | 'found' | 'credited'

type SettlementTools = {
  store: PaymentStore
  chain: Chain
  facilitator: Facilitator
  waitsMs: readonly number[]
  at: (point: Point) => Promise<void> | void
}

export const WAITS_MS: readonly number[] = [100, 200, 400, 800, 1_500]
export const NEXT_CHECK_SECONDS = 2

const MAY_BE_UNDER_WAY = new Set<PaymentState>(['settling', 'unknown', 'confirming', 'reversed'])

/**
 * Settles one payment that is written down and leased to the caller. Only the chain is believed: it is asked before and
 * after, whatever the facilitator says.
 * @throws ApiError PAYMENT_VERIFICATION_FAILED (400) or SETTLEMENT_FAILED (402) when no money moved by this payment;
 * SETTLEMENT_PENDING (503) whenever that is unknown.
 */
export async function settlePayment(
  tools: SettlementTools,
  row: PaymentRow,
  payment: Payment,
  proof?: string,
): Promise<Credited> {
  const { store, chain, facilitator, at } = tools
  try {
    await at('received')
    const [before, verdict] = await Promise.all([chain.look(row.wanted), facilitator.verify(payment)])
    if (before.status === 'paid') return await land(before)
    if (before.status === 'dead') throw await giveUp(before.reason)
    if (verdict.status !== 'valid') {
      // Both answers are of one moment; what was used up since then shows in another look.
      const recheck = await chain.look(row.wanted)
      if (recheck.status === 'paid') return await land(recheck)
      throw await notVerified(verdict)
    }
    await at('verified')
    // Whoever has taken the payment over reckons with its state as it was.
    if (!(await store.note(row, { state: 'settling' }))) throw paymentInProgress(row.id)
    await at('settling')
    const settlement = await facilitator.settle(payment)
    await at('settled')
    const after = await lookAfter(settlement)
    if (after.status === 'paid') return await land(after)
    if (after.status === 'dead') throw await giveUp(after.reason)
    throw await notSettled(settlement)
  } catch (error) {
    if (error instanceof ChainUnavailable || (error instanceof ApiError && error.code === 'SERVICE_UNAVAILABLE')) {
      throw settlementPending(row, error)
    }
    throw error
  }

  async function land(paid: Paid): Promise<Credited> {
    await at('found')
    if (!isDeepEnough(paid)) {
      const { transaction, block } = paid
      await store.note(row, { state: 'confirming', transaction, block, nextCheckSeconds: NEXT_CHECK_SECONDS })
      throw settlementPending(row)
    }
    const credited = await store.credit(row.id, paid, proof)
    await at('credited')
    return credited
  }

  async function giveUp(reason: string): Promise<ApiError> {
    await store.note(row, { state: 'failed', reason, nextCheckSeconds: 0 })
    return settlementFailed(row.id, reason)
  }

  async function notVerified(verdict: Exclude<Verdict, { status: 'valid' }>): Promise<ApiError> {
    if (verdict.status !== 'invalid' || MAY_BE_UNDER_WAY.has(row.state)) return leaveOpen(undefined)
    await store.note(row, { state: 'failed', reason: verdict.reason, nextCheckSeconds: 0 })
    return verificationFailed(verdict.reason)
  }

  async function notSettled(settlement: Settlement): Promise<ApiError> {
    if (settlement.status === 'settled') {
      log().error(
        { payment: row.id, transaction: settlement.transaction },
        'a facilitator reported a settlement that is not on the chain',
      )
      return leaveOpen(settlement.transaction)
    }
    if (settlement.status === 'refused' && !MAY_BE_UNDER_WAY.has(row.state)) return giveUp(settlement.reason)
    return leaveOpen(settlement.status === 'unknown' ? settlement.transaction : undefined)
  }

  async function leaveOpen(transaction: string | undefined): Promise<ApiError> {
    await store.note(row, { state: 'unknown', transaction, nextCheckSeconds: NEXT_CHECK_SECONDS })
    return settlementPending(row)
  }

  async function lookAfter(settlement: Settlement): Promise<Finding> {
    const transaction = settlement.status === 'refused' ? undefined : settlement.transaction
    const wanted = { ...row.wanted, transaction: transaction ?? row.wanted.transaction }
    const waits = settlement.status === 'settled' ? tools.waitsMs : []
    let found = await lookOrNothing(wanted)
    for (const waitMs of waits) {
      if (found && (found.status === 'dead' || (found.status === 'paid' && isDeepEnough(found)))) break
      await sleep(waitMs)
      found = (await lookOrNothing(wanted)) ?? found
    }
    if (found) return found
    await store.note(row, { state: 'unknown', transaction, nextCheckSeconds: NEXT_CHECK_SECONDS })
    throw settlementPending(row)
  }

  async function lookOrNothing(wanted: PaymentRow['wanted']): Promise<Finding | undefined> {
    try {
      return await chain.look(wanted)
    } catch (error) {
      if (error instanceof ChainUnavailable) return undefined
      throw error
    }
  }
}

export const isDeepEnough = ({ amount, isSafe }: Paid): boolean => amount <= ONE_CONFIRMATION_IS_ENOUGH || isSafe

function settlementFailed(paymentId: string, reason: string): ApiError {
  return paymentError('SETTLEMENT_FAILED', explain(reason), { details: { paymentId, reason } })
}
