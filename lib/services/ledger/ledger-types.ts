import { nano, type Price, type Usd } from '@/lib/contract/money'
import { ADMISSION_MINIMUM } from '@/lib/contract/prices'

export type Currency = 'DIEM' | 'BUNDLED_CREDITS' | 'USD'

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
   * Least balance over all currencies, holds of running requests included. Source: API contract, README 13: 0.10 USD.
   */
  minimumBalance?: Usd
  /** Small and of a fixed price: what such requests of one moment cost is written as one charge. */
  isShared?: boolean
}

/** Credit set aside. `amount` is what was granted (less than asked only with `minimum`), and grows with `extend`. */
export type Hold = {
  id: string
  accountId: string
  keyId?: string
  requestId: string
  currency: Currency
  amount: Usd
  balancesBefore?: Balances
  isShared?: boolean
  /** What the ledger keeps of it, and knows it by: a copy of a hold is the same hold. */
  reservation?: object
}

export type CallCounts = Readonly<Record<string, number>>

/** One priced unit of a charge. The amounts of its lines add up to the charge, to the last nano-dollar. */
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
 * `charged` is less than the charge only when hold and balance could not cover it; the operator bears the rest.
 * `balancesAfter` is absent for a hold of nothing.
 */
export type Captured = { charged: Usd; currency: Currency; balancesAfter?: Balances }

export const creditOf = ({ USD, BUNDLED_CREDITS }: Balances): Usd => nano(USD + BUNDLED_CREDITS)

export const canConsume = (balances: Balances): boolean => creditOf(balances) + balances.DIEM >= ADMISSION_MINIMUM
