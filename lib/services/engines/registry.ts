import 'server-only'
import { config } from '@/lib/kernel/config'
import { log } from '@/lib/kernel/log'
import { perProcess } from '@/lib/kernel/per-process'
import type { EmbeddedChatEngine } from '@/lib/services/engines/embedded/chat/chat'
import {
  createEmbeddings,
  createHubEmbeddings,
  type EmbeddedEmbeddings,
  type TextEmbedder,
} from '@/lib/services/engines/embedded/embeddings/embeddings'
import type { InstalledEmbeddingModel } from '@/lib/services/engines/embedded/hub/chat-models'
import { keepInLine } from '@/lib/services/engines/embedded/hub/keep-in-line'
import { createRetoucher, type EmbeddedRetoucher } from '@/lib/services/engines/embedded/images/images'
import { MemoryBudget, memoryLimits } from '@/lib/services/engines/embedded/memory-budget'
import { createSpeech, type EmbeddedSpeech } from '@/lib/services/engines/embedded/speech/speech'
import {
  createTranscription,
  type EmbeddedTranscription,
} from '@/lib/services/engines/embedded/transcription/transcription'
import { createImageReader, type EmbeddedImageReader } from '@/lib/services/engines/embedded/vision/chat'
import { type ChatEngine, EngineError, type ImageReader, type TranscriptionEngine } from '@/lib/services/engines/engine'
import { createUpstreamChatEngine, type UpstreamChatOptions } from '@/lib/services/engines/upstream/chat/chat'
import { createUpstreamClient, type UpstreamClient } from '@/lib/services/engines/upstream/http-client'

export const EMBEDDED_ENGINE = 'embedded'

export type EngineOptions = Omit<UpstreamChatOptions, 'name'>

type Installed = { engine: ChatEngine; options: string }

const holder = globalThis as typeof globalThis & {
  __serviceEngines?: Map<string, Installed>
  __serviceEmbeddedChat?: EmbeddedChatEngine
  __serviceEmbeddedTasks?: EmbeddedTasks
}

type EmbeddedTasks = {
  embeddings?: EmbeddedEmbeddings
  transcription?: EmbeddedTranscription
  speech?: EmbeddedSpeech
  images?: EmbeddedImageReader
  retoucher?: EmbeddedRetoucher
}

/**
 * Finds the chat engine of this name, one per process.
 *
 * @throws EngineError `offline` when there is none: a reload took it away.
 */
export function chatEngine(name: string): ChatEngine {
  const engine = name === EMBEDDED_ENGINE ? holder.__serviceEmbeddedChat : holder.__serviceEngines?.get(name)?.engine
  if (engine) return engine
  throw new EngineError('offline', 'The model is not available at the moment. Choose another one.')
}

export function engineOptions(name: string): EngineOptions | undefined {
  const options = holder.__serviceEngines?.get(name)?.options
  return options === undefined ? undefined : (JSON.parse(options) as EngineOptions)
}

export const embeddedChatEngine = (): EmbeddedChatEngine | undefined => holder.__serviceEmbeddedChat

export const embeddingEngine = (): EmbeddedEmbeddings | undefined => embedded('embeddings', createEmbeddings)

/** Memory that the models of this process share. */
const memoryBudget = () =>
  perProcess('embedded-memory', () => new MemoryBudget(() => memoryLimits(config().embeddedMemoryMegabytes)))

type HubEmbedder = { embedder: TextEmbedder; version: string }

const hubEmbedders = () => perProcess('hub-embeddings', () => new Map<string, HubEmbedder>())

/** Offers these models of the hub for embeddings, and ends those that are no longer among them. */
export function setHubEmbeddings(models: readonly InstalledEmbeddingModel[]): void {
  keepInLine(hubEmbedders(), models, {
    start: (model) => ({ embedder: createHubEmbeddings(model, memoryBudget()), version: model.version }),
    end: ({ embedder }) => void embedder.close(),
  })
}

export const hubEmbedding = (model: string): TextEmbedder | undefined => hubEmbedders().get(model)?.embedder

export const speechEngine = (): EmbeddedSpeech | undefined => embedded('speech', createSpeech)

export const listeningEngine = (): EmbeddedTranscription | undefined => embedded('transcription', createTranscription)

