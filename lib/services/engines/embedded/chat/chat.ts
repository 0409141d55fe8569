import 'server-only'
import { stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import type { ModelOptions } from '@/lib/services/engines/embedded/chat/chat-protocol'
import {
  type EmbeddedModelState,
  type LoadProgress,
  ManagedChatModel,
} from '@/lib/services/engines/embedded/chat/process'
import { estimateTokens } from '@/lib/services/engines/embedded/estimate-tokens'
import { type InstalledChatModel, modelThreads } from '@/lib/services/engines/embedded/hub/chat-models'
import { InstalledChatModels } from '@/lib/services/engines/embedded/hub/installed-chat-models'
import { leastMemoryBytes } from '@/lib/services/engines/embedded/hub/memory'
import { type Measurement, recordSpeed } from '@/lib/services/engines/embedded/hub/speed'
import { MemoryBudget, memoryLimits } from '@/lib/services/engines/embedded/memory-budget'
import type { ModelProcessor, System } from '@/lib/services/engines/embedded/processors/packages'
import { type GpuSetting, Processors } from '@/lib/services/engines/embedded/processors/processors'
import {
  createImageReader,
  type EmbeddedImageReader,
  IMAGE_READER,
  readConversation,
} from '@/lib/services/engines/embedded/vision/chat'
import type { ChatWeightsName } from '@/lib/services/engines/embedded/weights/manifest'
import { ensureWeights } from '@/lib/services/engines/embedded/weights/weights'
import { type ChatEngine, type ChatRequest, EngineError } from '@/lib/services/engines/engine'
import { followPosition } from '@/lib/services/engines/queue-positions'

const MAX_QUEUED = 8
const IDLE_MS = 10 * 60_000

export type EmbeddedChatOptions = {
  profile: 'standard' | 'lean'
  dataDir: string
  imageReader?: EmbeddedImageReader
  /** Without it models run on the CPU. */
  gpu?: GpuSetting
  /** Decides on the runtime; without it the one that this is. */
  system?: System
  /** Shared with other models; without it these have what the machine has. */
  budget?: MemoryBudget
}

export type EmbeddedChatEngine = ChatEngine & {
  /**
   * Fetches and loads a model ahead of its first use: the profile's default one, or the one named.
   *
   * @throws EngineError `offline` when the weights cannot be had, `failed` when they cannot be loaded.
   */
  load(onProgress?: (progress: LoadProgress) => void, model?: string): Promise<void>
  /** Offers these models of the hub, and ends those that are no longer among them. */
  setInstalled(models: readonly InstalledChatModel[]): void
  state(): EmbeddedModelState[]
  /** What the models that are loaded run on, or the next one will. */
  processor(): ModelProcessor
  close(): Promise<void>
}

/**
 * Creates the chat models with real weights, each in a child process (docs/adr/0001). Nothing is fetched or loaded
 * before `load` or the first request.
 */
export function createEmbeddedChatEngine(options: EmbeddedChatOptions): EmbeddedChatEngine {
  const { profile, dataDir, system } = options
  const images = options.imageReader ?? createImageReader({ dataDir })
  const budget = options.budget ?? new MemoryBudget(memoryLimits)
  const processors = new Processors({
    setting: options.gpu ?? 'off',
    dataDir,
    system,
    onReady: restart,
  })
  const common = { maxQueued: MAX_QUEUED, idleMs: IDLE_MS, processors, system }
  const managed = ({ name, options: model }: EmbeddedChatModel) =>
    new ManagedChatModel({
      name,
      model,
      ...common,
      memory: {
        budget,
        bytesOf: async (modelPath) => leastMemoryBytes((await stat(modelPath)).size),
        isRequired: true,
      },
      findWeights: async (onProgress) => (await ensureWeights(name, { dataDir, onProgress }))['model.gguf']!,
    })
  const onMeasured = (measurement: Measurement) => void recordSpeed(dataDir, measurement)
  const installed = new InstalledChatModels({ ...common, budget, onMeasured })
  const models = new Map<string, ManagedChatModel>(chatModelsOf(profile).map((model) => [model.name, managed(model)]))
  return { ...engineOf(models, installed, images), processor }

  function processor(): ModelProcessor {
    const states = [...models.values(), ...installed.all()].map((one) => one.state())
    return states.find(({ state }) => state === 'ready')?.processor ?? processors.plan()
  }

  function restart(): void {
    for (const one of [...models.values(), ...installed.all()]) one.restart()
  }
}

function engineOf(
  models: Map<string, ManagedChatModel>,
  installed: InstalledChatModels,
  images: EmbeddedImageReader,
): Omit<EmbeddedChatEngine, 'processor'> {
  const find = (name: string, request?: ChatRequest): ManagedChatModel => {
    const found = models.get(name) ?? installed.find(name, request)
    if (!found) throw new EngineError('offline', `There is no embedded model ${name} in this profile.`)
    return found
  }
  const [first = ''] = models.keys()
  return {
    // Models of this size call a tool when they must, and never by themselves.
    callsToolsUnasked: false,
    async *stream(request, signal) {
      if (request.model === IMAGE_READER) {
        yield* readConversation(images, request, signal)
        return
      }
      const model = find(request.model, request)
      const stopFollowing = followPosition(request.requestName, () => model.positionOf(signal))
      try {
        const events = model.stream(request, signal)
        yield* models.has(request.model) ? events : installed.measured(request, events)
      } finally {
        stopFollowing()
      }
    },
    countTokens: estimateTokens,
    load: (onProgress, model = first) => find(model).load(onProgress),
    setInstalled: (wanted) => installed.set(wanted),
    state: () => [...models.values(), ...installed.all(), images].map((one) => one.state()),
    close: async () => {
      for (const one of [...models.values(), ...installed.all()]) one.close()
      await images.close()
    },
  }
}

type EmbeddedChatModel = { name: ChatWeightsName; options: Omit<ModelOptions, 'modelPath'> }

const PARALLEL_REQUESTS = 2

const CALM = { temperature: 0.3, topP: 0.9, topK: 40 }

export function chatModelsOf(profile: 'standard' | 'lean'): EmbeddedChatModel[] {
  return profile === 'standard' ? [tinyLlama(), miniMind()] : [miniMind()]
}

function tinyLlama(): EmbeddedChatModel {
  return {
    name: 'tinyllama-1.1b-chat',
    options: {
      contextTokens: 2048,
      sequences: PARALLEL_REQUESTS,
      threads: modelThreads(availableParallelism()),
      // It repeats itself without the penalty.
      defaults: { ...CALM, repetitionPenalty: 1.15 },
      turnMarks: ['<|user|>', '<|system|>', '<|assistant|>'],
      isPlain: true,
    },
  }
}

function miniMind(): EmbeddedChatModel {
  return {
    name: 'minimind2-small',
    options: {
      contextTokens: 2048,
      sequences: PARALLEL_REQUESTS,
      // So small that threads wait for each other longer than they work: one is four times as fast as two.
      threads: 1,
      defaults: { ...CALM, repetitionPenalty: 1.1 },
      turnMarks: [],
      isPlain: true,
    },
  }
}
