import { grouped, inUnits, type MessageText, msg } from '@/components/rpc/response/decode/decoded'
import { toEnglish, toText } from '@/components/rpc/response/format'
import { isRecord } from '@/lib/browser/api'
import type { MatrixLine, RpcNetwork, RpcSlug } from '@/lib/contract/rpc-networks'

// `lost`: the stream ended before it answered; `cancelled`: the person stopped the run.
export type MatrixRow = {
  network: RpcNetwork
  state: 'waiting' | 'answered' | 'lost' | 'cancelled'
  line?: MatrixLine
  shown?: Shown
}

export type Column = 'network' | 'result' | 'height' | 'latency' | 'credits'

export type Sorting = { column: Column; isDescending: boolean }

export const waitingRows = (networks: readonly RpcNetwork[]): MatrixRow[] =>
  networks.map((network) => ({ network, state: 'waiting' }))

export function withLine(rows: readonly MatrixRow[], line: MatrixLine, method: string): MatrixRow[] {
  return rows.map((row) =>
    row.network.slug === line.network
      ? { network: row.network, state: 'answered', line, shown: displayOf(line, method, row.network) }
      : row,
  )
}

export const endWaiting = (rows: readonly MatrixRow[], state: 'lost' | 'cancelled'): MatrixRow[] =>
  rows.map((row) => (row.state === 'waiting' ? { network: row.network, state } : row))

/** Sorts by a column; rows without a value stand last either way. */
export function sortedRows(rows: readonly MatrixRow[], { column, isDescending }: Sorting): MatrixRow[] {
  const turn = isDescending ? -1 : 1
  return rows.toSorted((one, other) => {
    const [left, right] = [sortKey(one, column), sortKey(other, column)]
    if (left === undefined || right === undefined) return Number(left === undefined) - Number(right === undefined)
    return turn * compare(left, right)
  })
}

type Key = bigint | number | string

function sortKey({ network, line, shown }: MatrixRow, column: Column): Key | undefined {
  if (column === 'network') return `${network.group} ${network.name}`
  if (!line || !shown) return undefined
  if (column === 'result') return shown.isFault ? undefined : (shown.number ?? shown.text)
  if (column === 'height') return line.height ?? undefined
  return column === 'latency' ? line.ms : line.credits
}

function compare(left: Key, right: Key): number {
  if (typeof left === 'string' && typeof right === 'string') return left.localeCompare(right)
  if (typeof left === 'string' || typeof right === 'string') return typeof left === 'string' ? 1 : -1
  return left < right ? -1 : left > right ? 1 : 0
}

export function totalsOf(rows: readonly MatrixRow[]) {
  const lines = rows.flatMap(({ line }) => line ?? [])
  return {
    asked: rows.length,
    answered: lines.length,
    results: lines.filter(({ outcome }) => outcome === 'result').length,
    faults: lines.filter(({ outcome }) => outcome !== 'result').length,
    credits: lines.reduce((sum, { credits }) => sum + credits, 0),
    costUsd: lines.reduce((sum, { costUsd }) => sum + costUsd, 0),
  }
}

export function fastestOf(rows: readonly MatrixRow[]): RpcSlug | undefined {
  const results = rows.flatMap(({ line }) => (line?.outcome === 'result' ? line : []))
  return results.toSorted((one, other) => one.ms - other.ms)[0]?.network
}

const MAX_SHORT_CHARS = 90
const MAX_SHORT_ITEMS = 4
const QUANTITY = /^0x(?:0|[1-9a-f][0-9a-f]{0,63})$/i
const WEI_PER_GWEI = 9
const WEI_PER_COIN = 18
const BLOCK_METHODS = /^eth_getBlockBy|^starknet_getBlockWith/
// 2009 in Unix seconds: smaller numbers are no time of any chain.
const FIRST_BLOCK_SECONDS = 1_230_000_000

type Shown = { text: string; decoded?: string; english?: string; number?: bigint; isFault: boolean }

/** Reads one network's answer into bounded text: everything in it came from a node. */
export function displayOf(line: MatrixLine, method: string, network: RpcNetwork): Shown {
  if (line.outcome !== 'result') return { text: cut(toText(faultOf(line))), isFault: true }
  const result = resultOf(line)
  const number = numberOf(result)
  const decoded = decodedOf(result, number, method, network)
  const [shown, english] = [toText, toEnglish].map((wordOf) => decoded?.map(wordOf).join(' · '))
  return { text: short(result), decoded: shown, english, number, isFault: false }
}

export const resultOf = ({ reply }: MatrixLine): unknown => (isRecord(reply) ? reply.result : undefined)

