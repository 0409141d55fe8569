import 'server-only'
import { readFileSync } from 'node:fs'
import { mkdir, statfs } from 'node:fs/promises'
import { availableParallelism, cpus } from 'node:os'
import { config } from '@/lib/kernel/config'
import { textRuntime } from '@/lib/services/engines/embedded/chat/runtime'
import { modelThreads } from '@/lib/services/engines/embedded/hub/chat-models'
import type { InstalledModel } from '@/lib/services/engines/embedded/hub/installed-model'
import { KNOWN_MODELS, type KnownModel } from '@/lib/services/engines/embedded/hub/known-models'
import { contextThatFits, machineMemoryBytes, memoryNeedBytes } from '@/lib/services/engines/embedded/hub/memory'
import { isFromSource, parseSource } from '@/lib/services/engines/embedded/hub/source'
import { type Cpu, estimateTokensPerSecond, readSpeeds, type Speeds } from '@/lib/services/engines/embedded/hub/speed'

/** As fast as most people read. */
const FLUENT_TOKENS_PER_SECOND = 7
/** Leaves room on the disk when a model is suggested. */
const DISK_SHARE = 0.9

export type Machine = {
  memoryBytes: number
  freeDiskBytes: number
  cores: number
  processor: string
  cpu: Cpu
  /** Models see images on it with projectors. */
  seesImages: boolean
  /** Embedding models of the hub run on it. */
  makesEmbeddings: boolean
}

/** Measures the machine: memory that this process may use, the disk of the models, cores and their instructions. */
async function measureMachine(): Promise<Machine> {
  const { folder } = config().modelHub
  await mkdir(folder, { recursive: true })
  const { bavail, bsize } = await statfs(folder)
  const cores = availableParallelism()
  return {
    memoryBytes: machineMemoryBytes(),
    freeDiskBytes: bavail * bsize,
    cores,
    processor: cpus()[0]?.model.trim() || process.arch,
    cpu: { threads: modelThreads(cores), isFast: hasFastInstructions() },
    seesImages: config().embeddedVision,
    makesEmbeddings: textRuntime(process) === 'node-llama-cpp',
  }
}

/**
 * AVX2 on x64; each 64-bit ARM core has what llama.cpp needs. llama.node's binary for Windows x64 has no AVX, the one
 * for macOS has it. Where it cannot be told, the usual is assumed.
 */
function hasFastInstructions(): boolean {
  if (process.arch !== 'x64' || process.platform === 'darwin') return true
  if (process.platform === 'win32') return false
  try {
    return /\bavx2\b/.test(readFileSync('/proc/cpuinfo', 'latin1').slice(0, 16_384))
  } catch {
    return true
  }
}

type Fit = 'well' | 'slowly' | 'no'

export type Suggestion = KnownModel & {
  fits: Fit
  memoryBytes: number
  estimatedTokensPerSecond: number
  installedId?: string
}

/** Orders good open models by how well they run on a machine: the largest that write fluently come first. */
export function suggestModels(machine: Machine, speeds: Speeds, installed: readonly InstalledModel[]): Suggestion[] {
  const rank: Record<Fit, number> = { well: 0, slowly: 1, no: 2 }
  const { seesImages, makesEmbeddings } = machine
  const usable = KNOWN_MODELS.filter(
    ({ isForImages, form, strengths }) =>
      (seesImages || !isForImages || form === 'onnx') && (makesEmbeddings || !strengths.includes('embeddings')),
  )
  return usable
    .map((model) => suggestionOf(model, machine, speeds, installed))
    .sort((a, b) => {
      const bySize = a.sizeBytes - b.sizeBytes
      return rank[a.fits] - rank[b.fits] || (a.fits === 'well' ? -bySize : bySize)
    })
}

function suggestionOf(
  model: KnownModel,
  { memoryBytes, freeDiskBytes, cpu, seesImages }: Machine,
  speeds: Speeds,
  installed: readonly InstalledModel[],
): Suggestion {
  const sizeBytes = model.sizeBytes + (seesImages ? (model.projectorBytes ?? 0) : 0)
  const needs = { ...model, weightBytes: sizeBytes }
  const contextTokens = contextThatFits(needs, memoryBytes)
  const activeShare = (model.activeParameters ?? model.parameters) / model.parameters
  const source = parseSource(model.source)
  const there = installed.find((one) => isFromSource(one.source, source))
  const measured = there && speeds[there.id]?.tokensPerSecond
  const speed = measured ?? estimateTokensPerSecond(model.sizeBytes * activeShare, cpu, speeds)
  const hasRoom = contextTokens !== undefined && (there !== undefined || sizeBytes <= freeDiskBytes * DISK_SHARE)
  return {
    ...model,
    sizeBytes,
    strengths: model.strengths.filter((strength) => seesImages || model.form === 'onnx' || strength !== 'images'),
    fits: !hasRoom ? 'no' : speed >= FLUENT_TOKENS_PER_SECOND ? 'well' : 'slowly',
    memoryBytes: memoryNeedBytes(needs, contextTokens ?? model.contextTokens),
    estimatedTokensPerSecond: speed,
    ...(there && { installedId: there.id }),
  }
}

export async function suggestionsHere(installed: readonly InstalledModel[]) {
  const machine = await measureMachine()
  const speeds = await readSpeeds(config().dataDir)
  return { machine, speeds, suggestions: suggestModels(machine, speeds, installed) }
}
