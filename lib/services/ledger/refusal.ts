import { ApiError } from '@/lib/contract/errors'
import { formatUsd, nano, type Usd, ZERO } from '@/lib/contract/money'
import { unavailable } from '@/lib/db/outage'
import type { Balances, Hold } from '@/lib/services/ledger/ledger-types'

export type Refusal =
  | 'insufficient'
  | 'key_usd_limit'
  | 'key_diem_limit'
  | 'key_revoked'
  | 'key_expired'
  | 'account_disabled'
  | 'account_inactive'

export const isForMoney = (refusal: Refusal): boolean =>
  refusal === 'insufficient' || refusal === 'key_usd_limit' || refusal === 'key_diem_limit'

/** Carries the balance and the least that would do; a wallet is told both in a document of its own. */
export class InsufficientBalance extends ApiError {
  override name = 'InsufficientBalance'
  readonly balances: Balances
  readonly needed: Usd

  constructor(message: string, balances: Balances, needed: Usd) {
    super('INSUFFICIENT_BALANCE', message)
    this.balances = balances
    this.needed = needed
  }
}

type Asked = { amount: Usd; minimum?: Usd; minimumBalance?: Usd }

export function refused(refusal: Refusal, asked: Asked, balances: Balances): ApiError {
  switch (refusal) {
    case 'insufficient':
      return insufficient(asked, balances)
    case 'key_usd_limit':
      return overLimit('USD', asked.amount)
    case 'key_diem_limit':
      return overLimit('DIEM', asked.amount)
    case 'account_disabled':
      return new ApiError('API_ACCESS_DISABLED', 'API access is disabled for this account. Contact the operator.')
    case 'account_inactive':
      return new ApiError(
        'AUTHENTICATION_FAILED_INACTIVE_KEY',
        'Authentication failed: the account of this key is inactive.',
      )
    case 'key_revoked':
    case 'key_expired':
      return new ApiError('AUTHENTICATION_FAILED', 'Authentication failed')
  }
}

export function notCovered({ balances }: InsufficientBalance, cost: Usd, held: Hold): InsufficientBalance {
  const own = { ...balances, [held.currency]: nano(balances[held.currency] + held.amount) }
  const available = nano(own.DIEM + own.BUNDLED_CREDITS + own.USD)
  return new InsufficientBalance(
    `With what was sent along, this request may cost up to ${plain(cost)} USD, and ${plain(available)} USD is available. Add credits, or send less.`,
    own,
    cost,
  )
}

/** The ledger could not be asked before any work was done: nothing was charged. */
export function ledgerUnavailable(cause: unknown): ApiError {
  const message = 'Credits cannot be checked at the moment. Nothing was charged. Try again in a few seconds.'
  return unavailable(message, cause)
}

/**
 * The ledger could not be asked while work was under way or done: what was delivered is charged, at the latest by a
 * sweep.
 */
export function chargeDelayed(cause: unknown): ApiError {
  const message =
    'Credits cannot be checked at the moment. You are charged only for what was delivered, possibly with a delay. Try again in a few seconds.'
  return unavailable(message, cause)
}

function insufficient(asked: Asked, balances: Balances): InsufficientBalance {
  const available = nano(balances.DIEM + balances.BUNDLED_CREDITS + balances.USD)
  const floor = asked.minimumBalance ?? ZERO
  const isBelowFloor = available < floor
  const need = isBelowFloor
    ? `A request needs at least ${plain(floor)} USD of credit`
    : `This request may cost up to ${plain(asked.amount)} USD`
  return new InsufficientBalance(
    `${need}, and ${plain(available)} USD is available. Add credits and try again.`,
    balances,
    isBelowFloor ? floor : (asked.minimum ?? asked.amount),
  )
}

function overLimit(currency: 'USD' | 'DIEM', amount: Usd): ApiError {
  return new ApiError(
    `API_KEY_${currency}_SPEND_LIMIT_EXCEEDED`,
    `This request may cost up to ${plain(amount)} USD, which is more than this key's ${currency} spending limit has left. Raise the limit, or wait for the next period.`,
  )
}

const plain = (amount: Usd): string => formatUsd(amount, 9).replace(/(\.\d\d\d*?)0+$/, '$1')
