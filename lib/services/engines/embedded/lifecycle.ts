import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { log } from '@/lib/kernel/log'
import { Semaphore } from '@/lib/kernel/semaphore'
import type { WeightsProgress } from '@/lib/services/engines/embedded/weights/weights'
import { EngineError } from '@/lib/services/engines/engine'

const READY_WAIT_MS = 30_000
const RETRY_AFTER_SECONDS = 10
const BACKOFF_MS = 500
const MAX_BACKOFF_MS = 30_000

export type LoadProgress = { step: WeightsProgress['step'] | 'loading'; fraction: number }

export type EmbeddedModelState = {
  model: string
  state: 'asleep' | LoadProgress['step'] | 'ready' | 'failed'
  fraction?: number
  message?: string
  processId?: number
  activeRequests: number
  queuedRequests: number
}

type Child = { readonly processId: number | undefined; kill(): void }

type LifecycleOptions<C extends Child> = {
  name: string
  slots: Semaphore
  idleMs: number
  start: (hooks: { tell: (progress: LoadProgress) => void; onExit: (gone: C) => void }) => Promise<C>
}

/** Starts an embedded model on first use, ends it when idle, and starts it again after a crash. */
export class Lifecycle<C extends Child> {
  readonly #options: LifecycleOptions<C>
  readonly #listeners = new Set<(progress: LoadProgress) => void>()
  #child?: C
  #starting?: Promise<C>
  #progress?: LoadProgress
  #failures = 0
  #notBefore = 0
  #failure?: EngineError
  #idle?: NodeJS.Timeout
  #isClosed = false

  constructor(options: LifecycleOptions<C>) {
    this.#options = options
  }

  state(): EmbeddedModelState {
    const { active: activeRequests, queued: queuedRequests } = this.#options.slots
    const work = { model: this.#options.name, activeRequests, queuedRequests }
    if (this.#child) return { ...work, state: 'ready', processId: this.#child.processId }
    if (this.#progress) return { ...work, state: this.#progress.step, fraction: this.#progress.fraction }
    if (this.#failure) return { ...work, state: 'failed', message: this.#failure.message }
    return { ...work, state: 'asleep' }
  }

  async load(onProgress?: (progress: LoadProgress) => void): Promise<void> {
    if (onProgress) this.#listeners.add(onProgress)
    try {
      await this.#ready()
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
    const either = AbortSignal.any([signal, AbortSignal.timeout(READY_WAIT_MS)])
    return new Promise((resolve, reject) => {
      either.addEventListener('abort', () => reject(signal.aborted ? signal.reason : this.#notReady()), { once: true })
      this.#ready().then(resolve, reject)
    })
  }

  succeed(): void {
    this.#failures = 0
  }

  /** Starts the idle clock when no place is taken. Call it when a place was given back. */
  rest(): void {
    clearTimeout(this.#idle)
    if (this.#options.slots.active > 0 || !this.#child) return
    this.#idle = setTimeout(() => {
      log().info({ model: this.#options.name }, 'embedded model unloaded: idle')
      this.#child?.kill()
      this.#child = undefined
    }, this.#options.idleMs).unref()
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
      const child = await this.#options.start({
        tell: (progress) => this.#tell(progress),
        onExit: (gone) => this.#onExit(gone),
      })
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
      this.#failure =
        cause instanceof EngineError
          ? cause
          : new EngineError('failed', 'The embedded model could not be started.', { cause })
      log().error({ err: cause, model: this.#options.name }, 'embedded model is not available')
      this.#backOff()
      throw this.#failure
    }
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
