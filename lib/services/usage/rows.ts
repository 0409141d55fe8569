import 'server-only'
import { formatUnits } from 'viem/utils'
import { z } from 'zod'
import { ApiError, invalidField } from '@/lib/contract/errors'
import { getDb } from '@/lib/db/client'
import { isSignatureOf, signatureOf } from '@/lib/db/installation-secret'
import { flushCharges } from '@/lib/services/ledger/ledger'
import type { Currency } from '@/lib/services/ledger/ledger-types'
import { RPC_SKU } from '@/lib/services/usage/units'

const CANCELED = '57014'

export const LINES = `
  case when u.lines = '[]'::jsonb then (
    select jsonb_build_array(jsonb_build_object('sku', coalesce(u.model_id, 'request'), 'units', 1,
      'price', (-e.amount * 1000)::text, 'amount', (-e.amount)::text))
    from entry e where e.txn_id = u.txn_id and e.leg = 1
  ) else u.lines end`

/**
 * Runs one statement of a report.
 * @throws ApiError REQUEST_TIMEOUT (504) when it reads more than there is time for.
 */
export async function readReport<Row>(text: string, parameters: unknown[]): Promise<Row[]> {
  await flushCharges()
  const { query } = await getDb()
  try {
    return await query<Row>(text, parameters)
  } catch (cause) {
    if ((cause as { code?: unknown } | undefined)?.code !== CANCELED) throw cause
    throw tooMuch(cause)
  }
}

export const tooMuch = (cause?: unknown): ApiError =>
  new ApiError('REQUEST_TIMEOUT', 'There is too much usage in this range to read at once. Ask for a shorter one.', {
    cause,
  })

/** Times in ISO 8601, `start` included, `end` not. */
export type UsageFilter = { currency?: string; start?: string; end?: string }

export type Place = { at: string; txn: string; part: number }

const FIRST: Place = { at: '-infinity', txn: '00000000-0000-0000-0000-000000000000', part: 0 }

const LINE_COLUMNS = `
  u.txn_id as txn, l.n::int as part, to_char(u.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at,
  to_char(u.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as timestamp, l.line ->> 'sku' as sku,
  l.line ->> 'units' as units, l.line ->> 'price' as price, l.line ->> 'amount' as amount, u.currency,
  u.request_id as "requestId", u.prompt_tokens as "promptTokens", u.completion_tokens as "completionTokens",
  u.duration_ms as "durationMs"`

/** Parameters 1 to 4. The time bounds are always there, so that the index is walked between them. */
const FILTERED = `
  u.account_id = $1 and u.at >= coalesce($2::text::timestamptz, '-infinity') and u.at < coalesce($3::text::timestamptz, 'infinity')
  and ($4::text is null or u.currency = $4)`

/** Each charge has one line or more, so as many charges as lines are asked for are enough, and the one begun before. */
const WALK = `
  select ${LINE_COLUMNS}
  from (
    select u.* from usage_record u
    where ${FILTERED} and (u.at, u.txn_id) >= ($5::text::timestamptz, $6::uuid)
    order by u.at, u.txn_id limit $8::int + 1
  ) u
  cross join lateral jsonb_array_elements(${LINES}) with ordinality as l(line, n)
  where u.txn_id <> $6::uuid or l.n > $7::int
  order by u.at, u.txn_id, l.n limit $8::int`

export async function walkUsage(
  accountId: string,
  { currency, start, end }: UsageFilter,
  count: number,
  after: Place = FIRST,
): Promise<UsageLine[]> {
  const { at, txn, part } = after
  const filter = [accountId, start ?? null, end ?? null, currency ?? null]
  return (await readReport<Row>(WALK, [...filter, at, txn, part, count])).map(lineOf)
}

type PageRequest = { limit: number; page: number; sortOrder: 'asc' | 'desc' }

export async function pageUsage(
  accountId: string,
  { currency, start, end }: UsageFilter,
  { limit, page, sortOrder }: PageRequest,
): Promise<{ lines: UsageLine[]; total: number }> {
  const filter = [accountId, start ?? null, end ?? null, currency ?? null]
  const offset = (page - 1) * limit
  const [sum] = await readReport<{ total: string }>(
    `select coalesce(sum(greatest(jsonb_array_length(u.lines), 1)), 0)::text as total
     from usage_record u where ${FILTERED}`,
    filter,
  )
  const total = Number(sum?.total ?? 0)
  if (offset >= total) return { lines: [], total }
  const rows = await readReport<Row>(
    `select ${LINE_COLUMNS}
     from (
       select u.* from usage_record u where ${FILTERED}
       order by u.at ${sortOrder}, u.txn_id ${sortOrder} limit $5::bigint + $6::bigint
     ) u
     cross join lateral jsonb_array_elements(${LINES}) with ordinality as l(line, n)
     order by u.at ${sortOrder}, u.txn_id ${sortOrder}, l.n ${sortOrder} limit $5 offset $6`,
    [...filter, limit, offset],
  )
  return { lines: rows.map(lineOf), total }
}

