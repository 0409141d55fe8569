import { readdir, readFile } from 'node:fs/promises'
import { SourceMap } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { withBed } from '@/bench/children'
import { LEGS, type LegName, measureLeg } from '@/bench/gateway-legs'
import { openBed, type TargetName } from '@/bench/gateway-targets'
import { measureRpcLeg, RPC_LEGS } from '@/bench/rpc-legs'
import { openRpcBed, type RpcTargetName } from '@/bench/rpc-targets'

const PROFILE_MS = 8_000
const SHOWN = 25
const CHAT_LEGS = (process.env.BENCH_LEGS ?? 'chat-32-one-event,burst').split(',') as LegName[]

type Frame = { functionName: string; url: string; lineNumber: number; columnNumber: number }
type Profile = {
  nodes: { id: number; callFrame: Frame }[]
  samples: number[]
  timeDeltas: number[]
}

type ProfiledBed = { targets: { name: string }[]; stop: () => Promise<void> }
type NodeArguments = Partial<Record<TargetName, string[]>>

/** Prints the functions that our server spends its time in, in chats: `BENCH_LEGS`, or those whose CPU has a target. */
export const profileGateway = (): Promise<boolean> =>
  profileLegs(LEGS, CHAT_LEGS, (folder, _, nodeArguments) => openBed(folder, nodeArguments), {
    warmUpMs: 15_000,
    async measure(bed, target, leg, durationMs) {
      await bed.mock.call('plan', leg.plan)
      const { cpuPerRequestUs, cpuPerEventUs } = await measureLeg(bed, target, leg, durationMs)
      return `${cpuPerRequestUs?.toFixed(0)} µs CPU a request, ${cpuPerEventUs?.toFixed(1) ?? '–'} an event`
    },
  })

/** Prints the functions that our server spends its time in while it forwards JSON-RPC calls. */
export const profileRpc = (): Promise<boolean> =>
  profileLegs(
    RPC_LEGS,
    ['rpc-c32'],
    (folder, { hasOwnKeys, load }, nodeArguments) =>
      openRpcBed(folder, {
        only: Object.keys(nodeArguments) as RpcTargetName[],
        accounts: hasOwnKeys ? load.connections : 1,
        nodeArguments,
      }),
    {
      warmUpMs: 12_000,
      async measure(bed, target, leg, durationMs) {
        const { cpuPerRequestUs, perSecond, faults } = await measureRpcLeg(bed, target, leg, durationMs)
        for (const fault of faults) console.error(`wrong answer: ${fault}`)
        return `${cpuPerRequestUs?.toFixed(0)} µs CPU a request, ${perSecond.toFixed(0)} requests/s`
      },
    },
  )

type Profiled<B extends ProfiledBed, L> = {
  warmUpMs: number
  measure: (bed: B, target: B['targets'][number], leg: L, durationMs: number) => Promise<string>
}

async function profileLegs<L extends { name: string }, B extends ProfiledBed>(
  legs: L[],
  usual: string[],
  open: (folder: string, leg: L, nodeArguments: NodeArguments) => Promise<B>,
  { warmUpMs, measure }: Profiled<B, L>,
): Promise<boolean> {
  const wanted = process.env.PROFILE_LEGS?.split(',') ?? usual
  const target = (process.env.PROFILE_TARGET as TargetName | undefined) ?? 'ours-postgres'
  for (const leg of legs.filter(({ name }) => wanted.includes(name))) {
    const nodeArguments = (folder: string) => ({ [target]: ['--cpu-prof', '--cpu-prof-dir', profilesIn(folder)] })
    await withBed(
      (folder) => open(folder, leg, nodeArguments(folder)),
      async (bed, folder) => {
        const profiled = bed.targets.find(({ name }) => name === target)!
        await measure(bed, profiled, leg, warmUpMs)
        const figures = await measure(bed, profiled, leg, PROFILE_MS)
        // The profile is written when the process ends.
        await bed.stop()
        console.log(`\n${leg.name}, ${target}: ${figures}`)
        console.log(await topOf(profilesIn(folder), PROFILE_MS))
      },
    )
  }
  return true
}

const profilesIn = (folder: string): string => path.join(folder, 'profiles')

async function topOf(folder: string, loadedMs: number): Promise<string> {
  const functions = new Map<string, number>()
  const parts = new Map<string, number>()
  let sum = 0
  const place = await createPlace()
  for (const file of await readdir(folder)) {
    const profile = JSON.parse(await readFile(path.join(folder, file), 'utf8')) as Profile
    const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]))
    const whole = profile.timeDeltas.reduce((total, delta) => total + delta, 0)
    let at = 0
    for (const [index, id] of profile.samples.entries()) {
      const delta = profile.timeDeltas[index]!
      at += delta
      const frame = frames.get(id)!
      if (whole - at > loadedMs * 1_000 || frame.functionName === '(idle)') continue
      sum += delta
      const origin = place(frame)
      add(functions, `${frame.functionName || '(anonymous)'}  ${origin}`, delta)
      add(parts, partOf(frame, origin), delta)
    }
  }
  return `${sharesOf(parts, sum)}\n\n${sharesOf(functions, sum)}`
}

const add = (totals: Map<string, number>, name: string, time: number) =>
  totals.set(name, (totals.get(name) ?? 0) + time)

function sharesOf(totals: Map<string, number>, sum: number): string {
  const sorted = [...totals].sort(([, a], [, b]) => b - a).slice(0, SHOWN)
  return sorted.map(([name, time]) => `${((time / sum) * 100).toFixed(1).padStart(5)} %  ${name}`).join('\n')
}

function partOf({ functionName, url }: Frame, place: string): string {
  if (url.startsWith('node:')) return 'Node'
  if (url.startsWith('wasm:')) return 'WebAssembly'
  if (place.includes('undici')) return 'undici'
  if (place.startsWith('node_modules/')) return 'other packages'
  if (url !== '') return 'our code'
  if (functionName.startsWith('write')) return 'socket writes'
  return functionName === '(garbage collector)' ? 'garbage collector' : 'other native code'
}

async function createPlace(): Promise<(frame: Frame) => string> {
  const bundle = path.join(process.cwd(), 'dist', 'server.mjs')
  const map = new SourceMap(JSON.parse(await readFile(`${bundle}.map`, 'utf8')))
  return ({ url, lineNumber, columnNumber }) => {
    if (!url.startsWith('file:')) return url
    const file = fileURLToPath(url)
    if (file !== bundle) return `${path.relative(process.cwd(), file)}:${lineNumber + 1}`
    const entry = map.findEntry(lineNumber, columnNumber)
    if (!('originalSource' in entry)) return 'dist/server.mjs'
    return `${entry.originalSource.replace(/^(\.\.\/)+/, '')}:${entry.originalLine + 1}`
  }
}
