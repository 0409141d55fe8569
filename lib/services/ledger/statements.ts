import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import { nano, type Usd, ZERO } from '@/lib/contract/money'
import type { Database } from '@/lib/db/database'
import { AGAIN } from '@/lib/kernel/batcher'
import type { Balances, Captured, Charge, Currency } from '@/lib/services/ledger/hold'
import type { Refusal } from '@/lib/services/ledger/refusal'

/**
 * Calls of the SQL functions of migrations/0001_ledger.sql: one round trip for many requests, replies in their order.
 */

type HoldRow = {
  id: string
  account: string
  key?: string
  request: string
  amount: Usd
  minimum?: Usd
  floor?: Usd
}
type Placed = { balances: Balances } & ({ refusal: Refusal } | { refusal: null; currency: Currency; amount: Usd })
export type EndRow = { id: string; charge: Usd; reason?: string; usage?: unknown }
export type Mark = { id: string; amount?: Usd; usage?: unknown }

type Wire = { [currency: string]: string }

export async function placeHolds(database: Database, rows: HoldRow[]): Promise<(Placed | typeof AGAIN)[]> {
  type Row = {
    ord: number
    currency: Currency
    amount: string
    refusal: Refusal | null
    again: boolean
    balances: Wire
  }
  const answers = await database.query<Row>('select * from holds($1::jsonb)', [numbered(rows)])
  const results: (Placed | typeof AGAIN)[] = []
  for (const { ord, currency, amount, refusal, again: isRepeat, balances } of answers) {
    const before = { balances: toBalances(balances) }
    if (isRepeat) results[ord] = AGAIN
    else if (refusal) results[ord] = { ...before, refusal }
    else results[ord] = { ...before, refusal: null, currency, amount: nano(BigInt(amount)) }
  }
  return results
}

export async function extendHolds(
  database: Database,
  rows: { id: string; by: Usd }[],
): Promise<(boolean | typeof AGAIN)[]> {
  type Row = { ord: number; is_granted: boolean; again: boolean }
  const answers = await database.query<Row>('select * from extends($1::jsonb)', [numbered(rows)])
  const results: (boolean | typeof AGAIN)[] = []
  for (const { ord, is_granted, again: isRepeat } of answers) results[ord] = isRepeat ? AGAIN : is_granted
  return results
}

/**
 * Ends holds; returns for those that had ended before what was taken then, and undefined for a hold that was never
 * placed.
 */
export async function endHolds(database: Database, rows: EndRow[]): Promise<(Captured | undefined)[]> {
  type Row = { id: string; currency: Currency; charged: string; balances: Wire }
  const ended = await database.query<Row>('select * from captures($1::jsonb)', [numbered(rows)])
  const byId = new Map(ended.map((row) => [row.id, row]))
  const earlier = rows.filter((row) => !byId.has(row.id)).map((row) => row.id)
  if (earlier.length > 0) {
    const before = await database.query<Row>(
      `select h.id, h.currency, (coalesce(h.captured, 0) + h.excess)::text as charged,
        (select jsonb_object_agg(b.currency, (b.posted - b.held)::text) from balance b
          where b.account_id = h.account_id) as balances
       from hold h where h.id = any($1::uuid[])`,
      [earlier],
    )
    for (const row of before) byId.set(row.id, row)
  }
  return rows.map(({ id }) => {
    const row = byId.get(id)
    return (
      row && { charged: nano(BigInt(row.charged)), currency: row.currency, balancesAfter: toBalances(row.balances) }
    )
  })
}

export async function markHolds(database: Database, marks: Mark[]): Promise<Set<string>> {
  const open = await database.query<{ id: string }>('select id from checkpoints($1::jsonb)', [numbered(marks)])
  return new Set(open.map((row) => row.id))
}

export async function sweepHolds(database: Database, max: number): Promise<number> {
  const [row] = await database.query<{ ended: number }>('select sweep_holds($1) as ended', [max])
  return row?.ended ?? 0
}

export async function readBalances(database: Database, accountId: string): Promise<Balances> {
  const rows = await database.query<{ currency: Currency; available: string }>(
    'select currency, (posted - held)::text as available from balance where account_id = $1',
    [accountId],
  )
  return toBalances(Object.fromEntries(rows.map((row) => [row.currency, row.available])))
}

export async function readPosted(database: Database, accountId: string): Promise<bigint> {
  const rows = await database.query<{ posted: string }>(
    'select coalesce(sum(posted), 0)::text as posted from balance where account_id = $1',
    [accountId],
  )
  return BigInt(rows[0]?.posted ?? 0)
}

export function toUsage(charge: Charge): unknown {
  return {
    model: charge.modelId,
    type: charge.modelType,
    lines: charge.lines.map((line) => ({ ...line, price: line.price.toString(), amount: line.amount.toString() })),
    prompt: charge.promptTokens,
    completion: charge.completionTokens,
    duration: charge.durationMs,
    estimated: charge.isEstimated,
  }
}

export function toBalances(wire: Wire | null): Balances {
  const read = (currency: Currency) => (wire?.[currency] === undefined ? ZERO : nano(BigInt(wire[currency])))
  return { DIEM: read('DIEM'), BUNDLED_CREDITS: read('BUNDLED_CREDITS'), USD: read('USD') }
}

/**
 * Money goes as text: a JSON number is a double. Field by field, since a replacer would be called for every value of a
 * batch.
 */
function numbered(rows: object[]): string {
  return JSON.stringify(
    rows.map((row, ord) => {
      const wire: Record<string, unknown> = { ord }
      for (const [name, value] of Object.entries(row)) wire[name] = typeof value === 'bigint' ? value.toString() : value
      return wire
    }),
  )
}

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
  maxNanoUsd: Usd
  kind: 'expire' | 'reversal'
  idempotencyKey: string
  reason?: string
}

const DEBIT_TARGETS = { expire: 'promotion', reversal: 'clearing' } as const

/**
 * Takes up to `maxNanoUsd` of what an account may spend; never what open holds set aside, so no balance falls below zero.
 * @returns what was taken; the same again for a repeat.
 * @throws ApiError IDEMPOTENCY_KEY_REUSED when the key was used for something else.
 */
export async function takeDebit(database: Database, debit: Debit): Promise<Usd> {
  const { accountId, currency, maxNanoUsd, kind, idempotencyKey, reason } = debit
  if (maxNanoUsd <= 0n) throw new RangeError(`${maxNanoUsd}: a debit is positive`)
  const [row] = await database.query<{ outcome: 'applied' | 'repeated' | 'nothing' | 'reused'; taken: string }>(
    'select outcome, taken from debit_available($1::uuid, $2, $3::bigint, $4, $5, $6, $7)',
    [accountId, currency, maxNanoUsd.toString(), kind, DEBIT_TARGETS[kind], idempotencyKey, reason ?? null],
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
