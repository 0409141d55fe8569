import 'server-only'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { hex } from '@/lib/contract/ids'
import { log } from '@/lib/kernel/log'

/**
 * A token reads all weights that work on it, so a CPU writes as many tokens a second as it can read them. Measured with
 * llama.cpp on server cores; desktops reach about twice as much.
 */
const BYTES_PER_SECOND_PER_THREAD = 6_000_000_000
const SLOW_INSTRUCTIONS = 0.4
const MAX_TOKENS_PER_SECOND = 150
/** Measurements of other models correct an estimate at most by this factor. */
const MAX_CORRECTION = 8
/** Shorter answers say little of the speed. */
const MIN_MEASURED_TOKENS = 24
/** Weight of a new measurement beside those before. */
const NEW_SHARE = 0.3
const MAX_MEASURED_MODELS = 200

const Speeds = z.record(
  z.string(),
  z.object({ tokensPerSecond: z.number().positive(), weightBytes: z.number().positive() }),
)
export type Speeds = z.output<typeof Speeds>

export type Cpu = { threads: number; isFast: boolean }

export function estimateTokensPerSecond(activeBytes: number, { threads, isFast }: Cpu, speeds: Speeds): number {
  const plain = plainEstimate(activeBytes, { threads, isFast })
  const ratios = Object.values(speeds).map(({ tokensPerSecond, weightBytes }) =>
    Math.log(tokensPerSecond / plainEstimate(weightBytes, { threads, isFast })),
  )
  if (ratios.length === 0) return rounded(plain)
  const correction = Math.exp(ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length)
  return rounded(plain * Math.min(MAX_CORRECTION, Math.max(1 / MAX_CORRECTION, correction)))
}

function plainEstimate(activeBytes: number, { threads, isFast }: Cpu): number {
  const bytesPerSecond = threads * BYTES_PER_SECOND_PER_THREAD * (isFast ? 1 : SLOW_INSTRUCTIONS)
  return Math.min(MAX_TOKENS_PER_SECOND, bytesPerSecond / Math.max(1, activeBytes))
}

const rounded = (speed: number): number => (speed < 10 ? Math.max(0.1, Math.round(speed * 10) / 10) : Math.round(speed))

const speedsFile = (dataDir: string): string => path.join(dataDir, 'models', 'speeds.json')

/** Reads what answers of installed models have measured on this machine: model id → speed. */
export async function readSpeeds(dataDir: string): Promise<Speeds> {
  try {
    return Speeds.parse(JSON.parse(await readFile(speedsFile(dataDir), 'utf8')))
  } catch {
    return {}
  }
}

export type Measurement = { model: string; weightBytes: number; tokens: number; milliseconds: number }

/** Records the speed of an answer that had the machine to itself. Never fails. */
export async function recordSpeed(dataDir: string, measurement: Measurement): Promise<void> {
  const { model, weightBytes, tokens, milliseconds } = measurement
  if (tokens < MIN_MEASURED_TOKENS || milliseconds <= 0) return
  try {
    const speeds = await readSpeeds(dataDir)
    const now = (tokens * 1_000) / milliseconds
    const before = speeds[model]
    const isSame = before !== undefined && before.weightBytes === weightBytes
    const tokensPerSecond = isSame ? before.tokensPerSecond * (1 - NEW_SHARE) + now * NEW_SHARE : now
    const kept = Object.entries(speeds)
      .filter(([name]) => name !== model)
      .slice(-MAX_MEASURED_MODELS)
    const file = speedsFile(dataDir)
    await mkdir(path.dirname(file), { recursive: true })
    const temporary = `${file}.${hex(4)}`
    await writeFile(
      temporary,
      JSON.stringify({ ...Object.fromEntries(kept), [model]: { tokensPerSecond, weightBytes } }),
    )
    await rename(temporary, file)
  } catch (error) {
    log().debug({ err: error, model }, 'the speed of an answer could not be recorded')
  }
}
