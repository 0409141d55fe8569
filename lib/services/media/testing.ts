import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { deserialize, serialize } from 'node:v8'
import type { Job } from '@/lib/services/media/testing-ffmpeg'

const MAX_BYTES = 200_000_000

/**
 * Makes files with ffmpeg, one for each list of arguments (which ends with the file's name), and keeps them between
 * runs.
 */
export function makeWithFfmpeg(...jobs: (string[] | Job)[]): Uint8Array[] {
  const folder = path.resolve('.cache', 'media')
  const wanted = jobs.map((given) => {
    const job: Job = Array.isArray(given) ? { args: given } : given
    return { job, file: path.join(folder, createHash('sha256').update(serialize(job)).digest('hex')) }
  })
  const missing = wanted.filter(({ file }) => !existsSync(file))
  if (missing.length > 0) {
    mkdirSync(folder, { recursive: true })
    const input = serialize(missing.map(({ job }) => job))
    const entry = path.resolve('lib', 'services', 'media', 'testing-ffmpeg.ts')
    const reply = execFileSync(process.execPath, [entry], { input, maxBuffer: MAX_BYTES, timeout: 60_000 })
    for (const [index, bytes] of (deserialize(reply) as Uint8Array[]).entries()) {
      const { file = '' } = missing[index] ?? {}
      // Other tests may make the same one at the same time.
      writeFileSync(`${file}.${process.pid}`, bytes)
      renameSync(`${file}.${process.pid}`, file)
    }
  }
  return wanted.map(({ file }) => new Uint8Array(readFileSync(file)))
}

export const tone = (seconds: number, rate = 44_100): string[] => [
  ...['-f', 'lavfi', '-i', `sine=frequency=440:sample_rate=${rate}:duration=${seconds}`],
]

export const testImage = (size: string, seconds: number, rate = 24): string[] => [
  ...['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=${rate}:duration=${seconds}`],
]

export function pitchOf({ samples, seconds }: { samples: Float32Array; seconds: number }): number {
  let rises = 0
  for (let index = 1; index < samples.length; index++) {
    if ((samples[index - 1] ?? 0) < 0 && (samples[index] ?? 0) >= 0) rises++
  }
  return rises / seconds
}

export function loudnessOf(samples: Float32Array): number {
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length)
}

export async function failureOf(promise: Promise<unknown>): Promise<{ reason?: string; message: string }> {
  return await promise.then(
    () => ({ message: 'nothing failed' }),
    (error) => error,
  )
}

export async function longestWork(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let last = process.threadCpuUsage()
  const tick = () => {
    const used = process.threadCpuUsage(last)
    last = process.threadCpuUsage()
    longest = Math.max(longest, (used.user + used.system) / 1000)
  }
  const timer = setInterval(tick, 5)
  try {
    await work()
    tick()
    return longest
  } finally {
    clearInterval(timer)
  }
}

export function mutated(file: Uint8Array, seed: number): Uint8Array {
  const bytes = Uint8Array.from(file)
  let state = seed * 2_654_435_761 + 1
  const next = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  // The first bytes say what it is; behind them the decoder is reached.
  for (let count = 0; count < 24; count++) bytes[16 + next(Math.min(bytes.length - 16, 4_096))] = next(256)
  return bytes
}
