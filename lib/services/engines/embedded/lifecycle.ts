import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { log } from '@/lib/kernel/log'
import { Semaphore } from '@/lib/kernel/semaphore'
import { type MemoryBudget, type MemoryUser, NotWanted } from '@/lib/services/engines/embedded/memory-budget'
import type { ModelProcessor } from '@/lib/services/engines/embedded/processors/packages'
import type { WeightsProgress } from '@/lib/services/engines/embedded/task-protocol'
import { EngineError } from '@/lib/services/engines/engine'

const READY_WAIT_MS = 30_000
/** A model that waits for memory waits for answers of others. */
const MEMORY_WAIT_MS = 120_000
const RETRY_AFTER_SECONDS = 10
const BACKOFF_MS = 500
const MAX_BACKOFF_MS = 30_000

/** `queued`: other models have the memory. */
export type LoadProgress = { step: WeightsProgress['step'] | 'queued' | 'loading'; fraction: number }

export type EmbeddedModelState = {
  model: string
  state: 'asleep' | LoadProgress['step'] | 'ready' | 'failed'
  fraction?: number
  message?: string
  processId?: number
  activeRequests: number
  queuedRequests: number
  /** Place in line for memory, from 1. */
  queuePosition?: number
  processor?: ModelProcessor
}

export type ModelMemory<Weights> = {
  budget: MemoryBudget
  bytesOf: (weights: Weights) => number | Promise<number>
  /** It is loaded in any case when no other model is. */
  isRequired: boolean
}

type Managed = { readonly processId: number | undefined; kill(): void }

type LifecycleOptions<C extends Managed, Weights> = {
  name: string
  slots: Semaphore
  idleMs: number
  memory?: ModelMemory<Weights>
  findWeights: (onProgress: (progress: WeightsProgress) => void) => Promise<Weights>
  start: (weights: Weights, hooks: { onProgress: (fraction: number) => void; onExit: (gone: C) => void }) => Promise<C>
}

/** Starts an embedded model on first use, ends it when idle, and starts it again after a crash. */
export class Lifecycle<C extends Managed, Weights> {
  readonly #options: LifecycleOptions<C, Weights>
  readonly #listeners = new Set<(progress: LoadProgress) => void>()
  readonly #memoryUser: MemoryUser
  #child?: C
  #starting?: Promise<C>
  #progress?: LoadProgress
  #failures = 0
  #notBefore = 0
  #failure?: EngineError
  #idle?: NodeJS.Timeout
  #waiting = 0
  #isStale = false
  #isClosed = false

