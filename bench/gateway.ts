import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { residentBytes, startChild, withBed } from '@/bench/children'
import { addToReport, medians } from '@/bench/figures'
import { LEGS, type LegName, type Measured, measureLeg } from '@/bench/gateway-legs'
import { rowsOf, tableOf } from '@/bench/gateway-report'
import { type Bed, openBed, type Target, type TargetName } from '@/bench/gateway-targets'
import type { PGliteCalls } from '@/bench/open-pglite'
import { MODEL } from '@/bench/settings'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
const LEG_MS = Number(process.env.BENCH_LEG_MS ?? 1_500)
const WARM_UP_MS = 1_000
// Before anything is: a server that runs for weeks is not judged while its code is still being compiled.
const FIRST_WARM_UP_MS = Number(process.env.BENCH_WARM_UP_MS ?? 12_000)
const WARMING: LegName[] = ['chat-32-one-event', 'burst']
const LEAVERS = 10
const LEFT_WITHIN_MS = 1_000

export type Results = {
  legs: Record<LegName, Partial<Record<TargetName, Measured>>>
  memory: Memory
  /** Of `LEAVERS` streams, how many the upstream saw end in time. */
  left: Partial<Record<TargetName, number>>
  faults: string[]
}

/**
 * Measures our server with everything on against the upstream directly and a plain `node:http` pass-through, in turn
 * within every round, so that what else the machine does falls on all alike.
 *
 * @returns false when an answer was wrong; slow is not wrong.
 */
export async function benchGateway(): Promise<boolean> {
  return withBed(openBed, async (bed, folder) => {
    const results = await measure(bed, folder)
    const rows = rowsOf(results)
    console.log(tableOf(rows))
    for (const fault of results.faults) console.error(`wrong answer: ${fault}`)
    await addToReport({
      at: new Date().toISOString(),
      node: process.version,
      rounds: ROUNDS,
      legMs: LEG_MS,
      rows,
      results,
    })
    return results.faults.length === 0
  })
}

async function measure(bed: Bed, folder: string): Promise<Results> {
  const faults: string[] = []
  const idle = residentOf(bed)
  const pglite = await measurePGlite(folder)
  progress('nothing yet, warming up')
  for (const leg of LEGS.filter(({ name }) => WARMING.includes(name))) {
    await bed.mock.call('plan', leg.plan)
    for (const target of bed.targets) await measureLeg(bed, target, leg, FIRST_WARM_UP_MS)
  }
  const legs = {} as Results['legs']
  for (const leg of LEGS) {
    progress(leg.name)
    legs[leg.name] = {}
    await bed.mock.call('plan', leg.plan)
    for (const target of bed.targets) await measureLeg(bed, target, leg, WARM_UP_MS)
    const rounds = new Map<TargetName, Measured[]>()
    for (let round = 0; round < ROUNDS; round++) {
      for (const target of bed.targets) {
        const measured = await measureLeg(bed, target, leg, LEG_MS)
        rounds.set(target.name, [...(rounds.get(target.name) ?? []), measured])
        faults.push(...measured.faults.map((fault) => `${leg.name}, ${target.name}: ${fault}`))
      }
    }
    for (const [name, measured] of rounds) legs[leg.name][name] = medians(measured)
  }
  const loaded = residentOf(bed)
  progress('streams left')
  const left: Results['left'] = {}
  for (const target of bed.targets) left[target.name] = await measureLeft(bed, target)
  return { legs, left, memory: { idle, loaded, pglite }, faults }
}

const progress = (what: string) => console.error(`measuring: ${what}`)

async function measureLeft({ mock, client }: Bed, target: Target): Promise<number> {
  await mock.call('plan', { tokens: 200, paceMs: 50, firstTokenMs: 0, tokensPerEvent: 1, hasOwnWrites: true })
  const before = await mock.call('stats')
  const { origin, path, key, headers } = target
  const expect = { text: '', tokens: 0, events: 0 }
  const load = {
    origin,
    path,
    keys: [key],
    headers,
    model: MODEL,
    connections: LEAVERS,
    durationMs: 0,
    isStreaming: true,
    promptBytes: 100,
    expect,
  }
  await client.call('leave', load)
  await sleep(LEFT_WITHIN_MS)
  const after = await mock.call('stats')
  return after.left - before.left
}

type PerTarget = Partial<Record<TargetName, number>>

/** Resident memory, in bytes. */
type Memory = {
  idle: PerTarget
  loaded: PerTarget
  /** What opening and migrating the embedded database adds to a process that does nothing else. */
  pglite: number
}

async function measurePGlite(folder: string): Promise<number> {
  const child = await startChild<PGliteCalls>('open-pglite')
  try {
    await child.call('ping')
    const before = residentBytes(child.pid)
    await child.call('open', path.join(folder, 'pglite-alone'))
    return residentBytes(child.pid) - before
  } finally {
    await child.stop()
  }
}

function residentOf({ targets }: Bed): PerTarget {
  return Object.fromEntries(targets.flatMap(({ name, pid }) => (pid === undefined ? [] : [[name, residentBytes(pid)]])))
}
