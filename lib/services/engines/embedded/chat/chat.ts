import 'server-only'
import { availableParallelism } from 'node:os'
import type { ModelOptions } from '@/lib/services/engines/embedded/chat/chat-protocol'
import {
  type EmbeddedModelState,
  type LoadProgress,
  ManagedChatModel,
} from '@/lib/services/engines/embedded/chat/process'
import { estimateTokens } from '@/lib/services/engines/embedded/estimate-tokens'
import { type InstalledChatModel, modelThreads } from '@/lib/services/engines/embedded/hub/chat-models'
import { type Measurement, recordSpeed } from '@/lib/services/engines/embedded/hub/speed'
import {
  createImageReader,
  type EmbeddedImageReader,
  IMAGE_READER,
  readConversation,
} from '@/lib/services/engines/embedded/vision/chat'
import type { ChatWeightsName } from '@/lib/services/engines/embedded/weights/table'
import { ensureWeights } from '@/lib/services/engines/embedded/weights/weights'
import { type ChatEngine, type ChatEvent, type ChatRequest, EngineError } from '@/lib/services/engines/engine'

const DEFAULT_MAX_QUEUED = 8
const IDLE_MS = 10 * 60_000
const MAX_READER_SHARE = 0.2

export type EmbeddedChatOptions = {
  profile: 'standard' | 'lean'
  dataDir: string
  maxQueued?: number
  idleMs?: number
  imageReader?: EmbeddedImageReader
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
  close(): Promise<void>
}

/**
 * Creates the chat models with real weights, each in a child process (docs/adr/0001). Nothing is fetched or loaded
 * before `load` or the first request.
 */
export function createEmbeddedChatEngine(options: EmbeddedChatOptions): EmbeddedChatEngine {
  const { profile, dataDir, maxQueued = DEFAULT_MAX_QUEUED, idleMs = IDLE_MS } = options
  const images = options.imageReader ?? createImageReader({ dataDir })
  const managed = ({ name, options: model }: EmbeddedChatModel) =>
    new ManagedChatModel({
      name,
      model,
      maxQueued,
      idleMs,
      findWeights: async (onProgress) => (await ensureWeights(name, { dataDir, onProgress }))['model.gguf']!,
    })
  const installed = new InstalledModels(
    ({ name, options: model, findWeights, loadDeadlineMs }) =>
      new ManagedChatModel({ name, model, maxQueued, idleMs, findWeights, loadDeadlineMs }),
    (measurement) => void recordSpeed(dataDir, measurement),
  )
  return engineOf(new Map(chatModelsOf(profile).map((model) => [model.name, managed(model)])), installed, images)
}

/** Models that come and go while the server runs. One that stays the same keeps its process. */
class InstalledModels {
  readonly #start: (model: InstalledChatModel) => ManagedChatModel
  readonly #onMeasured: (measurement: Measurement) => void
  readonly #models = new Map<string, { version: string; weightBytes: number; managed: ManagedChatModel }>()

  constructor(start: (model: InstalledChatModel) => ManagedChatModel, onMeasured: (measurement: Measurement) => void) {
    this.#start = start
    this.#onMeasured = onMeasured
  }

  set(models: readonly InstalledChatModel[]): void {
    const wanted = new Map(models.map((model) => [model.name, model]))
    for (const [name, { version, managed }] of this.#models) {
      if (wanted.get(name)?.version === version) continue
      this.#models.delete(name)
      managed.close()
    }
    for (const model of models) {
      if (!this.#models.has(model.name)) {
        const { version, weightBytes } = model
        this.#models.set(model.name, { version, weightBytes, managed: this.#start(model) })
      }
    }
  }

  find(name: string): ManagedChatModel | undefined {
    return this.#models.get(name)?.managed
  }

  /** Passes an answer on, and measures its speed while no other request shares the machine. */
  async *measured(request: ChatRequest, events: AsyncIterable<ChatEvent>): AsyncGenerator<ChatEvent> {
    const found = this.#models.get(request.model)
    let firstAt: number | undefined
    let isAlone = true
    let readerMs = 0
    for await (const event of events) {
      if (event.type === 'text-delta') firstAt ??= performance.now()
      isAlone &&= this.#activeRequests() <= 1
      if (event.type === 'usage' && found && firstAt !== undefined && isAlone) {
        const milliseconds = performance.now() - firstAt
        const { weightBytes } = found
        // A slow reader holds the model up.
        if (readerMs <= milliseconds * MAX_READER_SHARE)
          this.#onMeasured({ model: request.model, weightBytes, tokens: event.outputTokens - 1, milliseconds })
      }
      const givenAt = performance.now()
      yield event
      readerMs += performance.now() - givenAt
    }
  }

  #activeRequests(): number {
    return this.all().reduce((sum, managed) => sum + managed.state().activeRequests, 0)
  }

  all(): ManagedChatModel[] {
    return [...this.#models.values()].map(({ managed }) => managed)
  }
}

function engineOf(
  models: Map<string, ManagedChatModel>,
  installed: InstalledModels,
  images?: EmbeddedImageReader,
): EmbeddedChatEngine {
  const find = (name: string): ManagedChatModel => {
    const found = models.get(name) ?? installed.find(name)
    if (!found) throw new EngineError('offline', `There is no embedded model ${name} in this profile.`)
    return found
  }
  const [first = ''] = models.keys()
  return {
    // Models of this size call a tool when they must, and never by themselves.
    callsToolsUnasked: false,
    async *stream(request, signal) {
      if (images && request.model === IMAGE_READER) yield* readConversation(images, request, signal)
      else if (models.has(request.model)) yield* find(request.model).stream(request, signal)
      else yield* installed.measured(request, find(request.model).stream(request, signal))
    },
    countTokens: estimateTokens,
    load: (onProgress, model = first) => find(model).load(onProgress),
    setInstalled: (wanted) => installed.set(wanted),
    state: () => [...models.values(), ...installed.all(), ...(images ? [images] : [])].map((one) => one.state()),
    close: async () => {
      for (const one of [...models.values(), ...installed.all()]) one.close()
      await images?.close()
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
    },
  }
}
