import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { median } from '@/bench/numbers'
import { addToReport } from '@/bench/report-file'
import { ACCOUNTS, measureRpcLeg, RPC_LEGS, type RpcLeg, type RpcMeasured } from '@/bench/rpc-legs'
import { type RpcResults, rpcRowsOf, rpcTableOf } from '@/bench/rpc-report'
import { openRpcBed, type RpcBed, type RpcTargetName } from '@/bench/rpc-targets'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
const LEG_MS = Number(process.env.BENCH_LEG_MS ?? 1_500)
/** Before a leg is measured. */
const WARM_UP_MS = 1_000
/** Before anything is: a server that runs for weeks is not judged while its code is still being compiled. */
const FIRST_WARM_UP_MS = Number(process.env.BENCH_WARM_UP_MS ?? 12_000)
const WARMING = RPC_LEGS.find(({ name }) => name === 'rpc-c32')!

/**
 * Measures the JSON-RPC proxy with key, balance, limits and accounting on against the node directly, nginx, haproxy and a
 * plain `node:http` pass-through, in turn within every round, so that what else the machine does falls on all alike.
 *
 * @returns false when an answer was wrong; slow is not wrong.
 */
export async function benchRpc(): Promise<boolean> {
  const folder = await mkdtemp(path.join(tmpdir(), 'lagoon-bench-rpc-'))
  progress('nothing yet, making accounts')
  const bed = await openRpcBed(folder, { accounts: ACCOUNTS })
  try {
    const faults: string[] = []
    const results = await measure(bed, faults)
    const rows = rpcRowsOf(results)
    console.log(rpcTableOf(rows))
    for (const fault of faults) console.error(`wrong answer: ${fault}`)
    const at = new Date().toISOString()
    await addToReport({ rpc: { at, node: process.version, rounds: ROUNDS, legMs: LEG_MS, rows, results, faults } })
    return faults.length === 0
  } finally {
    await bed.stop()
    await rm(folder, { recursive: true, force: true })
  }
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

function medians(rounds: RpcMeasured[]): RpcMeasured {
  const cpu = rounds.flatMap(({ cpuPerRequestUs }) => (cpuPerRequestUs === undefined ? [] : [cpuPerRequestUs]))
  return {
    p50Ms: median(rounds.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(rounds.map(({ p99Ms }) => p99Ms)),
    perSecond: median(rounds.map(({ perSecond }) => perSecond)),
    cpuPerRequestUs: cpu.length === 0 ? undefined : median(cpu),
    faults: rounds.flatMap(({ faults }) => faults),
  }
}

const progress = (what: string) => console.error(`measuring: ${what}`)
