import 'server-only'
import { cell } from '@/lib/services/usage/export'
import { entryOf, type UsageLine } from '@/lib/services/usage/line'
import { type Place, type UsageFilter, walkUsage } from '@/lib/services/usage/rows'

/** Rows of one statement, and how many of them: a million rows, which is what a spreadsheet still opens. */
const PAGE_ROWS = 1_000
const MAX_PAGES = 1_000

/** Source: API contract, billing.md "Ledger entry": these columns in this order. */
const COLUMNS = [
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
export const CSV_HEAD = `${COLUMNS.join()}\n`

/** Whether a client that sends this `Accept` gets CSV. */
export const wantsCsv = (headers: Headers): boolean => /\btext\/csv\b/i.test(headers.get('accept') ?? '')

/** Rows without the head, each with its line feed. Texts cannot be taken for formulas; numbers stay numbers. */
export const csvRows = (lines: UsageLine[]): string => lines.map(csvRow).join('')

/** All lines of a range as a file with its head, in the order of time: one page of rows a chunk, when it is read. */
export async function* exportUsage(accountId: string, filter: UsageFilter): AsyncGenerator<Uint8Array> {
  yield Buffer.from(CSV_HEAD)
  let after: Place | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const lines = await walkUsage(accountId, filter, PAGE_ROWS, after)
    if (lines.length > 0) yield Buffer.from(csvRows(lines))
    if (lines.length < PAGE_ROWS) return
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
