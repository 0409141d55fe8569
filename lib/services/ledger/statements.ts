import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import { nano, type Usd, ZERO } from '@/lib/contract/money'
import type { Database } from '@/lib/db/database'
import { isContention, persist } from '@/lib/db/outage'
import { AGAIN } from '@/lib/kernel/batcher'
import type { Balances, Charge, Currency } from '@/lib/services/ledger/ledger-types'
import type { Refusal } from '@/lib/services/ledger/refusal'

/**
 * Calls of the SQL functions of migrations/0015_recall_in_two_steps.sql, 0014_owed_work.sql, 0013_leases.sql and
 * 0001_ledger.sql: one round trip for many requests, replies in their order.
 */

type Amounts = Partial<Record<Currency, bigint>>

export type LeaseRow = {
  account: string
  key?: string
  /** Set for what goes on in the currency in which it began. */
  currency?: Currency
  amount: Usd
  minimum?: Usd
  floor?: Usd
  pending: bigint
  free: Amounts
  extra: bigint
  /** For work that was done already: it is paid although the key was revoked or the account blocked meanwhile. */
  owed?: true
}

/** `balances` is what the account has left after, `usable` what account and key had left before. */
export type LeaseAnswer = {
  usable: Amounts
  balances: Balances
  others: Balances
  isRecalling: boolean
  isKnown: boolean
  expiresAt?: number
} & ({ refusal: Refusal } | { refusal: null; lease: string; currency: Currency; amount: Usd; leased: bigint })

type Wire = { [currency: string]: string }

export async function leaseCredit(
  database: Database,
  processId: string,
  rows: LeaseRow[],
): Promise<(LeaseAnswer | typeof AGAIN)[]> {
  type Row = {
    ord: number
    lease: string
    currency: Currency
    amount: string
    leased: string
    refusal: Refusal | null
    again: boolean
    usable: Wire
    balances: Wire
    others: Wire
    is_recalling: boolean
    expires_ms: number | null
    is_known: boolean
  }
  const asked = numbered(rows.map(({ free, ...row }) => ({ ...row, free: toWire(free) })))
  const answers = await database.query<Row>('select * from leases($1::uuid, $2::jsonb)', [processId, asked])
  const results: (LeaseAnswer | typeof AGAIN)[] = []
  for (const row of answers) {
    const facts = {
      usable: toAmounts(row.usable),
      balances: toBalances(row.balances),
      others: toBalances(row.others),
      isRecalling: row.is_recalling,
      isKnown: row.is_known,
      expiresAt: row.expires_ms ?? undefined,
    }
    const { ord, lease, currency, refusal } = row
    if (row.again) results[ord] = AGAIN
    else if (refusal) results[ord] = { ...facts, refusal }
    else {
      const [amount, leased] = [nano(BigInt(row.amount)), BigInt(row.leased)]
      results[ord] = { ...facts, refusal: null, lease, currency, amount, leased }
    }
  }
  return results
}

/** `short` was delivered beyond what could be taken: the operator bears it. `usage` is made when it is written. */
export type ChargeRow = {
  id: string
  lease: string
  account: string
  key?: string
  currency: Currency
  charge: bigint
  short: bigint
  request: string
  usage: () => unknown
  /** By `performance.now()`: several that are written together keep their order. */
  at: number
}

export type MarkRow = { id: string; lease: string; request: string; amount: bigint; usage: unknown }

export type Settlement = {
  charges: ChargeRow[]
  returned: { lease: string; amount: bigint }[]
  ended: string[]
  marks: MarkRow[]
  unmarked: string[]
  isBeat: boolean
}

type Settled = { isKnown: boolean; recalled: string[] }

export async function settleLeases(
  database: Database,
  processId: string,
  { charges, returned, ended, marks, unmarked, isBeat }: Settlement,
): Promise<Settled> {
  const now = performance.now()
  const [row] = await database.query<{ is_known: boolean; recalled: string[] | null }>(
    'select is_known, recalled::text[] as recalled from settle($1::uuid, $2::jsonb, $3::jsonb, $4::uuid[], $5::jsonb, $6::uuid[], $7)',
    [
      processId,
      numbered(charges.map(({ usage, at, ...row }) => ({ ...row, usage: usage(), age: now - at }))),
      numbered(returned),
      ended,
      numbered(marks),
      unmarked,
      isBeat,
    ],
  )
  return { isKnown: row?.is_known ?? false, recalled: row?.recalled ?? [] }
}

/** @returns whether another process leases credit of the account. */
export async function recallLeases(database: Database, processId: string, accountId: string): Promise<boolean> {
  const text = 'select recall_leases($1::uuid, $2::uuid) as is'
  const recall = () => database.query<{ is: boolean }>(text, [processId, accountId])
  // Whoever is chosen to end a deadlock has asked nobody yet.
  const [row] = await persist(recall, isContention)
  return row?.is ?? false
}

/** Tells whether a living process has not answered a recall yet. */
export async function isRecalling(database: Database, processId: string, accountId: string): Promise<boolean> {
  const [row] = await database.query<{ is: boolean }>(
    `select exists (
      select from lease l join ledger_process p on p.id = l.process_id
      where l.account_id = $2 and l.process_id <> $1 and l.is_recalled and p.seen_at > now() - interval '5 seconds'
    ) as is`,
    [processId, accountId],
  )
  return row?.is ?? false
}

/**
 * Ends leases of one process that is dead.
 * @param living the only processes that can be alive.
 * @returns how many; undefined when there is no such process.
 */
export async function sweepLeases(database: Database, max: number, living?: string[]): Promise<number | undefined> {
  const [row] = await database.query<{ ended: number | null }>('select sweep_leases($1, $2::uuid[]) as ended', [
    max,
    living ?? null,
  ])
  return row?.ended ?? undefined
}

/** @returns how many holds of jobs it ended; undefined when there is none to end. */
export async function sweepHolds(database: Database, max: number): Promise<number | undefined> {
  const [row] = await database.query<{ ended: number }>('select sweep_holds($1) as ended', [max])
  return row?.ended || undefined
}

/** Reads what an account has besides the holds of jobs: what is leased counts as its own. */
export async function readBalances(database: Database, accountId: string): Promise<Balances> {
  const rows = await database.query<{ currency: Currency; available: string }>(
    `select b.currency, (b.posted - b.held + coalesce(sum(l.amount), 0))::text as available
     from balance b left join lease l on l.account_id = b.account_id and l.currency = b.currency
     where b.account_id = $1 group by b.currency, b.posted, b.held`,
    [accountId],
  )
  return toBalances(Object.fromEntries(rows.map((row) => [row.currency, row.available])))
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

function toBalances(wire: Wire | null): Balances {
  const read = (currency: Currency) => (wire?.[currency] === undefined ? ZERO : nano(BigInt(wire[currency])))
  return { DIEM: read('DIEM'), BUNDLED_CREDITS: read('BUNDLED_CREDITS'), USD: read('USD') }
}

const toAmounts = (wire: Wire): Amounts =>
  Object.fromEntries(Object.entries(wire).map(([currency, amount]) => [currency, BigInt(amount)]))

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

const toWire = (amounts: Amounts): Wire =>
  Object.fromEntries(Object.entries(amounts).map(([currency, amount]) => [currency, amount.toString()]))

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
 * Takes up to `maxNanoUsd` of what an account may spend; never what leases and jobs set aside, so no balance falls below zero.
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