export const imageReader = (): ImageReader | undefined => embedded('images', createImageReader)

export const retoucher = (): EmbeddedRetoucher | undefined => embedded('retoucher', createRetoucher)

export function transcriptionEngine(name: string): TranscriptionEngine {
  const engine = name === EMBEDDED_ENGINE ? listeningEngine() : undefined
  if (engine) return engine
  throw new EngineError('offline', 'The speech model is not available at the moment. Choose another one.')
}

function embedded<N extends keyof EmbeddedTasks>(
  name: N,
  create: (options: {
    dataDir: string
    profile: 'standard' | 'lean'
    budget: MemoryBudget
  }) => NonNullable<EmbeddedTasks[N]>,
): EmbeddedTasks[N] {
  const { embeddedModels: profile, dataDir } = config()
  if (profile === 'off') return undefined
  holder.__serviceEmbeddedTasks ??= {}
  holder.__serviceEmbeddedTasks[name] ??= create({ dataDir, profile, budget: memoryBudget() })
  return holder.__serviceEmbeddedTasks[name]
}

/**
 * Brings the engines in line with the catalogue: new and changed ones are made, others keep their connections, and
 * removed ones are closed when their last answer has ended.
 *
 * @param used names of the engines that a model names. The embedded engine is loaded only if it is among them.
 */
export async function installEngines(
  definitions: Record<string, EngineOptions>,
  used: ReadonlySet<string>,
): Promise<void> {
  if (used.has(EMBEDDED_ENGINE)) await loadEmbedded()
  const before = holder.__serviceEngines ?? new Map<string, Installed>()
  const after = new Map<string, Installed>()
  for (const [name, definition] of Object.entries(definitions)) {
    const options = JSON.stringify(definition)
    const known = before.get(name)
    after.set(
      name,
      known?.options === options ? known : { engine: createUpstreamChatEngine({ name, ...definition }), options },
    )
  }
  holder.__serviceEngines = after
  for (const [name, { engine }] of before) if (after.get(name)?.engine !== engine) closeLater(name, engine)
}

export async function closeEngines(): Promise<void> {
  const engines = [...(holder.__serviceEngines?.values() ?? [])].map(({ engine }) => engine)
  const chat = holder.__serviceEmbeddedChat
  const tasks = Object.values(holder.__serviceEmbeddedTasks ?? {})
  holder.__serviceEngines = undefined
  holder.__serviceEmbeddedChat = undefined
  holder.__serviceEmbeddedTasks = undefined
  setHubEmbeddings([])
  await Promise.all([...engines, chat, ...tasks].map((engine) => engine?.close?.()))
}

/** Imported on use: a service with upstreams only does without the means to run models. */
async function loadEmbedded(): Promise<void> {
  const { embeddedModels, embeddedGpu, dataDir } = config()
  if (holder.__serviceEmbeddedChat || embeddedModels === 'off') return
  const { createEmbeddedChatEngine } = await import('@/lib/services/engines/embedded/chat/chat')
  holder.__serviceEmbeddedChat ??= createEmbeddedChatEngine({
    profile: embeddedModels,
    dataDir,
    gpu: embeddedGpu,
    budget: memoryBudget(),
    imageReader: embedded('images', createImageReader),
  })
}

function closeLater(name: string, engine: ChatEngine): void {
  engine.close?.().catch((error: unknown) => log().warn({ engine: name, err: error }, 'closing an engine failed'))
}

type CachedClient = { options: string; calls: UpstreamClient }

/**
 * Finds the client of the server behind an engine's name, one set of connections per process; made anew when the models
 * file changed it.
 *
 * @throws EngineError `offline` when there is no such engine: a reload took it away.
 */
export function upstreamClient(name: string): UpstreamClient {
  const clients = perProcess('upstream-calls', () => new Map<string, CachedClient>())
  const definition = engineOptions(name)
  if (!definition) throw new EngineError('offline', 'The model is not available at the moment. Choose another one.')
  const options = JSON.stringify(definition)
  const known = clients.get(name)
  if (known?.options === options) return known.calls
  const calls = createUpstreamClient({ name, ...definition })
  clients.set(name, { options, calls })
  // What the old connections are doing still ends.
  known?.calls.close().catch(() => {})
  return calls
}
