import { type Row, verdict } from '@/bench/gateway-report'
import { RPC_LEGS, type RpcLegName, type RpcMeasured } from '@/bench/rpc-legs'
import type { RpcTargetName } from '@/bench/rpc-targets'
import { aligned, shown } from '@/bench/table'

export type RpcResults = Record<RpcLegName, Partial<Record<RpcTargetName, RpcMeasured>>>

export type RpcRow = { what: string; digits?: number; target?: Row['target'] } & Partial<Record<RpcTargetName, number>>

const COLUMNS: RpcTargetName[] = ['direct', 'nginx', 'haproxy', 'pass-through', 'ours', 'ours-postgres']
const OURS: RpcTargetName[] = ['ours', 'ours-postgres']
const LEAST_OF_DIRECT = 0.5
const MOST_CPU_US = 100

/** A row of what was measured for each leg and figure, beside what direct requests have. */
export function rpcRowsOf(results: RpcResults): RpcRow[] {
  return RPC_LEGS.flatMap(({ name, what }) => {
    const isGoal = name === 'rpc-c32'
    const row = (figure: string, of: (measured: RpcMeasured) => number | undefined, digits: number): RpcRow => ({
      what: `${what}: ${figure}`,
      digits,
      ...Object.fromEntries(
        COLUMNS.flatMap((target) => {
          const measured = results[name][target]
          const value = measured && of(measured)
          return value === undefined ? [] : [[target, value]]
        }),
      ),
    })
    const direct = results[name].direct?.perSecond
    return [
      row('requests/s', ({ perSecond }) => perSecond, 0),
      {
        ...row('  of direct', ({ perSecond }) => direct && perSecond / direct, 2),
        target: isGoal ? { least: LEAST_OF_DIRECT } : undefined,
      },
      row('p50 ms', ({ p50Ms }) => p50Ms, 2),
      row('p99 ms', ({ p99Ms }) => p99Ms, 2),
      {
        ...row('CPU µs a request', ({ cpuPerRequestUs }) => cpuPerRequestUs, 0),
        target: isGoal ? { most: MOST_CPU_US } : undefined,
      },
    ]
  })
}

/** A plain-text table. */
export function rpcTableOf(rows: RpcRow[]): string {
  const lines = rows.map((row) => [
    row.what,
    ...COLUMNS.map((target) => shown(row[target], row.digits)),
    row.target === undefined ? '' : 'most' in row.target ? `≤ ${row.target.most}` : `≥ ${row.target.least}`,
    ...OURS.map((target) => verdict(row[target], row.target)),
  ])
  return aligned([['', ...COLUMNS, 'goal', 'ours', 'on pg'], ...lines])
}