type Row = Omit<UsageLine, 'units' | 'price' | 'amount' | 'currency'> & {
  units: string
  price: string
  amount: string
  currency: Currency
}

const lineOf = ({ units, price, amount, ...row }: Row): UsageLine => ({
  ...row,
  units: BigInt(units),
  price: BigInt(price),
  amount: BigInt(amount),
})

/** One priced line of a charge. Money in nano-dollars, prices in pico-dollars. */
export type UsageLine = {
  txn: string
  part: number
  at: string
  timestamp: string
  sku: string
  units: bigint
  price: bigint
  amount: bigint
  currency: Currency
  requestId: string
  promptTokens: number | null
  completionTokens: number | null
  durationMs: number | null
}

type WireEntry = {
  timestamp: string
  sku: string
  pricePerUnitUsd: string
  units: string
  amount: string
  currency: Currency
  notes: string
  requestId: string
  executionTime: number | null
  promptTokens: number | null
  completionTokens: number | null
}

const NANO_DIGITS = 9
const PICO_DIGITS = 12
const MILLION_DIGITS = 6
/** SKUs priced and counted by the million. Source: API contract, billing.md "Ledger entry". */
const BY_MILLION = /-m(?:token|char)$/

export function entryOf(line: UsageLine): WireEntry {
  const { timestamp, sku, units, price, amount, currency, requestId } = line
  const digits = BY_MILLION.test(sku) ? MILLION_DIGITS : 0
  return {
    timestamp,
    sku,
    pricePerUnitUsd: formatUnits(price, PICO_DIGITS - digits),
    units: formatUnits(units, digits),
    amount: formatUnits(-amount, NANO_DIGITS),
    currency,
    notes: sku.startsWith(RPC_SKU) ? 'Crypto RPC' : 'API Inference',
    requestId,
    executionTime: line.durationMs,
    promptTokens: line.promptTokens,
    completionTokens: line.completionTokens,
  }
}

export function renderEntry(line: UsageLine) {
  const entry = entryOf(line)
  return {
    timestamp: entry.timestamp,
    sku: entry.sku,
    units: Number(entry.units),
    pricePerUnitUsd: Number(entry.pricePerUnitUsd),
    amount: Number(entry.amount),
    currency: entry.currency,
    notes: entry.notes,
    inferenceDetails: {
      requestId: entry.requestId,
      promptTokens: entry.promptTokens,
      completionTokens: entry.completionTokens,
      inferenceExecutionTime: entry.executionTime,
    },
  }
}

const VERSION = 1
const LIFETIME_MS = 24 * 3_600_000
const SECRET_NAME = 'usage-cursor-secret'
const MAC_BYTES = 32

export type UsageWalk = { accountId: string; filter: UsageFilter; pageSize: number; after: Place }

const Sealed = z.tuple([
  z.literal(VERSION),
  z.string(),
  z.string().nullable(),
  z.string().nullable(),
  z.int(),
  z.string(),
  z.string(),
  z.int(),
  z.int(),
])

export async function sealCursor(
  { accountId, filter, pageSize, after }: UsageWalk,
  nowMs = Date.now(),
): Promise<string> {
  const { currency = null, end = null } = filter
  const facts = [VERSION, accountId, currency, end, pageSize, after.at, after.txn, after.part, nowMs + LIFETIME_MS]
  const body = Buffer.from(JSON.stringify(facts))
  return Buffer.concat([await signatureOf(SECRET_NAME, body), body]).toString('base64url')
}

/** @throws ApiError INVALID_REQUEST when the cursor was altered, is another account's, or is older than a day. */
export async function openCursor(cursor: string, accountId: string, nowMs = Date.now()): Promise<UsageWalk> {
  const bytes = Buffer.from(cursor, 'base64url')
  const [mac, body] = [bytes.subarray(0, MAC_BYTES), bytes.subarray(MAC_BYTES)]
  if (!(await isSignatureOf(SECRET_NAME, body, mac))) throw unusable('is none that this server gave')
  const sealed = Sealed.safeParse(JSON.parse(body.toString()))
  if (!sealed.success || sealed.data[1] !== accountId) throw unusable('is none that this server gave')
  const [, , currency, end, pageSize, at, txn, part, expiresAt] = sealed.data
  if (expiresAt <= nowMs) throw unusable('has expired')
  return {
    accountId,
    filter: { ...(currency !== null && { currency }), ...(end !== null && { end }) },
    pageSize,
    after: { at, txn, part },
  }
}

const unusable = (why: string) => invalidField(['cursor'], `${why}. Begin again without one.`)
