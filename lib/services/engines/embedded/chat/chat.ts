import 'server-only'
import { chatModelsOf, type EmbeddedChatModel } from '@/lib/services/engines/embedded/chat/chat-models'
import { ChatRoom, type LoadProgress, type RoomState } from '@/lib/services/engines/embedded/chat/process'
import { estimateTokens } from '@/lib/services/engines/embedded/estimate-tokens'
import { IMAGE_READER, readConversation } from '@/lib/services/engines/embedded/vision/chat'
import { createImageReader, type EmbeddedImageReader } from '@/lib/services/engines/embedded/vision/vision'
import { ensureWeights } from '@/lib/services/engines/embedded/weights/weights'
import { type ChatEngine, EngineError } from '@/lib/services/engines/engine'

const DEFAULT_MAX_QUEUED = 8
const IDLE_MS = 10 * 60_000

export type EmbeddedChatOptions = {
  profile: 'standard' | 'lean'
  dataDir: string
  /** Requests that wait for a place, for each model; one more gets `at-capacity`. */
  maxQueued?: number
  /** Without a request for this long a model leaves memory. */
  idleMs?: number
  /** What the model that reads pictures reads with; its own where there is none to share. */
  imageReader?: EmbeddedImageReader
}

export type EmbeddedChatEngine = ChatEngine & {
  /**
   * Fetches and loads a model ahead of its first use: the profile's default one, or the one named.
   *
   * @throws EngineError `offline` when the weights cannot be had, `failed` when they cannot be loaded.
   */
  load(onProgress?: (progress: LoadProgress) => void, model?: string): Promise<void>
  /** What each model is doing. */
  state(): RoomState[]
  close(): Promise<void>
}

/**
 * Chat models with real weights, each in a child process (docs/adr/0001). Nothing is fetched or loaded before `load`
 * or the first request.
 */
export function createEmbeddedChatEngine(options: EmbeddedChatOptions): EmbeddedChatEngine {
  const { profile, dataDir, maxQueued = DEFAULT_MAX_QUEUED, idleMs = IDLE_MS } = options
  const images = options.imageReader ?? createImageReader({ dataDir })
  const roomOf = ({ name, options: model }: EmbeddedChatModel) =>
    new ChatRoom({
      name,
      model,
      maxQueued,
      idleMs,
      findWeights: async (onProgress) => (await ensureWeights(name, { dataDir, onProgress }))['model.gguf']!,
    })
  return engineOf(new Map(chatModelsOf(profile).map((model) => [model.name, roomOf(model)])), images)
}

/** The engine over any rooms, by the models' names, and what reads pictures; the first room is the default. */
function engineOf(rooms: Map<string, ChatRoom>, images?: EmbeddedImageReader): EmbeddedChatEngine {
  const room = (name: string): ChatRoom => {
    const found = rooms.get(name)
    if (!found) throw new EngineError('offline', `There is no embedded model ${name} in this profile.`)
    return found
  }
  const [first = ''] = rooms.keys()
  return {
    // Models of this size call a tool when they must, and never by themselves.
    callsToolsUnasked: false,
    async *stream(request, signal) {
      if (images && request.model === IMAGE_READER) yield* readConversation(images, request, signal)
      else yield* room(request.model).stream(request, signal)
    },
    countTokens: estimateTokens,
    load: (onProgress, model = first) => room(model).load(onProgress),
    state: () => [...rooms.values(), ...(images ? [images] : [])].map((one) => one.state()),
    close: async () => {
      for (const one of rooms.values()) one.close()
      await images?.close()
    },
  }
}
