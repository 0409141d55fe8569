import 'server-only'
import type { Slots } from '@/lib/kernel/semaphore'
import { ChatChild } from '@/lib/services/engines/embedded/chat/chat-child'
import type { ChatJob } from '@/lib/services/engines/embedded/chat/chat-job'
import type { ModelOptions } from '@/lib/services/engines/embedded/chat/chat-protocol'
import { Lifecycle, type LoadProgress, type RoomState } from '@/lib/services/engines/embedded/lifecycle'
import { modelSlots } from '@/lib/services/engines/embedded/model-slots'
import type { WeightsProgress } from '@/lib/services/engines/embedded/weights/weights'
import { type ChatEvent, type ChatRequest, EngineError, textOf } from '@/lib/services/engines/engine'

export type { LoadProgress, RoomState }

/** No vocabulary has longer tokens. What is too long by this measure is refused before anybody tokenizes it. */
const LONGEST_TOKEN_CHARACTERS = 64

export type RoomOptions = {
  name: string
  model: Omit<ModelOptions, 'modelPath'>
  /** Brings the weights and says where they are. */
  findWeights: (onProgress: (progress: WeightsProgress) => void) => Promise<string>
  maxQueued: number
  /** Without a request for this long the model is unloaded. */
  idleMs: number
}

/** One embedded chat model: fetched and loaded on first use, unloaded when idle, started again after a crash. */
export class ChatRoom {
  readonly #options: RoomOptions
  readonly #slots: Slots
  readonly #life: Lifecycle<ChatChild>

  constructor(options: RoomOptions) {
    const { name, model, findWeights, maxQueued, idleMs } = options
    this.#options = options
    this.#slots = modelSlots(model.sequences, maxQueued)
    this.#life = new Lifecycle({
      name,
      idleMs,
      slots: this.#slots,
      start: async ({ tell, onExit }) => {
        const modelPath = await findWeights(({ step, bytes, total }) =>
          tell({ step, fraction: total ? bytes / total : 0 }),
        )
        tell({ step: 'loading', fraction: 0 })
        const onProgress = (fraction: number) => tell({ step: 'loading', fraction })
        return await ChatChild.start(name, { ...model, modelPath }, { onProgress, onExit })
      },
    })
  }

  state(): RoomState {
    return this.#life.state()
  }

  /** Fetches and loads the model now. @throws EngineError when that fails. */
  load(onProgress?: (progress: LoadProgress) => void): Promise<void> {
    return this.#life.load(onProgress)
  }

  async *stream(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatEvent> {
    signal.throwIfAborted()
    this.#refuseHugePrompt(request)
    const leave = await this.#slots.enter(signal)
    let job: ChatJob | undefined
    try {
      const child = await this.#life.readyWithin(signal)
      job = child.run(request, signal)
      for (let event = await job.read(); event; event = await job.read()) yield event
      signal.throwIfAborted()
      this.#life.succeed()
    } finally {
      job?.abandon()
      // The place is free when the model has let go, not when the reader has.
      const done = job?.done ?? Promise.resolve()
      done.then(() => this.#leave(leave))
    }
  }

  close(): void {
    this.#life.close()
  }

  #refuseHugePrompt({ messages }: ChatRequest): void {
    const { contextTokens } = this.#options.model
    const characters = messages.reduce((sum, message) => sum + textOf(message).length, 0)
    if (characters <= contextTokens * LONGEST_TOKEN_CHARACTERS) return
    throw new EngineError(
      'context-overflow',
      `This model's context is ${contextTokens} tokens, and the messages are far more (${characters} characters). Shorten them.`,
    )
  }

  #leave(leave: () => void): void {
    leave()
    this.#life.rest()
  }
}
