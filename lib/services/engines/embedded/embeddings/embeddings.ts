import 'server-only'
import type { InstalledEmbeddingModel } from '@/lib/services/engines/embedded/hub/chat-models'
import { type EmbeddedModelState, modelSlots } from '@/lib/services/engines/embedded/lifecycle'
import type { MemoryBudget } from '@/lib/services/engines/embedded/memory-budget'
import { TaskPool, type TaskPoolOptions } from '@/lib/services/engines/embedded/task-pool'
import {
  EMBEDDING_DIMENSIONS,
  type EmbeddingInput,
  type EmbeddingOutput,
  HUB_EMBEDDING_MAX_TOKENS,
} from '@/lib/services/engines/embedded/task-protocol'
import { ensureWeights } from '@/lib/services/engines/embedded/weights/weights'
import type { EmbeddingEngine } from '@/lib/services/engines/engine'

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

export type EmbeddedEmbeddings = EmbeddingEngine & TextEmbedder

export type TextEmbedder = {
  embedParts(texts: string[], signal: AbortSignal): AsyncGenerator<Part, void, void>
  state(): EmbeddedModelState
  close(): Promise<void>
}

/**
 * Embeds English texts with all-MiniLM-L6-v2, in a child process (docs/adr/0001). Nothing is fetched or loaded before
 * the first request. A text's vector does not depend on other texts.
 */
export function createEmbeddings({
  dataDir,
  idleMs = IDLE_MS,
}: {
  dataDir: string
  idleMs?: number
}): EmbeddedEmbeddings {
  const embedder = textEmbedder({
    name: 'all-minilm-l6-v2',
    entry: 'embeddings/embeddings-worker.ts',
    findWeights: (onProgress) => ensureWeights('all-minilm-l6-v2', { dataDir, onProgress }),
    taskTexts: TASK_TEXTS,
    maxCharacters: MAX_TEXT_CHARACTERS,
    taskDeadlineMs: TASK_DEADLINE_MS,
    idleMs,
  })
  return {
    ...embedder,
    dimensions: EMBEDDING_DIMENSIONS,
    embed: async (texts, signal) => {
      const all: Float32Array[] = []
      for await (const { vectors } of embedder.embedParts(texts, signal)) all.push(...vectors)
      return all
    },
  }
}

/** Embeds texts with a model of the hub, in a child process. */
export const createHubEmbeddings = (
  { name, modelPath, neededBytes }: InstalledEmbeddingModel,
  budget?: MemoryBudget,
): TextEmbedder =>
  textEmbedder({
    name,
    entry: 'embeddings/gguf-embeddings-worker.ts',
    findWeights: async () => ({ 'model.gguf': modelPath }),
    taskTexts: HUB_TASK_TEXTS,
    maxCharacters: HUB_EMBEDDING_MAX_TOKENS * MAX_TOKEN_CHARACTERS,
    taskDeadlineMs: HUB_TASK_DEADLINE_MS,
    idleMs: IDLE_MS,
    memory: budget && { budget, bytesOf: () => neededBytes, isRequired: false },
  })

type EmbedderOptions = Omit<TaskPoolOptions, 'maxActive' | 'maxQueued'> & {
  taskTexts: number
  maxCharacters: number
}

function textEmbedder({ taskTexts, maxCharacters, ...options }: EmbedderOptions): TextEmbedder {
  const places = modelSlots(MAX_ACTIVE, MAX_QUEUED)
  const pool = new TaskPool<EmbeddingInput, EmbeddingOutput>({
    ...options,
    maxActive: 1,
    // Each request has one task at a time, so the queue in front of the child never fills up.
    maxQueued: 2 * MAX_ACTIVE,
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

  return { embedParts, state: () => pool.state(), close: () => pool.close() }
}
