import 'server-only'
import { type InstalledEmbeddingModel, keepInLine } from '@/lib/services/engines/embedded/hub/chat-models'
import { type EmbeddedModelState, modelSlots } from '@/lib/services/engines/embedded/lifecycle'
import type { MemoryBudget } from '@/lib/services/engines/embedded/memory-budget'
import { TaskPool, type TaskPoolOptions } from '@/lib/services/engines/embedded/task-pool'
import {
  EMBEDDING_MAX_TOKENS,
  type EmbeddingInput,
  type EmbeddingOutput,
  HUB_EMBEDDING_MAX_TOKENS,
} from '@/lib/services/engines/embedded/task-protocol'
import { ensureWeights } from '@/lib/services/engines/embedded/weights/weights'
import { type EmbeddingEngine, unavailable } from '@/lib/services/engines/engine'

const TASK_TEXTS = 32
const TASK_DEADLINE_MS = 60_000
const MAX_ACTIVE = 4
const MAX_QUEUED = 32
const IDLE_MS = 10 * 60_000

// The window is 256 tokens, nearly always less than a fifth of this. The rest is not even tokenized.
const MAX_TEXT_CHARACTERS = 8_192

const HUB_TASK_TEXTS = 4
const HUB_TASK_DEADLINE_MS = 120_000
// As many as a caller may send for each token.
const MAX_TOKEN_CHARACTERS = 32

type Part = { vectors: Float32Array[]; tokens: number; tokensOfEach: number[] }

export type EmbeddedEmbeddings = EmbeddingEngine & {
  /**
   * Embeds with this model of the hub, or, where there was none of this name, with the one inside this service.
   * @throws EngineError `offline` for a model of the hub that was removed since the request began.
   */
  embedParts(model: string, texts: string[], signal: AbortSignal): AsyncGenerator<Part, void, void>
  /** Offers these models of the hub, and ends those that are no longer among them. */
  setInstalled(models: readonly InstalledEmbeddingModel[]): void
  maxTokens(model: string): number
  state(): EmbeddedModelState
  close(): Promise<void>
}

type EmbeddingsOptions = { dataDir: string; budget?: MemoryBudget }

const OWN = 'all-minilm-l6-v2'

/**
 * Embeds English texts with all-MiniLM-L6-v2, and texts with the models of the hub that are installed, each in a child
 * process (docs/adr/0001). Nothing is fetched or loaded before the first request. A text's vector does not depend on
 * other texts.
 */
export function createEmbeddings({ dataDir, budget }: EmbeddingsOptions): EmbeddedEmbeddings {
  const own = textEmbedder({
    name: OWN,
    entry: 'embeddings/embeddings-worker.ts',
    findWeights: (onProgress) => ensureWeights(OWN, { dataDir, onProgress }),
    taskTexts: TASK_TEXTS,
    maxCharacters: MAX_TEXT_CHARACTERS,
    taskDeadlineMs: TASK_DEADLINE_MS,
  })
  const installed = new Map<string, TextEmbedder & { version: string }>()
  const namesOfHub = new Set<string>()
  const start = ({ name, version, modelPath, neededBytes }: InstalledEmbeddingModel) => ({
    version,
    ...textEmbedder({
      name,
      entry: 'embeddings/gguf-embeddings-worker.ts',
      findWeights: async () => ({ 'model.gguf': modelPath }),
      taskTexts: HUB_TASK_TEXTS,
      maxCharacters: HUB_EMBEDDING_MAX_TOKENS * MAX_TOKEN_CHARACTERS,
      taskDeadlineMs: HUB_TASK_DEADLINE_MS,
      memory: budget && { budget, bytesOf: () => neededBytes, isRequired: false },
    }),
  })
  return {
    embed: async (texts, signal) => {
      const all: Float32Array[] = []
      for await (const { vectors } of own.embedParts(texts, signal)) all.push(...vectors)
      return all
    },
    embedParts(model, texts, signal) {
      const hub = installed.get(model)
      if (!hub && namesOfHub.has(model)) throw unavailable('embedding model')
      return (hub ?? own).embedParts(texts, signal)
    },
    setInstalled(models) {
      for (const { name } of models) namesOfHub.add(name)
      keepInLine(installed, models, { start, end: ({ pool }) => void pool.close() })
    },
    maxTokens: (model) => (installed.has(model) ? HUB_EMBEDDING_MAX_TOKENS : EMBEDDING_MAX_TOKENS),
    state: () => own.pool.state(),
    close: async () => void (await Promise.all([own, ...installed.values()].map(({ pool }) => pool.close()))),
  }
}

type TextEmbedder = ReturnType<typeof textEmbedder>

type EmbedderOptions = Omit<TaskPoolOptions, 'maxActive' | 'maxQueued' | 'idleMs'> & {
  taskTexts: number
  maxCharacters: number
}

function textEmbedder({ taskTexts, maxCharacters, ...options }: EmbedderOptions) {
  const places = modelSlots(MAX_ACTIVE, MAX_QUEUED)
  const pool = new TaskPool<EmbeddingInput, EmbeddingOutput>({
    ...options,
    maxActive: 1,
    // Each request has one task at a time, so the queue in front of the child never fills up.
    maxQueued: 2 * MAX_ACTIVE,
    idleMs: IDLE_MS,
  })

  async function* embedParts(texts: string[], signal: AbortSignal): AsyncGenerator<Part, void, void> {
    signal.throwIfAborted()
    const leave = await places.acquire(signal)
    try {
      for (let start = 0; start < texts.length; start += taskTexts) {
        const part = texts.slice(start, start + taskTexts).map((text) => text.slice(0, maxCharacters))
        const { vectors, tokens } = await pool.run({ texts: part }, signal)
        yield { vectors, tokens: tokens.reduce((sum, count) => sum + count, 0), tokensOfEach: tokens }
      }
    } finally {
      leave()
    }
  }

  return { pool, embedParts }
}
