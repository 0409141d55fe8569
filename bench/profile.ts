import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { SourceMap } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { LEGS, type LegName, measureLeg } from '@/bench/gateway-legs'
import { openBed, type TargetName } from '@/bench/gateway-targets'

const PROFILED: LegName[] = ['chat-32-one-event', 'burst']
const WARM_UP_MS = 15_000
const PROFILE_MS = 8_000
const SHOWN = 25

type Frame = { functionName: string; url: string; lineNumber: number; columnNumber: number }
type Profile = {
  nodes: { id: number; callFrame: Frame }[]
  samples: number[]
  timeDeltas: number[]
  /** Microseconds, as the samples' times. */
  startTime: number
}

/** Says which functions our server spends its time in, in the legs whose CPU is held against targets. */
export async function profileGateway(): Promise<boolean> {
  const wanted = (process.env.PROFILE_LEGS?.split(',') as LegName[] | undefined) ?? PROFILED
  const target = (process.env.PROFILE_TARGET as TargetName | undefined) ?? 'ours-postgres'
  for (const leg of LEGS.filter(({ name }) => wanted.includes(name))) {
    const folder = await mkdtemp(path.join(tmpdir(), 'lagoon-profile-'))
    try {
      const profiles = path.join(folder, 'profiles')
      const bed = await openBed(folder, { [target]: ['--cpu-prof', '--cpu-prof-dir', profiles] })
      const profiled = bed.targets.find(({ name }) => name === target)!
      await bed.mock.call('plan', leg.plan)
      await measureLeg(bed, profiled, leg, WARM_UP_MS)
      const { cpuPerRequestUs, cpuPerEventUs } = await measureLeg(bed, profiled, leg, PROFILE_MS)
      await bed.stop()
      console.log(
        `\n${leg.name}, ${target}: ${cpuPerRequestUs?.toFixed(0)} µs CPU a request, ${cpuPerEventUs?.toFixed(1) ?? '–'} an event`,
      )
      console.log(await topOf(profiles, PROFILE_MS))
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
  return true
}

/** Self time by function over the last part of the run, the loaded one. */
export async function topOf(folder: string, loadedMs: number): Promise<string> {
  const totals = new Map<string, number>()
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
      const name = `${frame.functionName || '(anonymous)'}  ${place(frame)}`
      totals.set(name, (totals.get(name) ?? 0) + delta)
    }
  }
  const sorted = [...totals].sort(([, a], [, b]) => b - a).slice(0, SHOWN)
  return sorted.map(([name, time]) => `${((time / sum) * 100).toFixed(1).padStart(5)} %  ${name}`).join('\n')
}

/** Where a function stands in our sources, or in which package. */
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
