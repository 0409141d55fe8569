import type { MatrixRow } from '@/components/rpc/matrix/rows'
import { englishFault, resultOf } from '@/components/rpc/matrix/values'

/** What a cell of common spreadsheets holds. */
const MAX_CELL_CHARS = 32_000
const MONEY_DECIMALS = 9

const HEAD = [
  'network',
  'chain_id',
  'outcome',
  'result',
  'decoded',
  'error',
  'block_height',
  'latency_ms',
  'credits',
  'cost_usd',
]

/** The rows as they stand, as CSV (RFC 4180). */
export function csvOf(rows: readonly MatrixRow[]): string {
  return [HEAD, ...rows.map(valuesOf)].map((values) => `${values.map(quoted).join()}\r\n`).join('')
}

/** The rows as a spreadsheet takes them from the clipboard: between tabs, a line each. */
export function tsvOf(rows: readonly MatrixRow[]): string {
  const plain = (value: Value) => safe(value).replaceAll(/[\t\r\n]+/g, ' ')
  return [HEAD, ...rows.map(valuesOf)].map((values) => `${values.map(plain).join('\t')}\n`).join('')
}

type Value = string | number | undefined

function valuesOf({ network, state, line, shown }: MatrixRow): Value[] {
  const result = line?.outcome === 'result' ? resultOf(line) : undefined
  return [
    network.slug,
    network.chainId,
    line?.outcome ?? state,
    result === undefined ? undefined : typeof result === 'string' ? result : JSON.stringify(result),
    shown?.english,
    line && shown?.isFault ? englishFault(line) : undefined,
    line?.height ?? undefined,
    line?.ms,
    line?.credits,
    line?.costUsd.toFixed(MONEY_DECIMALS),
  ]
}

function quoted(value: Value): string {
  const text = safe(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * A spreadsheet would run a text that begins like a formula; the apostrophe keeps it a text. What is a number here is one.
 * Source: OWASP, "CSV Injection".
 */
function safe(value: Value): string {
  if (typeof value !== 'string') return value === undefined ? '' : String(value)
  const text = value.length > MAX_CELL_CHARS ? `${value.slice(0, MAX_CELL_CHARS)}…` : value
  return /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text
}
