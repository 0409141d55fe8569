import 'server-only'
import { availableParallelism } from 'node:os'
import { config } from '@/lib/kernel/config'
import type { ModelOptions } from '@/lib/services/engines/embedded/chat/chat-protocol'
import {
  type InstalledModel,
  modelPathOf,
  pathsOf,
  projectorPathOf,
} from '@/lib/services/engines/embedded/hub/installed-model'
import {
  contextThatFits,
  leastMemoryBytes,
  machineMemoryBytes,
  memoryNeedBytes,
  SEQUENCES,
} from '@/lib/services/engines/embedded/hub/memory'
import { LOAD_DEADLINE_MS } from '@/lib/services/engines/embedded/model-process'

/** What the chat engine needs to run an installed model. `version` changes when its files do. */
export type InstalledChatModel = {
  name: string
  version: string
  weightBytes: number
  options: Omit<ModelOptions, 'modelPath'>
  loadDeadlineMs: number
  modelPath: string
  /** Memory that it takes while it is loaded. */
  neededBytes: number
}

const SLOW_DISK_BYTES_PER_SECOND = 20_000_000

const SAMPLING = { temperature: 0.7, topP: 0.9, topK: 40, repetitionPenalty: 1.05 }

/** Two cores are twice as fast as one, more than four hardly faster. Where there are more, the server keeps one. */
export function modelThreads(cores: number): number {
  return Math.max(Math.min(2, cores), Math.min(4, cores - 1))
}

const versionOf = ({ files }: InstalledModel): string => files.map(({ sha256 }) => sha256).join(' ')

export type InstalledEmbeddingModel = Pick<InstalledChatModel, 'name' | 'version' | 'modelPath' | 'neededBytes'>

export const embeddingModelOf = (model: InstalledModel, folder: string): InstalledEmbeddingModel => ({
  name: model.id,
  version: versionOf(model),
  modelPath: modelPathOf(folder, model),
  neededBytes: leastMemoryBytes(model.facts.weightBytes),
})

/** What the transcription engine needs to run an installed model. `paths` are those of its files, by their names. */
export type InstalledSpeechModel = Pick<InstalledChatModel, 'name' | 'version' | 'weightBytes' | 'neededBytes'> & {
  paths: Record<string, string>
}

export const speechModelOf = (model: InstalledModel, folder: string): InstalledSpeechModel => ({
  name: model.id,
  version: versionOf(model),
  weightBytes: model.facts.weightBytes,
  neededBytes: leastMemoryBytes(model.facts.weightBytes),
  paths: pathsOf(folder, model),
})

/** Returns undefined where the machine has too little memory for the model: it may be on a shared disk. */
export function chatModelOf(
  model: InstalledModel,
  folder: string,
  memoryBytes = machineMemoryBytes(),
): InstalledChatModel | undefined {
  const contextTokens = contextThatFits(model.facts, memoryBytes)
  if (contextTokens === undefined) return undefined
  const modelPath = modelPathOf(folder, model)
  const projectorPath = config().embeddedVision ? projectorPathOf(folder, model) : undefined
  return {
    name: model.id,
    version: `${versionOf(model)} ${contextTokens} ${modelPath} ${projectorPath}`,
    weightBytes: model.facts.weightBytes,
    neededBytes: memoryNeedBytes(model.facts, contextTokens),
    modelPath,
    loadDeadlineMs: LOAD_DEADLINE_MS + (model.facts.weightBytes / SLOW_DISK_BYTES_PER_SECOND) * 1_000,
    options: {
      contextTokens,
      sequences: SEQUENCES,
      ...(model.facts.form && { form: model.facts.form }),
      ...(projectorPath !== undefined && { projectorPath }),
      threads: modelThreads(availableParallelism()),
      defaults: SAMPLING,
      turnMarks: [],
    },
  }
}

/**
 * Brings what runs in line with the models of the hub that are installed: one whose files are the same is kept, another ends.
 * What has no version is not of the hub, and stays.
 */
export function keepInLine<Installed extends { name: string; version: string }, Running extends { version?: string }>(
  running: Map<string, Running>,
  installed: readonly Installed[],
  { start, end }: { start: (model: Installed) => Running; end: (one: Running) => void },
): void {
  const wanted = new Map(installed.map(({ name, version }) => [name, version]))
  for (const [name, one] of running) {
    if (one.version === undefined || wanted.get(name) === one.version) continue
    running.delete(name)
    end(one)
  }
  for (const model of installed) if (!running.has(model.name)) running.set(model.name, start(model))
}
