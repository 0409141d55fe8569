import type { PaymentOption } from '@/lib/browser/wallet-port'
import type { Family } from '@/lib/contract/chains'

/** Automatic checks of a payment without an outcome; then it waits for a click. */
export const MAX_CHECKS = 12

export type Requirements = { x402Version: number; accepts: PaymentOption[] }

/**
 * A payment that was signed and has no outcome yet, kept until the service says what became of it: sent again it is
 * credited once, signed again it would be paid twice.
 */
export type PendingPayment = {
  id: string
  wallet: string
  family: Family
  /** USDC base units. */
  units: bigint
  /** Value of the `PAYMENT-SIGNATURE` header. */
  header: string
  /** Unix milliseconds. */
  signedAt: number
  paymentId?: string
}

export type Credited = {
  /** Dollars. */
  amountUsd: number
  newBalanceUsd: number
  paymentId: string
  transaction?: string
  family: Family
}

/** Why there is no credit. Nothing was paid: an open outcome is not a problem but a wait. */
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
  /** Of the service or the wallet. */
  message?: string
  requestId?: string
}

export type Wait = 'pending' | 'in-progress' | 'lost' | 'busy'

export type Outcome =
  | { kind: 'credited'; receipt: Credited }
  | { kind: 'refused'; problem: Problem }
  | { kind: 'unknown'; why: Wait; retryAfterMs: number; paymentId?: string }

/** One top-up. `attempt` counts its tries; events of an abandoned one are ignored. */
export type TopUp = { attempt: number } & (
  | { step: 'choosing'; problem?: Problem }
  | { step: 'asking' | 'signing'; units: bigint }
  | { step: 'sending'; payment: PendingPayment; checks: number }
  | {
      step: 'confirming'
      payment: PendingPayment
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
  | { type: 'signed'; attempt: number; payment: PendingPayment }
  | { type: 'resumed'; payment: PendingPayment }
  | { type: 'checking'; attempt: number }
  | { type: 'settled'; attempt: number; outcome: Outcome; now: number }
  | { type: 'failed'; attempt: number; problem: Problem }
  | { type: 'cancelled' }
  | { type: 'reset' }

export const newTopUp = (): TopUp => ({ attempt: 0, step: 'choosing' })

export const isUnderWay = (state: TopUp): state is Extract<TopUp, { step: 'sending' | 'confirming' }> =>
  state.step === 'sending' || state.step === 'confirming'

/** Applies an event; returns the same object where the event does not belong to the state. */
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
      const isExhausted = checks + 1 >= MAX_CHECKS
      return {
        step: 'confirming',
        payment: named,
        why: outcome.why,
        checks: checks + 1,
        attempt,
        retryAt: isExhausted ? undefined : now + outcome.retryAfterMs,
      }
    }
  }
}
