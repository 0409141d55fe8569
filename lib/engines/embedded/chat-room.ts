import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { log } from '@/lib/core/log'
import { ChatChild } from '@/lib/engines/embedded/chat-child'
import type { ChatJob } from '@/lib/engines/embedded/chat-job'
import type { ModelOptions } from '@/lib/engines/embedded/chat-protocol'
import { Slots } from '@/lib/engines/embedded/slots'
import type { WeightsProgress } from '@/lib/engines/embedded/weights'
import { type ChatEvent, type ChatRequest, EngineError } from '@/lib/engines/engine'

/** A request waits this long for a model that is being fetched or loaded, then it is told to come back. */
const READY_WAIT_MS = 30_000
const RETRY_AFTER_SECONDS = 10
/** After each failure or crash in a row the next start waits twice as long. */
const BACKOFF_MS = 500
const MAX_BACKOFF_MS = 30_000

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

export type LoadProgress = { step: WeightsProgress['step'] | 'loading'; fraction: number }

export type RoomState = {
  model: string
  state: 'asleep' | LoadProgress['step'] | 'ready' | 'failed'
  /** Of the step that is under way, 0 to 1. */
  fraction?: number
  /** Why it failed. */
  message?: string
  /** The process that holds the model, while it is loaded. */
  processId?: number
  activeRequests: number
  queuedRequests: number
}

/** One embedded model: fetched and loaded on first use, unloaded when idle, started again after a crash. */
export class ChatRoom {
  readonly #options: RoomOptions
  readonly #slots: Slots
  readonly #listeners = new Set<(progress: LoadProgress) => void>()
  #child?: ChatChild
  #starting?: Promise<ChatChild>
  #progress?: LoadProgress
  #failures = 0
  #notBefore = 0
  #failure?: EngineError
  #idle?: NodeJS.Timeout
  #isClosed = false

  constructor(options: RoomOptions) {
    this.#options = options
    this.#slots = new Slots(options.model.sequences, options.maxQueued)
  }

  state(): RoomState {
    const { active: activeRequests, queued: queuedRequests } = this.#slots
    const work = { model: this.#options.name, activeRequests, queuedRequests }
    if (this.#child) return { ...work, state: 'ready', processId: this.#child.processId }
    if (this.#progress) return { ...work, state: this.#progress.step, fraction: this.#progress.fraction }
    if (this.#failure) return { ...work, state: 'failed', message: this.#failure.message }
    return { ...work, state: 'asleep' }
  }

  /** Fetches and loads the model now. @throws EngineError when that fails. */
  async load(onProgress?: (progress: LoadProgress) => void): Promise<void> {
    if (onProgress) this.#listeners.add(onProgress)
    try {
      await this.#ready()
    } finally {
      if (onProgress) this.#listeners.delete(onProgress)
    }
  }

  async *stream(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatEvent> {
    signal.throwIfAborted()
    this.#refuseHugePrompt(request)
    const leave = await this.#slots.enter(signal)
    clearTimeout(this.#idle)
    let job: ChatJob | undefined
    try {
      const child = await this.#readyWithin(signal)
      job = child.run(request, signal)
      for (let event = await job.read(); event; event = await job.read()) yield event
      signal.throwIfAborted()
      this.#failures = 0
    } finally {
      job?.abandon()
      // The place is free when the model has let go, not when the reader has.
      const done = job?.done ?? Promise.resolve()
      done.then(() => this.#leave(leave))
    }
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#idle)
    this.#child?.kill()
  }

  #refuseHugePrompt({ messages }: ChatRequest): void {
    const { contextTokens } = this.#options.model
    let characters = 0
    for (const { content } of messages) {
      characters +=
        typeof content === 'string' ? content.length : (content ?? []).reduce((sum, { text }) => sum + text.length, 0)
    }
    if (characters <= contextTokens * LONGEST_TOKEN_CHARACTERS) return
    throw new EngineError(
      'context-overflow',
      `This model's context is ${contextTokens} tokens, and the messages are far more (${characters} characters). Shorten them.`,
    )
  }

  #leave(leave: () => void): void {
    leave()
    this.#rest()
  }

  /** Starts the idle clock when nobody is in. */
  #rest(): void {
    clearTimeout(this.#idle)
    if (this.#slots.active > 0 || !this.#child) return
    this.#idle = setTimeout(() => {
      log().info({ model: this.#options.name }, 'embedded model unloaded: idle')
      this.#child?.kill()
      this.#child = undefined
    }, this.#options.idleMs).unref()
  }

  #readyWithin(signal: AbortSignal): Promise<ChatChild> {
    if (this.#child) return Promise.resolve(this.#child)
    const either = AbortSignal.any([signal, AbortSignal.timeout(READY_WAIT_MS)])
    return new Promise((resolve, reject) => {
      either.addEventListener('abort', () => reject(signal.aborted ? signal.reason : this.#notReady()), { once: true })
      this.#ready().then(resolve, reject)
    })
  }

  #ready(): Promise<ChatChild> {
    if (this.#child) return Promise.resolve(this.#child)
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined
      this.#progress = undefined
    })
    return this.#starting
  }

  async #start(): Promise<ChatChild> {
    // A failure is not tried anew for each request: until its time is over they all hear the same.
    if (this.#failure && Date.now() < this.#notBefore) throw this.#failure
    await sleep(Math.max(0, this.#notBefore - Date.now()))
    const { name, model, findWeights } = this.#options
    try {
      const modelPath = await findWeights(({ step, bytes, total }) =>
        this.#tell({ step, fraction: total ? bytes / total : 0 }),
      )
      this.#tell({ step: 'loading', fraction: 0 })
      const child = await ChatChild.start(
        name,
        { ...model, modelPath },
        {
          onProgress: (fraction) => this.#tell({ step: 'loading', fraction }),
          onExit: (gone) => this.#onExit(gone),
        },
      )
      if (this.#isClosed) {
        child.kill()
        throw new EngineError('offline', 'The server is stopping.')
      }
      this.#failure = undefined
      this.#child = child
      // Whoever wanted it may have left while it loaded.
      this.#rest()
      return child
    } catch (cause) {
      this.#failure =
        cause instanceof EngineError
          ? cause
          : new EngineError('failed', 'The embedded model could not be started.', { cause })
      log().error({ err: cause, model: name }, 'embedded model is not available')
      this.#backOff()
      throw this.#failure
    }
  }

  #onExit(gone: ChatChild): void {
    if (this.#child !== gone) return
    this.#child = undefined
    if (!this.#isClosed) this.#backOff()
  }

  #backOff(): void {
    this.#notBefore = Date.now() + Math.min(MAX_BACKOFF_MS, BACKOFF_MS * 2 ** this.#failures)
    this.#failures++
  }

  #tell(progress: LoadProgress): void {
    this.#progress = progress
    for (const listener of this.#listeners) listener(progress)
  }

  #notReady(): EngineError {
    const { step, fraction } = this.#progress ?? { step: 'loading', fraction: 0 }
    const percent = Math.floor(fraction * 100)
    return new EngineError('offline', `The model is still ${step} (${percent} %). Try again shortly.`, {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    })
  }
}
