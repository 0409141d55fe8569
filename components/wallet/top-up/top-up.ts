import type { PaymentOption } from '@/lib/browser/wallet-port'
import type { Family } from '@/lib/contract/chains'

/** How often a payment without an outcome is asked after by itself; then it waits for a click. */
export const MAX_CHECKS = 12

/** What a 402 of the top-up route offers. */
export type Requirements = { x402Version: number; accepts: PaymentOption[] }

/**
 * A payment that was signed and has no outcome yet. It is kept until the service says what became of it: sent again it is
 * credited once, signed again it would be paid twice.
 */
export type KeptPayment = {
  id: string
  /** The payer's address. */
  wallet: string
  family: Family
  /** USDC base units. */
  units: bigint
  /** The value of the `PAYMENT-SIGNATURE` header. */
  header: string
  /** Unix milliseconds. */
  signedAt: number
  /** The service's name for it, once it gave one. */
  paymentId?: string
}

export type Credited = {
  /** Dollars. */
  amountUsd: number
  newBalanceUsd: number
  paymentId: string
  /** On its chain. */
  transaction?: string
  family: Family
}

/** Why there is no credit. Whatever it is, nothing was paid: an open outcome is not a problem but a wait. */
export type Problem = {
  kind:
    | 'rejected'
    | 'cancelled'
    | 'locked'
    | 'wallet-timeout'
    | 'wallet-unsupported'
    | 'wallet-failed'
    | 'changed-account'
    | 'short'
    | 'expired'
    | 'amount'
    | 'refused'
    | 'settlement-failed'
    | 'already-credited'
    | 'not-offered'
    | 'busy'
    | 'offline'
    | 'unreachable'
  /** The service's or the wallet's own words. */
  message?: string
  requestId?: string
}

/** Why an outcome is not known yet. */
export type Wait = 'pending' | 'in-progress' | 'lost' | 'busy'

/** What sending a payment came to. */
export type Outcome =
  | { kind: 'credited'; receipt: Credited }
  | { kind: 'refused'; problem: Problem }
  | { kind: 'unknown'; why: Wait; retryAfterMs: number; paymentId?: string }

/** One top-up. `attempt` counts its tries: what an abandoned one still says is not heard. */
export type TopUp = { attempt: number } & (
  | { step: 'choosing'; problem?: Problem }
  | { step: 'asking' | 'signing'; units: bigint }
  | { step: 'sending'; payment: KeptPayment; checks: number }
  | {
      step: 'confirming'
      payment: KeptPayment
      why: Wait
      checks: number
      /** Unix milliseconds of the next check; absent when it waits for a click. */
      retryAt?: number
    }
  | { step: 'credited'; receipt: Credited }
)

export type TopUpEvent =
  | { type: 'begun'; units: bigint }
  | { type: 'offered'; attempt: number }
  | { type: 'signed'; attempt: number; payment: KeptPayment }
  | { type: 'resumed'; payment: KeptPayment }
  | { type: 'checking'; attempt: number }
  | { type: 'settled'; attempt: number; outcome: Outcome; now: number }
  | { type: 'failed'; attempt: number; problem: Problem }
  | { type: 'cancelled' }
  | { type: 'reset' }

export const newTopUp = (): TopUp => ({ attempt: 0, step: 'choosing' })

/** Whether closing or reloading now leaves a payment whose outcome is open. */
export const isUnderWay = (state: TopUp): state is Extract<TopUp, { step: 'sending' | 'confirming' }> =>
  state.step === 'sending' || state.step === 'confirming'

/** The top-up after one more event; the same object where the event does not belong to it. Pure. */
export function reduceTopUp(state: TopUp, event: TopUpEvent): TopUp {
  if ('attempt' in event && event.attempt !== state.attempt) return state
  switch (event.type) {
    case 'begun':
      // A second click finds the first one's top-up, and adds none.
      if (state.step !== 'choosing') return state
      return { step: 'asking', units: event.units, attempt: state.attempt + 1 }
    case 'offered':
      return state.step === 'asking' ? { ...state, step: 'signing' } : state
    case 'signed':
      if (state.step !== 'signing') return state
      return { step: 'sending', payment: event.payment, checks: 0, attempt: state.attempt }
    case 'resumed':
      if (state.step !== 'choosing') return state
      return { step: 'sending', payment: event.payment, checks: 0, attempt: state.attempt + 1 }
    case 'checking':
      if (state.step !== 'confirming') return state
      return { step: 'sending', payment: state.payment, checks: state.checks, attempt: state.attempt }
    case 'settled':
      return state.step === 'sending' ? afterSending(state, event.outcome, event.now) : state
    case 'failed':
      if (state.step !== 'asking' && state.step !== 'signing') return state
      return { step: 'choosing', problem: event.problem, attempt: state.attempt }
    case 'cancelled':
      // Signed is not sent: a signature that still comes is thrown away. What was sent cannot be called back.
      if (state.step !== 'asking' && state.step !== 'signing') return state
      return { step: 'choosing', problem: { kind: 'cancelled' }, attempt: state.attempt + 1 }
    case 'reset':
      return isUnderWay(state) ? state : { step: 'choosing', attempt: state.attempt + 1 }
  }
}

function afterSending(state: TopUp & { step: 'sending' }, outcome: Outcome, now: number): TopUp {
  const { attempt, payment, checks } = state
  switch (outcome.kind) {
    case 'credited':
      return { step: 'credited', receipt: outcome.receipt, attempt }
    case 'refused':
      return { step: 'choosing', problem: outcome.problem, attempt }
    case 'unknown': {
      const named = outcome.paymentId ? { ...payment, paymentId: outcome.paymentId } : payment
      const isTired = checks + 1 >= MAX_CHECKS
      return {
        step: 'confirming',
        payment: named,
        why: outcome.why,
        checks: checks + 1,
        attempt,
        retryAt: isTired ? undefined : now + outcome.retryAfterMs,
      }
    }
  }
}
