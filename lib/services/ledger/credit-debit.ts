import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import { nano, type Usd } from '@/lib/contract/money'
import type { Database } from '@/lib/db/database'
import type { Balances, Currency } from '@/lib/services/ledger/hold'
import { toBalances } from '@/lib/services/ledger/statements'

export type Credit = {
  accountId: string
  currency: Currency
  amount: Usd
  kind: 'credit' | 'grant' | 'refund'
  idempotencyKey: string
  reason?: string
}

const CREDIT_SOURCES = { credit: 'clearing', grant: 'promotion', refund: 'revenue' } as const

/**
 * Gives an account money; a repeat changes nothing.
 * @returns what the account may spend now.
 * @throws ApiError IDEMPOTENCY_KEY_REUSED when the key was used for another credit.
 */
export async function giveCredit(database: Database, credit: Credit): Promise<Balances> {
  const { accountId, currency, amount, kind, idempotencyKey, reason } = credit
  if (amount <= 0n) throw new RangeError(`${amount}: a credit is positive`)
  const [row] = await database.query<{ outcome: 'applied' | 'repeated' | 'reused'; balances: Record<string, string> }>(
    'select outcome, balances from credit($1::uuid, $2, $3::bigint, $4, $5, $6, $7)',
    [accountId, currency, amount.toString(), kind, CREDIT_SOURCES[kind], idempotencyKey, reason ?? null],
  )
  if (row === undefined || row.outcome === 'reused') {
    throw new ApiError('IDEMPOTENCY_KEY_REUSED', `The key ${idempotencyKey} was used for another credit.`)
  }
  return toBalances(row.balances)
}

export type Debit = {
  accountId: string
  currency: Currency
  most: Usd
  kind: 'expire' | 'reversal'
  idempotencyKey: string
  reason?: string
}

const DEBIT_TARGETS = { expire: 'promotion', reversal: 'clearing' } as const

/**
 * Takes up to `most` of what an account may spend; never what open holds set aside, so no balance falls below zero.
 * @returns what was taken; the same again for a repeat.
 * @throws ApiError IDEMPOTENCY_KEY_REUSED when the key was used for something else.
 */
export async function takeDebit(database: Database, debit: Debit): Promise<Usd> {
  const { accountId, currency, most: max, kind, idempotencyKey, reason } = debit
  if (max <= 0n) throw new RangeError(`${max}: a debit is positive`)
  const [row] = await database.query<{ outcome: 'applied' | 'repeated' | 'nothing' | 'reused'; taken: string }>(
    'select outcome, taken from debit_available($1::uuid, $2, $3::bigint, $4, $5, $6, $7)',
    [accountId, currency, max.toString(), kind, DEBIT_TARGETS[kind], idempotencyKey, reason ?? null],
  )
  if (row === undefined || row.outcome === 'reused') {
    throw new ApiError('IDEMPOTENCY_KEY_REUSED', `The key ${idempotencyKey} was used for something else.`)
  }
  return nano(BigInt(row.taken))
}

export type Allowance = {
  outcome: 'granted' | 'kept' | 'late'
  granted: Usd
  expired: Usd
}

/**
 * Gives an account the daily credit of `day` (UTC, YYYY-MM-DD): earlier days expire first. A repeat changes nothing;
 * more grants the difference; less takes nothing back.
 */
export async function giveAllowance(
  database: Database,
  accountId: string,
  day: string,
  amount: Usd,
): Promise<Allowance> {
  const [row] = await database.query<{ outcome: Allowance['outcome']; granted: string; expired: string }>(
    'select outcome, granted, expired from grant_allowance($1::uuid, $2, $3::bigint)',
    [accountId, day, amount.toString()],
  )
  if (row === undefined) throw new Error('the database gave no answer for an allowance')
  return { outcome: row.outcome, granted: nano(BigInt(row.granted)), expired: nano(BigInt(row.expired)) }
}
