import { withBed } from '@/bench/children'
import { addToReport, aligned, medians, shown } from '@/bench/figures'
import { goal, type Row, verdict } from '@/bench/gateway-report'
import { ACCOUNTS, measureRpcLeg, RPC_LEGS, type RpcLeg, type RpcLegName, type RpcMeasured } from '@/bench/rpc-legs'
import { openRpcBed, type RpcBed, type RpcTargetName } from '@/bench/rpc-targets'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
const LEG_MS = Number(process.env.BENCH_LEG_MS ?? 1_500)
const WARM_UP_MS = 1_000
// Before anything is: a server that runs for weeks is not judged while its code is still being compiled.
const FIRST_WARM_UP_MS = Number(process.env.BENCH_WARM_UP_MS ?? 12_000)
const WARMING = RPC_LEGS.find(({ name }) => name === 'rpc-c32')!

/**
 * Measures the JSON-RPC proxy with key, balance, limits and accounting on against the node directly, nginx, haproxy and a
 * plain `node:http` pass-through, in turn within every round, so that what else the machine does falls on all alike.
 *
 * @returns false when an answer was wrong; slow is not wrong.
 */
export async function benchRpc(): Promise<boolean> {
  progress('nothing yet, making accounts')
  return withBed(
    (folder) => openRpcBed(folder, { accounts: ACCOUNTS }),
    async (bed) => {
      const faults: string[] = []
      const results = await measure(bed, faults)
      const rows = rpcRowsOf(results)
      console.log(rpcTableOf(rows))
      for (const fault of faults) console.error(`wrong answer: ${fault}`)
      const at = new Date().toISOString()
      await addToReport({ rpc: { at, node: process.version, rounds: ROUNDS, legMs: LEG_MS, rows, results, faults } })
      return faults.length === 0
    },
  )
}

async function measure(bed: RpcBed, faults: string[]): Promise<RpcResults> {
  progress('nothing yet, warming up')
  for (const target of bed.targets) {
    if (target.name !== 'direct') await measureRpcLeg(bed, target, WARMING, FIRST_WARM_UP_MS)
  }
  const results = {} as RpcResults
  for (const leg of RPC_LEGS) {
    progress(leg.name)
    results[leg.name] = await measureLeg(bed, leg, faults)
  }
  return results
}

async function measureLeg(bed: RpcBed, leg: RpcLeg, faults: string[]): Promise<RpcResults[RpcLeg['name']]> {
  const rounds = new Map<RpcTargetName, RpcMeasured[]>(bed.targets.map(({ name }) => [name, []]))
  for (const target of bed.targets) await measureRpcLeg(bed, target, leg, WARM_UP_MS)
  for (let round = 0; round < ROUNDS; round++) {
    for (const target of bed.targets) {
      const measured = await measureRpcLeg(bed, target, leg, LEG_MS)
      rounds.get(target.name)!.push(measured)
      faults.push(...measured.faults.map((fault) => `${leg.name}, ${target.name}: ${fault}`))
    }
  }
  return Object.fromEntries([...rounds].map(([name, measured]) => [name, medians(measured)]))
}

const progress = (what: string) => console.error(`measuring: ${what}`)

type RpcResults = Record<RpcLegName, Partial<Record<RpcTargetName, RpcMeasured>>>

type RpcRow = { what: string; digits?: number; target?: Row['target'] } & Partial<Record<RpcTargetName, number>>

const COLUMNS: RpcTargetName[] = ['direct', 'nginx', 'haproxy', 'pass-through', 'ours', 'ours-postgres']
const OURS: RpcTargetName[] = ['ours', 'ours-postgres']
const LEAST_OF_DIRECT = 0.5
const MOST_CPU_US = 100

function rpcRowsOf(results: RpcResults): RpcRow[] {
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

function rpcTableOf(rows: RpcRow[]): string {
  const lines = rows.map((row) => [
    row.what,
    ...COLUMNS.map((target) => shown(row[target], row.digits)),
    goal(row.target),
    ...OURS.map((target) => verdict(row[target], row.target)),
  ])
  return aligned([['', ...COLUMNS, 'goal', 'ours', 'on pg'], ...lines])
}
