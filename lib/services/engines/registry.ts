import 'server-only'
import { config } from '@/lib/kernel/config'
import { log } from '@/lib/kernel/log'
import { perProcess } from '@/lib/kernel/per-process'
import type { EmbeddedChatEngine } from '@/lib/services/engines/embedded/chat/chat'
import { createEmbeddings, type EmbeddedEmbeddings } from '@/lib/services/engines/embedded/embeddings/embeddings'
import { createRetoucher, type EmbeddedRetoucher } from '@/lib/services/engines/embedded/images/images'
import { MemoryBudget, memoryLimits } from '@/lib/services/engines/embedded/memory-budget'
import { createSpeech, type EmbeddedSpeech } from '@/lib/services/engines/embedded/speech/speech'
import {
  createTranscription,
  type EmbeddedTranscription,
} from '@/lib/services/engines/embedded/transcription/transcription'
import { createImageReader, type EmbeddedImageReader } from '@/lib/services/engines/embedded/vision/chat'
import { type ChatEngine, type ImageEngine, unavailable } from '@/lib/services/engines/engine'
import { createUpstreamChatEngine, type UpstreamChatOptions } from '@/lib/services/engines/upstream/chat/chat'
import { createUpstreamClient, type UpstreamClient } from '@/lib/services/engines/upstream/http-client'
import { comfyImageEngine } from '@/lib/services/engines/upstream/images/comfyui'
import { upstreamImageEngine } from '@/lib/services/engines/upstream/images/images'
import { webuiImageEngine } from '@/lib/services/engines/upstream/images/webui'

export const EMBEDDED_ENGINE = 'embedded'

export type EngineOptions = Omit<UpstreamChatOptions, 'name'> & {
  imageStyle?: 'openai' | 'webui' | 'comfyui'
  jobStyle?: 'openai' | 'predictions'
}

/** Chat has connections of its own: the bound on its requests is not that of the other endpoints. */
type Upstream = { definition: EngineOptions; chat: ChatEngine; client: UpstreamClient }

const holder = globalThis as typeof globalThis & {
  __serviceEngines?: Map<string, Upstream>
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
  const engine = name === EMBEDDED_ENGINE ? holder.__serviceEmbeddedChat : holder.__serviceEngines?.get(name)?.chat
  if (engine) return engine
  throw unavailable('model')
}

export const engineOptions = (name: string): EngineOptions | undefined => holder.__serviceEngines?.get(name)?.definition

/**
 * Finds the client of the server behind an engine's name, one set of connections per process.
 *
 * @throws EngineError `offline` when there is no such engine: a reload took it away.
 */
export function upstreamClient(name: string): UpstreamClient {
  const upstream = holder.__serviceEngines?.get(name)
  if (upstream) return upstream.client
  throw unavailable('model')
}

export const embeddedChatEngine = (): EmbeddedChatEngine | undefined => holder.__serviceEmbeddedChat

export const embeddingEngine = (): EmbeddedEmbeddings | undefined => embedded('embeddings', createEmbeddings)

/** Memory that the models of this process share. */
const memoryBudget = () =>
  perProcess('embedded-memory', () => new MemoryBudget(() => memoryLimits(config().embeddedMemoryMegabytes)))

export const speechEngine = (): EmbeddedSpeech | undefined => embedded('speech', createSpeech)

export const listeningEngine = (): EmbeddedTranscription | undefined => embedded('transcription', createTranscription)

export const imageReader = (): EmbeddedImageReader | undefined => embedded('images', createImageReader)

const retoucher = (): EmbeddedRetoucher | undefined => embedded('retoucher', createRetoucher)

/** Finds the image engine of this name. @throws EngineError `offline` when there is none. */
export function imageEngineOf(engine: string): ImageEngine {
  if (engine === EMBEDDED_ENGINE) {
    const embedded = retoucher()
    if (embedded) return embedded
    throw unavailable('image model')
  }
  const calls = upstreamClient(engine)
  const options = engineOptions(engine)
  if (options?.imageStyle === 'webui') return webuiImageEngine(calls)
  return options?.imageStyle === 'comfyui' ? comfyImageEngine(options) : upstreamImageEngine(calls)
}

export function transcriptionEngine(name: string): EmbeddedTranscription {
  const engine = name === EMBEDDED_ENGINE ? listeningEngine() : undefined
  if (engine) return engine
  throw unavailable('speech model')
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
  const before = holder.__serviceEngines ?? new Map<string, Upstream>()
  const after = new Map<string, Upstream>()
  for (const [name, definition] of Object.entries(definitions)) {
    const known = before.get(name)
    const isSame = JSON.stringify(known?.definition) === JSON.stringify(definition)
    after.set(name, known && isSame ? known : createUpstream(name, definition))
  }
  holder.__serviceEngines = after
  for (const [name, upstream] of before) if (after.get(name) !== upstream) closeLater(name, upstream)
}

function createUpstream(name: string, definition: EngineOptions): Upstream {
  const options = { name, ...definition }
  return { definition, chat: createUpstreamChatEngine(options), client: createUpstreamClient(options) }
}

function closeLater(engine: string, { chat, client }: Upstream): void {
  Promise.all([chat.close?.(), client.close()]).catch((error: unknown) =>
    log().warn({ engine, err: error }, 'closing an engine failed'),
  )
}

export async function closeEngines(): Promise<void> {
  const upstreams = [...(holder.__serviceEngines?.values() ?? [])].flatMap(({ chat, client }) => [chat, client])
  const chat = holder.__serviceEmbeddedChat
  const tasks = Object.values(holder.__serviceEmbeddedTasks ?? {})
  holder.__serviceEngines = undefined
  holder.__serviceEmbeddedChat = undefined
  holder.__serviceEmbeddedTasks = undefined
  await Promise.all([...upstreams, chat, ...tasks].map((engine) => engine?.close?.()))
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
