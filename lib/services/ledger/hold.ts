import type { Price, Usd } from '@/lib/contract/money'
import { nano } from '@/lib/contract/money'
import { ADMISSION_MINIMUM } from '@/lib/contract/prices'

export type Currency = 'DIEM' | 'BUNDLED_CREDITS' | 'USD'

/** What an account may spend: posted less held, per currency. */
export type Balances = Record<Currency, Usd>

export type HoldRequest = {
  accountId: string
  keyId?: string
  requestId: string
  /** The whole price of fixed work; of open-ended work its input and the next stretch of output. */
  amount: Usd
  /** Open-ended work may start with less, down to this much: a caller with little credit gets a shorter answer. */
  minimum?: Usd
  /**
   * Refuse unless the account has this much over all currencies, what its running requests have set aside included.
   * Source: API contract, README 13: 0.10 USD.
   */
  minimumBalance?: Usd
}

/** Credit set aside. `amount` is what was granted (less than asked only with `minimum`), and grows with `extend`. */
export type Hold = {
  id: string
  accountId: string
  keyId?: string
  requestId: string
  currency: Currency
  amount: Usd
  /** What could be spent before this hold. Absent on a hold of nothing (a free model), which asks the database nothing. */
  balancesBefore?: Balances
}

/** How often each method was called: what a line of JSON-RPC says beside its network. */
export type CallCounts = Readonly<Record<string, number>>

/** One priced unit of a charge. The amounts of a charge's lines add up to the charge, to the last nano-dollar. */
export type ChargeLine = { sku: string; units: number; price: Price; amount: Usd; calls?: CallCounts }

export type Charge = {
  amount: Usd
  lines: ChargeLine[]
  modelId?: string
  modelType?: string
  promptTokens?: number
  completionTokens?: number
  durationMs?: number
  isEstimated?: boolean
}

/**
 * What was taken. `charged` is less than asked only when the hold and the balance could not cover it; the house writes
 * off the rest. `balancesAfter` is absent for a hold of nothing.
 */
export type Captured = { charged: Usd; currency: Currency; balancesAfter?: Balances }

/**
 * One call's part of the credit that is set aside for it and those beside it. `hold` says what is this call's: its own
 * request id and amount, and what could be spent before it; it is ended by `end` only, never by `capture`, `extend` or `release`.
 */
export type SharedHold = {
  hold: Hold & { balancesBefore: Balances }
  /**
   * Charges the call what was delivered, at most its amount; nothing delivered, nothing charged. Once: later calls get
   * what the first one took. Does not wait for the database unless the call was alone: then it may throw as `capture`.
   */
  end: (charge: Charge | undefined) => Promise<Captured>
}

/** What was paid in or given and may be spent: all but the daily credit of staked tokens. */
export const creditOf = ({ USD, BUNDLED_CREDITS }: Balances): Usd => nano(USD + BUNDLED_CREDITS)

/** Whether a request that costs something would be let in. */
export const canConsume = (balances: Balances): boolean => creditOf(balances) + balances.DIEM >= ADMISSION_MINIMUM