  constructor(options: LifecycleOptions<C, Weights>) {
    this.#options = options
    this.#memoryUser = {
      isIdle: () => this.#child !== undefined && options.slots.active === 0,
      isWanted: () => this.#waiting > 0,
      lastUsedAt: 0,
      unload: () => this.#unload('another model needs the memory'),
    }
  }

  state(): EmbeddedModelState {
    const { active: activeRequests, queued: queuedRequests } = this.#options.slots
    const work = { model: this.#options.name, activeRequests, queuedRequests }
    if (this.#child) return { ...work, state: 'ready', processId: this.#child.processId }
    if (this.#progress) {
      const queuePosition = this.#options.memory?.budget.positionOf(this.#memoryUser)
      const { step, fraction } = this.#progress
      return { ...work, state: step, fraction, ...(queuePosition !== undefined && { queuePosition }) }
    }
    if (this.#failure) return { ...work, state: 'failed', message: this.#failure.message }
    return { ...work, state: 'asleep' }
  }

  async load(onProgress?: (progress: LoadProgress) => void): Promise<void> {
    if (onProgress) this.#listeners.add(onProgress)
    try {
      await this.#wait(this.#ready())
    } finally {
      if (onProgress) this.#listeners.delete(onProgress)
    }
  }

  /**
   * Waits for the running model, for the holder of a place.
   *
   * @throws EngineError `offline` with a time to come back when it is not ready soon; the signal's reason when aborted.
   */
  readyWithin(signal: AbortSignal): Promise<C> {
    clearTimeout(this.#idle)
    if (this.#child) return Promise.resolve(this.#child)
    return this.#wait(this.#within(signal, this.#ready()))
  }

  /** Counts who waits: a model that nobody waits for any more takes no memory from others. */
  async #wait(ready: Promise<C>): Promise<C> {
    this.#waiting++
    try {
      return await ready
    } finally {
      this.#waiting--
      if (this.#waiting === 0) this.#options.memory?.budget.settle()
    }
  }

  #within(signal: AbortSignal, ready: Promise<C>): Promise<C> {
    signal.throwIfAborted()
    return new Promise((resolve, reject) => {
      const onTimeout = () => {
        if (this.#progress?.step !== 'queued' || hasWaited) return stop(() => reject(this.#notReady()))
        hasWaited = true
        timer = setTimeout(onTimeout, MEMORY_WAIT_MS - READY_WAIT_MS)
      }
      let hasWaited = false
      let timer = setTimeout(onTimeout, READY_WAIT_MS)
      const stop = (settle: () => void) => {
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
        settle()
      }
      const onAbort = () => stop(() => reject(signal.reason))
      signal.addEventListener('abort', onAbort, { once: true })
      ready.then(
        (child) => stop(() => resolve(child)),
        (error) => stop(() => reject(error)),
      )
    })
  }

  succeed(): void {
    this.#failures = 0
  }

  /** Starts the idle clock when no place is taken. Call it when a place was given back. */
  rest(): void {
    clearTimeout(this.#idle)
    this.#memoryUser.lastUsedAt = performance.now()
    if (this.#options.slots.active > 0 || !this.#child) return
    if (this.#isStale) this.#unload('it is started anew on another processor')
    else this.#idle = setTimeout(() => this.#unload('idle'), this.#options.idleMs).unref()
    this.#options.memory?.budget.settle()
  }

  /** Ends the process when it has no request, so that the next one starts it anew. */
  restart(): void {
    this.#isStale = this.#child !== undefined || this.#starting !== undefined
    this.rest()
  }

  #unload(reason: string): void {
    clearTimeout(this.#idle)
    log().info({ model: this.#options.name, reason }, 'embedded model unloaded')
    this.#isStale = false
    this.#child?.kill()
    this.#child = undefined
  }

  discard(child: C): void {
    child.kill()
    this.#onExit(child)
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#idle)
    this.#child?.kill()
  }

  #ready(): Promise<C> {
    if (this.#child) return Promise.resolve(this.#child)
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined
      this.#progress = undefined
    })
    return this.#starting
  }

  async #start(): Promise<C> {
    if (this.#isClosed) throw stopping()
    // A failure is not tried anew for each request: until its time is over they all hear the same.
    if (this.#failure && Date.now() < this.#notBefore) throw this.#failure
    await sleep(Math.max(0, this.#notBefore - Date.now()))
    try {
      const weights = await this.#options.findWeights(({ step, bytes, total }) =>
        this.#report({ step, fraction: total ? bytes / total : 0 }),
      )
      const child = await this.#startChild(weights)
      if (this.#isClosed) {
        child.kill()
        throw stopping()
      }
      this.#failure = undefined
      this.#child = child
      // Whoever wanted it may have left while it loaded.
      this.rest()
      return child
    } catch (cause) {
      if (cause instanceof NotWanted) throw cause
      this.#failure =
        cause instanceof EngineError
          ? cause
          : new EngineError('failed', 'The embedded model could not be started.', { cause })
      log().error({ err: cause, model: this.#options.name }, 'embedded model is not available')
      this.#backOff()
      throw this.#failure
    }
  }

  async #startChild(weights: Weights): Promise<C> {
    const release = await this.#reserve(weights)
    const onProgress = (fraction: number) => this.#report({ step: 'loading', fraction })
    onProgress(0)
    let started: C | undefined
    const onExit = (gone: C) => {
      if (gone === started) release?.()
      this.#onExit(gone)
    }
    try {
      started = await this.#options.start(weights, { onProgress, onExit })
      return started
    } catch (error) {
      release?.()
      throw error
    }
  }

  async #reserve(weights: Weights): Promise<(() => void) | undefined> {
    const { memory } = this.#options
    if (!memory) return undefined
    const onQueued = () => this.#report({ step: 'queued', fraction: 0 })
    return await memory.budget.hold(this.#memoryUser, await memory.bytesOf(weights), {
      isRequired: memory.isRequired,
      onQueued,
    })
  }

  #onExit(gone: C): void {
    if (this.#child !== gone) return
    this.#child = undefined
    if (!this.#isClosed) this.#backOff()
  }

  #backOff(): void {
    this.#notBefore = Date.now() + Math.min(MAX_BACKOFF_MS, BACKOFF_MS * 2 ** this.#failures)
    this.#failures++
  }

  #report(progress: LoadProgress): void {
    this.#progress = progress
    for (const listener of this.#listeners) listener(progress)
  }

  #notReady(): EngineError {
    const { step, fraction } = this.#progress ?? { step: 'loading', fraction: 0 }
    const position = this.#options.memory?.budget.positionOf(this.#memoryUser)
    if (position !== undefined) {
      return new EngineError(
        'offline',
        `Other models are using the memory of this server. This model is number ${position} in line. Try again shortly.`,
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      )
    }
    const percent = Math.floor(fraction * 100)
    return new EngineError('offline', `The model is still ${step} (${percent} %). Try again shortly.`, {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    })
  }
}

const stopping = (): EngineError => new EngineError('offline', 'The server is stopping.')

const BUSY_RETRY_AFTER_SECONDS = 5

/**
 * Creates the places of a model. Waiting for one ends with EngineError `at-capacity`, at once, when the queue is full.
 */
export function modelSlots(size: number, maxQueued: number): Semaphore {
  const message = 'This model is busy with other requests. Try again in a few seconds.'
  const full = () => new EngineError('at-capacity', message, { retryAfterSeconds: BUSY_RETRY_AFTER_SECONDS })
  return new Semaphore(size, { max: maxQueued, full })
}
