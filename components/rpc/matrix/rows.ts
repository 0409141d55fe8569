import { type Shown, shownOf } from '@/components/rpc/matrix/values'
import type { MatrixLine } from '@/lib/contract/rpc.schema'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import type { RpcSlug } from '@/lib/contract/rpc-slugs'

/** One network of a run. `lost`: the stream ended before it answered; `cancelled`: nobody waits for it any more. */
export type MatrixRow = {
  network: RpcNetwork
  state: 'waiting' | 'answered' | 'lost' | 'cancelled'
  line?: MatrixLine
  shown?: Shown
}

export const COLUMNS = ['network', 'result', 'height', 'latency', 'credits'] as const
export type Column = (typeof COLUMNS)[number]

export type Sorting = { column: Column; isDescending: boolean }

/** A row for every network that is asked. */
export const waitingRows = (networks: readonly RpcNetwork[]): MatrixRow[] =>
  networks.map((network) => ({ network, state: 'waiting' }))

/** The rows with one more answer; each stays where it is. */
export function withLine(rows: readonly MatrixRow[], line: MatrixLine, method: string): MatrixRow[] {
  return rows.map((row) =>
    row.network.slug === line.network
      ? { network: row.network, state: 'answered', line, shown: shownOf(line, method, row.network) }
      : row,
  )
}

/** What did not answer, once nothing more will come. */
export const ended = (rows: readonly MatrixRow[], state: 'lost' | 'cancelled'): MatrixRow[] =>
  rows.map((row) => (row.state === 'waiting' ? { network: row.network, state } : row))

/** Sorted by what a column shows; rows without a value there stand last either way, equals as they were. */
export function sortedRows(rows: readonly MatrixRow[], { column, isDescending }: Sorting): MatrixRow[] {
  const turn = isDescending ? -1 : 1
  return rows.toSorted((one, other) => {
    const [left, right] = [keyOf(one, column), keyOf(other, column)]
    if (left === undefined || right === undefined) return Number(left === undefined) - Number(right === undefined)
    return turn * compare(left, right)
  })
}

type Key = bigint | number | string

function keyOf({ network, line, shown }: MatrixRow, column: Column): Key | undefined {
  if (column === 'network') return `${network.group} ${network.name}`
  if (!line || !shown) return undefined
  if (column === 'result') return shown.isFault ? undefined : (shown.number ?? shown.text)
  if (column === 'height') return line.height ?? undefined
  return column === 'latency' ? line.ms : line.credits
}

/** Numbers before words, where a column has both. */
function compare(left: Key, right: Key): number {
  if (typeof left === 'string' && typeof right === 'string') return left.localeCompare(right)
  if (typeof left === 'string' || typeof right === 'string') return typeof left === 'string' ? 1 : -1
  return left < right ? -1 : left > right ? 1 : 0
}

export type Totals = {
  asked: number
  answered: number
  results: number
  faults: number
  credits: number
  costUsd: number
}

/** What a run came to so far. */
export function totalsOf(rows: readonly MatrixRow[]): Totals {
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

/** The quickest that had a result. */
export function fastestOf(rows: readonly MatrixRow[]): RpcSlug | undefined {
  const results = rows.flatMap(({ line }) => (line?.outcome === 'result' ? line : []))
  return results.toSorted((one, other) => one.ms - other.ms)[0]?.network
}
