import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { brotliDecompressSync } from 'node:zlib'
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

/** Resamples from 24 kHz: each sample is the mean of one and a half, which is good enough for speech. */
export function to16kHz(samples: Float32Array): Float32Array {
  const out = new Float32Array(Math.floor(samples.length / 3) * 2)
  for (let index = 0; index < out.length; index += 2) {
    const [one = 0, two = 0, three = 0] = samples.subarray(index * 1.5, index * 1.5 + 3)
    out[index] = (2 * one + two) / 3
    out[index + 1] = (two + 2 * three) / 3
  }
  return out
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

/**
 * A HEIC picture of 128 x 96 pixels, two thirds red above blue, compressed: no encoder of HEVC is at hand. Its blocks hold
 * bare samples ("PCM" in ITU-T H.265).
 */
const HEIC = brotliDecompressSync(
  Buffer.from(
    'G2ZJAIzTJTY2HUfwfL9fO3cR9/hDQ6wyfU0ertKoUSzhQbXgeXdxVkskbSuViIKkWiAJBYFgGB3huf7tgR0oHsI25yEIgnQkf1dHQLSjsa3WZVdW' +
      'gCrl0LpL5r+NwkQpLltlPalaZW0kBy5sY5USl6gqa6wbFIIg6UkxlKaEaUpVO6AScTHsupyuZqtW67mqra8FJstYa553upqtBSImYBYAPX5+Pz4g' +
      'yG0XISpX/OX/X0zgxiy4eUsvfQ8hPl9keXlwsrmnTWvpDN5H8CyU97redCBcNdTaOXQv2oTno+prGgkiVW2Vmf+5BXHr0w1AaU6VzdwIpQmZcjPc' +
      'W0ZykRzsNvEKsNscdlvGbhvYbRe7HWG3c1/u696ckBySq8Zu98Fuz9jtTfvrBQ==',
    'base64',
  ),
)
const HEIC_WIDTH_AT = 279
const HEIC_HEIGHT_AT = 283
const HEIC_TURNS_AT = 295

/** Makes a HEIC file. The sizes told and those of the picture differ in a lying file only. */
export function makeHeic({ turns = 0, width = 128, height = 96 } = {}): Uint8Array {
  const file = Buffer.from(HEIC)
  file.writeUInt32BE(width, HEIC_WIDTH_AT)
  file.writeUInt32BE(height, HEIC_HEIGHT_AT)
  file.writeUInt8(turns, HEIC_TURNS_AT)
  return file
}