function faultOf({ reply, error, status }: MatrixLine): MessageText {
  const fault = isRecord(reply) && isRecord(reply.error) ? reply.error : undefined
  if (fault && typeof fault.message === 'string') {
    const code = typeof fault.code === 'number' ? `${fault.code} ` : ''
    return `${code}${fault.message}`
  }
  return error?.message || msg('No response ({status})', { status: String(status) })
}

function short(value: unknown): string {
  if (value === undefined) return ''
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]'
    return cut(
      `[${value.slice(0, MAX_SHORT_ITEMS).map(leaf).join(', ')}${value.length > MAX_SHORT_ITEMS ? ', …' : ''}]`,
    )
  }
  if (!isRecord(value)) return leaf(value)
  const entries = Object.entries(value)
  const fields = entries.slice(0, MAX_SHORT_ITEMS).map(([name, item]) => `${cut(name)}: ${leaf(item)}`)
  return cut(`{${fields.join(', ')}${entries.length > MAX_SHORT_ITEMS ? ', …' : ''}}`)
}

function leaf(value: unknown): string {
  if (typeof value === 'string') return cut(value)
  if (Array.isArray(value)) return `[${value.length}]`
  return isRecord(value) ? '{…}' : String(value)
}

const cut = (text: string): string => (text.length > MAX_SHORT_CHARS ? `${text.slice(0, MAX_SHORT_CHARS)}…` : text)

function numberOf(value: unknown): bigint | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value)
  return typeof value === 'string' && QUANTITY.test(value) ? BigInt(value) : undefined
}

function decodedOf(
  result: unknown,
  number: bigint | undefined,
  method: string,
  network: RpcNetwork,
): MessageText[] | undefined {
  if (result === null) return [msg('Not found')]
  if (method.endsWith('_syncing')) return [result === false ? msg('Synced') : msg('Syncing')]
  if (method.endsWith('_chainId')) return number === BigInt(network.chainId) ? [chainName(number, network)] : undefined
  if (BLOCK_METHODS.test(method)) return blockOf(result)
  if (Array.isArray(result)) return [{ counted: 'entries', count: result.length }]
  if (number === undefined || typeof result === 'number') return resultBytes(result)
  if (method === 'eth_getBalance') return [`${inUnits(number, WEI_PER_COIN)} ${network.currency}`]
  if (/gasprice|priorityfee/i.test(method)) return [`${inUnits(number, WEI_PER_GWEI)} gwei`]
  return [grouped(number)]
}

function chainName(id: bigint, { family }: RpcNetwork): string {
  if (family === 'evm') return String(id)
  const hex = id.toString(16)
  return String.fromCharCode(...(hex.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16)))
}

function blockOf(result: unknown): MessageText[] | undefined {
  if (!isRecord(result)) return undefined
  const number = numberOf(result.number ?? result.block_number)
  const seconds = numberOf(result.timestamp)
  const parts: MessageText[] = []
  if (number !== undefined) parts.push(grouped(number))
  if (Array.isArray(result.transactions)) parts.push({ counted: 'transactions', count: result.transactions.length })
  if (seconds !== undefined && seconds > FIRST_BLOCK_SECONDS && seconds < Number.MAX_SAFE_INTEGER / 1000) {
    parts.push(new Date(Number(seconds) * 1000).toISOString().replace('.000Z', 'Z'))
  }
  return parts.length > 0 ? parts : undefined
}

function resultBytes(result: unknown): MessageText[] | undefined {
  if (typeof result !== 'string' || !/^0x(?:[0-9a-f]{2})*$/i.test(result)) return undefined
  const bytes = (result.length - 2) / 2
  return [bytes === 0 ? msg('Empty') : { counted: 'bytes', count: bytes }]
}

// The limit of common spreadsheets.
const MAX_CELL_CHARS = 32_000
const MONEY_DECIMALS = 9

const HEAD = 'network chain_id outcome result decoded error block_height latency_ms credits cost_usd'.split(' ')

export const csvOf = (rows: readonly MatrixRow[]): string =>
  [HEAD, ...rows.map(valuesOf)].map((values) => `${values.map(quoted).join()}\r\n`).join('')

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
    line && shown?.isFault ? cut(toEnglish(faultOf(line))) : undefined,
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

// A spreadsheet would run a text that begins like a formula. Source: OWASP, "CSV Injection".
function safe(value: Value): string {
  if (typeof value !== 'string') return value === undefined ? '' : String(value)
  const text = value.length > MAX_CELL_CHARS ? `${value.slice(0, MAX_CELL_CHARS)}…` : value
  return /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text
}
