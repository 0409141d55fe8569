import 'server-only'
import { formatUsd, nano } from '@/lib/contract/money'
import { getDb } from '@/lib/db/client'
import { flushCharges } from '@/lib/services/ledger/ledger'
import { entryOf, type Place, type UsageFilter, type UsageLine, walkUsage } from '@/lib/services/usage/rows'

const USAGE_PAGE_ROWS = 1_000
const MAX_USAGE_PAGES = 1_000

/** Source: API contract, billing.md "Ledger entry": these columns in this order. */
const USAGE_COLUMNS = [
  'timestamp',
  'sku',
  'pricePerUnitUsd',
  'units',
  'amount',
  'currency',
  'notes',
  'inferenceDetails.requestId',
  'inferenceDetails.inferenceExecutionTime',
  'inferenceDetails.promptTokens',
  'inferenceDetails.completionTokens',
] as const

export const CSV_TYPE = 'text/csv; charset=utf-8'
export const CSV_HEAD = `${USAGE_COLUMNS.join()}\n`

export const wantsCsv = (headers: Headers): boolean => /\btext\/csv\b/i.test(headers.get('accept') ?? '')

export const csvRows = (lines: UsageLine[]): string => lines.map(csvRow).join('')

export async function* exportUsage(accountId: string, filter: UsageFilter): AsyncGenerator<Uint8Array> {
  yield Buffer.from(CSV_HEAD)
  let after: Place | undefined
  for (let page = 0; page < MAX_USAGE_PAGES; page++) {
    const lines = await walkUsage(accountId, filter, USAGE_PAGE_ROWS, after)
    if (lines.length > 0) yield Buffer.from(csvRows(lines))
    if (lines.length < USAGE_PAGE_ROWS) return
    after = lines.at(-1)
  }
}

function csvRow(line: UsageLine): string {
  const entry = entryOf(line)
  const cells = [
    entry.timestamp,
    cell(entry.sku),
    entry.pricePerUnitUsd,
    entry.units,
    entry.amount,
    entry.currency,
    cell(entry.notes),
    cell(entry.requestId),
    entry.executionTime ?? '',
    entry.promptTokens ?? '',
    entry.completionTokens ?? '',
  ]
  return `${cells.join()}\n`
}

const LEDGER_PAGE_ROWS = 500
const MAX_LEDGER_PAGES = 1_000
const MONEY_DECIMALS = 9

const LEDGER_COLUMNS = [
  'time',
  'type',
  'amount_usd',
  'currency',
  'balance_after_usd',
  'model',
  'request_id',
  'input_tokens',
  'output_tokens',
  'transaction',
  'network',
] as const

type Row = {
  seq: string
  time: string
  type: string
  amount: string
  currency: string
  after: string
  model: string | null
  request: string | null
  input: number | null
  output: number | null
  transaction: string | null
  network: string | null
}

/**
 * Newest first, from below an entry on: what is written meanwhile stands above it, so no row comes twice. A payment's
 * transactions carry its key in theirs (migrations/0004_payments.sql).
 */
const LEDGER_PAGE = `
  select e.seq::text as seq, to_char(e.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as time,
    case t.kind when 'credit' then 'TOP_UP' else upper(t.kind) end as type, e.amount::text as amount, e.currency,
    e.balance_after::text as after, u.model_id as model, t.request_id as request, u.prompt_tokens as input,
    u.completion_tokens as output, p.transaction, p.network
  from (
    select * from entry where account_id = $1 and seq < $2::bigint order by seq desc limit ${LEDGER_PAGE_ROWS}
  ) e
  join txn t on t.id = e.txn_id
  left join usage_record u on u.txn_id = e.txn_id
  left join payment p on t.kind in ('credit', 'reversal')
    and p.key = regexp_replace(t.idempotency_key, '^[a-z]+:|:again:[0-9]+$', '', 'g')
  order by e.seq desc`

const LAST = '9223372036854775807'

/**
 * Streams every entry of an account as CSV (RFC 4180), newest first, in all currencies: one page of rows a chunk, on
 * demand.
 */
export async function* exportTransactions(accountId: string): AsyncGenerator<Uint8Array> {
  await flushCharges()
  const { query } = await getDb()
  yield Buffer.from(`${LEDGER_COLUMNS.join()}\r\n`)
  let below = LAST
  for (let page = 0; page < MAX_LEDGER_PAGES; page++) {
    const rows = await query<Row>(LEDGER_PAGE, [accountId, below])
    if (rows.length > 0) yield Buffer.from(rows.map(lineOf).join(''))
    if (rows.length < LEDGER_PAGE_ROWS) return
    below = rows.at(-1)!.seq
  }
}

function lineOf(row: Row): string {
  const cells = [
    row.time,
    row.type,
    dollars(row.amount),
    row.currency,
    dollars(row.after),
    cell(row.model),
    cell(row.request),
    row.input ?? '',
    row.output ?? '',
    cell(row.transaction),
    cell(row.network),
  ]
  return `${cells.join()}\r\n`
}

const dollars = (amount: string): string => formatUsd(nano(BigInt(amount)), MONEY_DECIMALS)

/**
 * Quotes a cell. A spreadsheet would run a text that begins like a formula; the apostrophe keeps it a text. Source:
 * OWASP, "CSV Injection".
 */
export function cell(text: string | null): string {
  if (text === null) return ''
  const safe = /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
