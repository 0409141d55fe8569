import path from 'node:path'
import {
  type Child,
  cpuMs,
  type Keep,
  loopback,
  mainThreadCpuMs,
  openAll,
  residentBytes,
  startChild,
  withBed,
} from '@/bench/children'
import { aligned, median, shown } from '@/bench/figures'
import { LEGS, type Leg, measureLeg } from '@/bench/gateway-legs'
import type { ClientCalls } from '@/bench/load-client'
import type { MockNodeCalls } from '@/bench/mock-node'
import { createKey, startProduct } from '@/bench/product'
import { measureRpcLeg, RPC_LEGS, type RpcLeg } from '@/bench/rpc-legs'
import type { MockCalls } from '@/bench/settings'
import { writeSettings } from '@/bench/settings'
import { startPostgres } from '@/scripts/postgres'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 12)
const LEG_MS = Number(process.env.BENCH_LEG_MS ?? 1_500)
const FIRST_WARM_UP_MS = Number(process.env.BENCH_WARM_UP_MS ?? 30_000)
const WARM_UP_MS = 3_000
const USUAL_LEGS = ['rpc-c32', 'chat-32-one-event', 'paced', 'burst']
const CREDIT_USD = '100000'
const MIB = 1024 * 1024

type Build = { name: string; origin: string; pid: number; key: string }
type Bed = { client: Child<ClientCalls>; upstream: Child<MockCalls>; builds: Build[] }
/** CPU of one request; of a stream, of one event. `loopUs`: what of it the thread of the event loop took. */
type Measured = { cpuUs: number; loopUs: number; perSecond: number; p50Ms: number; faults: string[] }
type Round = Measured[]

/**
 * Measures builds of the product beside each other, in turn within every round, so that what else the machine does falls
 * on all alike. `BENCH_BUILDS`: their folders, divided by commas, each optionally with `@` and the Node that runs it, and
 * arguments for Node behind that; the first is what the others are held against. `BENCH_ON=embedded`: with the database
 * inside the process. `BENCH_LEGS`: legs of the benches `rpc` and `gateway`, by name.
 *
 * @returns false when an answer was wrong.
 */
export async function benchCompare(): Promise<boolean> {
  return withBed(
    (folder) => openAll((keep) => openBed(folder, keep)),
    async (bed) => {
      const legs = process.env.BENCH_LEGS?.split(',') ?? USUAL_LEGS
      await Promise.all(bed.builds.map((build) => measure(bed, build, 'rpc-c32', FIRST_WARM_UP_MS)))
      const faults: string[] = []
      for (const leg of legs) {
        const rounds = await measureRounds(bed, leg)
        faults.push(...rounds.flat().flatMap(({ faults }) => faults))
        console.log(`${tableOf(leg, bed.builds, rounds)}\n`)
      }
      for (const { name, pid } of bed.builds)
        console.log(`${name}: ${Math.round(residentBytes(pid) / MIB)} MiB resident`)
      for (const fault of faults.slice(0, 5)) console.error(`wrong answer: ${fault}`)
      return faults.length === 0
    },
  )
}

async function openBed(folder: string, keep: Keep): Promise<Bed> {
  const node = keep(await startChild<MockNodeCalls>('mock-node'))
  const upstream = keep(await startChild<MockCalls>('mock-upstream'))
  const client = keep(await startChild<ClientCalls>('load-client'))
  const [nodePort, upstreamPort] = [await node.call('listen'), await upstream.call('listen')]
  const builds: Build[] = []
  for (const [index, name] of (process.env.BENCH_BUILDS ?? '.').split(',').entries()) {
    const [build = '.', ...nodeArguments] = name.trim().split(/\s+/)
    const [root = '.', node] = build.split('@')
    const own = path.join(folder, String(index))
    const environment = {
      ...(await writeSettings(own, upstreamPort)),
      SANDBOX: 'off',
      RPC_URLS_BASE_MAINNET: loopback(nodePort),
      DATA_DIR: path.join(own, 'data'),
      ...(process.env.BENCH_ON !== 'embedded' && { DATABASE_URL: keep(await startPostgres()).url }),
    }
    const logFile = path.join(own, 'log')
    const product = keep(await startProduct({ logFile, environment, nodeArguments, node, root: path.resolve(root) }))
    const key = await createKey(product, CREDIT_USD)
    builds.push({ name, origin: loopback(product.port), pid: product.pid, key })
  }
  return { client, upstream, builds }
}

async function measureRounds(bed: Bed, leg: string): Promise<Round[]> {
  for (const build of bed.builds) await measure(bed, build, leg, WARM_UP_MS)
  const rounds: Round[] = []
  for (let number = 0; number < ROUNDS; number++) {
    const round: Round = []
    for (let turn = 0; turn < bed.builds.length; turn++) {
      // Each begins a round as often as the others.
      const at = (turn + number) % bed.builds.length
      round[at] = await measure(bed, bed.builds[at]!, leg, LEG_MS)
    }
    rounds.push(round)
  }
  return rounds
}

async function measure(bed: Bed, build: Build, name: string, durationMs: number): Promise<Measured> {
  const { origin, pid, key } = build
  const leg = LEGS.find((one) => one.name === name) ?? RPC_LEGS.find((one) => one.name === name)
  if (!leg) throw new Error(`There is no leg ${name}`)
  if ('plan' in leg) await bed.upstream.call('plan', leg.plan)
  const before = { all: cpuMs(pid), loop: mainThreadCpuMs(pid) }
  const { perSecond, p50Ms, faults, ...cpu } = await send(bed, leg, origin, pid, key, durationMs)
  const loopPart = (mainThreadCpuMs(pid) - before.loop) / (cpuMs(pid) - before.all)
  return { ...cpu, loopUs: cpu.cpuUs * loopPart, perSecond, p50Ms, faults }
}

async function send(bed: Bed, leg: Leg | RpcLeg, origin: string, pid: number, key: string, durationMs: number) {
  if ('plan' in leg) {
    const target = { name: 'ours' as const, origin, path: '/api/v1/chat/completions', key, pid }
    const { cpuPerEventUs, cpuPerRequestUs, ...rest } = await measureLeg(bed, target, leg, durationMs)
    return { ...rest, cpuUs: cpuPerEventUs ?? cpuPerRequestUs ?? Number.NaN }
  }
  const target = { name: 'ours' as const, origin, path: '/api/v1/crypto/rpc/base-mainnet', keys: [key], pid }
  const { cpuPerRequestUs, ...rest } = await measureRpcLeg(bed, target, leg, durationMs)
  return { ...rest, cpuUs: cpuPerRequestUs ?? Number.NaN }
}

/** Medians, and beside each the median of what it is of the first build's in the same round. */
function tableOf(leg: string, builds: Build[], rounds: Round[]): string {
  const figure = (index: number, of: (measured: Measured) => number, digits: number) => [
    shown(median(rounds.map((round) => of(round[index]!))), digits),
    shown(median(rounds.map((round) => of(round[index]!) / of(round[0]!))), 3),
  ]
  const lines = builds.map(({ name }, index) => [
    name,
    ...figure(index, ({ cpuUs }) => cpuUs, 1),
    ...figure(index, ({ loopUs }) => loopUs, 1),
    ...figure(index, ({ perSecond }) => perSecond, 0),
    ...figure(index, ({ p50Ms }) => p50Ms, 2),
  ])
  return aligned([[leg, 'CPU µs', '', 'event loop', '', 'a second', '', 'p50 ms', ''], ...lines])
}
