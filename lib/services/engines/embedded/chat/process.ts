import 'server-only'
import { log } from '@/lib/kernel/log'
import type { Semaphore } from '@/lib/kernel/semaphore'
import type {
  ChatCommand,
  ChatReport,
  ModelOptions,
  UsedProcessor,
} from '@/lib/services/engines/embedded/chat/chat-protocol'
import { appendEvent } from '@/lib/services/engines/embedded/chat/chat-protocol'
import { type ChatRuntime, chooseRuntime } from '@/lib/services/engines/embedded/chat/runtime'
import {
  type EmbeddedModelState,
  Lifecycle,
  type LoadProgress,
  type ModelMemory,
  modelSlots,
} from '@/lib/services/engines/embedded/lifecycle'
import { type EngineEntry, errorOf, ModelProcess } from '@/lib/services/engines/embedded/model-process'
import type { ModelProcessor, System } from '@/lib/services/engines/embedded/processors/packages'
import { cpuName, gpuEnvironment, type Processors } from '@/lib/services/engines/embedded/processors/processors'
import type { WeightsProgress } from '@/lib/services/engines/embedded/weights/weights'
import { type ChatEvent, type ChatRequest, contentText, EngineError } from '@/lib/services/engines/engine'

export type { EmbeddedModelState, LoadProgress }

const MAX_TOKEN_CHARACTERS = 64

export type ChatPoolOptions = {
  name: string
  model: Omit<ModelOptions, 'modelPath' | 'gpu'>
  findWeights: (onProgress: (progress: WeightsProgress) => void) => Promise<string>
  maxQueued: number
  idleMs: number
  /** Longer than usual for models of many gigabytes. */
  loadDeadlineMs?: number
  memory?: ModelMemory<string>
  /** Without them it runs on the CPU. */
  processors?: Processors
  /** Decides on the runtime. */
  system?: System
}

export class ManagedChatModel {
  readonly #options: ChatPoolOptions
  readonly #runtime: ChatRuntime
  readonly #slots: Semaphore
  readonly #life: Lifecycle<ChatChild, string>
  #processor?: ModelProcessor
  /** Why it stays on the CPU, at least until the server starts anew. */
  #gpuFailure?: string

  constructor(options: ChatPoolOptions) {
    const { name, model, findWeights, maxQueued, idleMs, memory, system = process } = options
    const { runtime, reason, isOnCpu } = chooseRuntime(model, system)
    this.#options = options
    this.#runtime = runtime
    if (isOnCpu) this.#gpuFailure = reason
    this.#slots = modelSlots(runtime === 'node-llama-cpp' ? model.sequences : 1, maxQueued)
    this.#life = new Lifecycle({
      name,
      idleMs,
      slots: this.#slots,
      findWeights,
      memory,
      start: (modelPath, hooks) => this.#start(modelPath, hooks),
    })
  }

  state(): EmbeddedModelState {
    const processor = this.#processor ?? this.#planned()
    return { ...this.#life.state(), ...(processor && { processor }) }
  }

  /** Tells where a request that streams with this signal is in line, from 1: for a place, or for the model's memory. */
  positionOf(signal: AbortSignal): number | undefined {
    return this.#slots.positionOf(signal) ?? this.#life.state().queuePosition
  }

  #planned(): ModelProcessor | undefined {
    const { processors } = this.#options
    if (!processors || this.#gpuFailure === undefined) return processors?.plan()
    return { kind: 'cpu', name: cpuName(), reason: this.#gpuFailure }
  }

  load(onProgress?: (progress: LoadProgress) => void): Promise<void> {
    return this.#life.load(onProgress)
  }

  async *stream(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatEvent> {
    signal.throwIfAborted()
    this.#refuseHugePrompt(request)
    const leave = await this.#slots.acquire(signal)
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

  /** Has the model start anew on the processor that is there now, when it has no request. */
  restart(): void {
    this.#processor = undefined
    this.#life.restart()
  }

  async #start(modelPath: string, hooks: Callbacks): Promise<ChatChild> {
    const { name, model, processors, loadDeadlineMs } = this.#options
    const about = { name, loadDeadlineMs, runtime: this.#runtime }
    const options = { ...model, modelPath }
    const gpu = this.#gpuFailure === undefined ? processors?.start() : undefined
    if (!gpu) return this.#note(await ChatChild.start(about, options, hooks))
    try {
      const onExit = (child: ChatChild) => {
        if (child.hasDied) this.#gpuFailure = 'The process of the GPU ended unexpectedly. The CPU is used.'
        hooks.onExit(child)
      }
      return this.#note(await ChatChild.start(about, { ...options, gpu }, { ...hooks, onExit }))
    } catch (error) {
      log().warn({ err: error, model: name, gpu: gpu.kind }, 'model could not be loaded on the GPU: CPU is used')
      const child = await ChatChild.start(about, options, hooks)
      this.#gpuFailure ??= 'The model could not be loaded on the GPU. The CPU is used.'
      return this.#note(child)
    }
  }

  #note(child: ChatChild): ChatChild {
    const { name, processors } = this.#options
    if (!processors) return child
    const { kind, name: device, layers, fallback } = child.processor
    const planned = processors.plan()
    const reason =
      this.#gpuFailure ??
      fallback ??
      (layers === undefined ? planned.reason : `${planned.reason} ${layers} layers are on it.`)
    this.#processor = { kind, name: device ?? cpuName(), reason }
    const level = fallback === undefined ? 'info' : 'warn'
    const what = { model: name, runtime: this.#runtime, processor: kind, device: this.#processor.name, reason }
    log()[level](what, 'processor of a model')
    return child
  }

  #refuseHugePrompt({ messages }: ChatRequest): void {
    const { contextTokens } = this.#options.model
    const characters = messages.reduce((sum, message) => sum + contentText(message).length, 0)
    if (characters <= contextTokens * MAX_TOKEN_CHARACTERS) return
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

type Named = { name: string; loadDeadlineMs?: number; runtime: ChatRuntime }
type ProcessAbout = ConstructorParameters<typeof ModelProcess>[0]
type Callbacks = { onProgress: (fraction: number) => void; onExit: (child: ChatChild) => void }

const ENTRIES: Record<ChatRuntime, EngineEntry> = {
  'node-llama-cpp': 'chat/chat-worker.ts',
  'llama.node': 'chat/llama-node-worker.ts',
  'transformers.js': 'chat/vision-chat-worker.ts',
}

class ChatChild extends ModelProcess<ChatCommand, ChatReport> {
  readonly #jobs = new Map<number, ChatJob>()
  readonly #callbacks: Callbacks
  processor: UsedProcessor = { kind: 'cpu' }
  #nextId = 1

  private constructor(about: ProcessAbout, callbacks: Callbacks) {
    super(about)
    this.#callbacks = callbacks
  }

  static async start(about: Named, options: ModelOptions, callbacks: Callbacks): Promise<ChatChild> {
    const environment = options.gpu ? gpuEnvironment() : {}
    // The other runtimes may write prompts to their error output.
    const hidesErrors = about.runtime !== 'node-llama-cpp'
    const child = new ChatChild({ ...about, entry: ENTRIES[about.runtime], environment, hidesErrors }, callbacks)
    await child.load({ type: 'load', options })
    return child
  }

  /** Sends a request to the model. The caller reads the job, and waits for its `done` before it sends another. */
  run(request: ChatRequest, signal: AbortSignal): ChatJob {
    const id = this.#nextId++
    const job = new ChatJob(
      (count) => this.send({ type: 'credit', id, count }),
      () => this.send({ type: 'cancel', id }),
    )
    const onAbort = () => job.abandon()
    this.#jobs.set(id, job)
    signal.addEventListener('abort', onAbort, { once: true })
    job.done.then(() => signal.removeEventListener('abort', onAbort))
    this.send({ type: 'generate', id, request })
    return job
  }

  protected receive(report: ChatReport): void {
    if (report.type === 'loading') this.#callbacks.onProgress(report.fraction)
    else if (report.type === 'loaded') {
      this.processor = report.processor
      this.accept(report.residentBytes)
    } else if (report.type === 'events') this.#jobs.get(report.id)?.arrive(report.events, report.count)
    else if (report.type === 'end') this.#finish(report.id)
    else if (report.id === undefined) this.refuse(errorOf(report))
    else this.#finish(report.id, errorOf(report))
  }

  #finish(id: number, error?: EngineError): void {
    this.#jobs.get(id)?.finish(error)
    this.#jobs.delete(id)
  }

  protected exited(error: EngineError): void {
    for (const job of this.#jobs.values()) job.finish(error)
    this.#jobs.clear()
    this.#callbacks.onExit(this)
  }
}

const READER_STALL_MS = 120_000

class ChatJob {
  // Resolves when the child has let go of the request, which may be after its reader left.
  readonly done: Promise<void>
  readonly #onRead: (count: number) => void
  readonly #cancel: () => void
  readonly #resolveDone: () => void
  readonly #stall: NodeJS.Timeout
  #events: ChatEvent[] = []
  #unreadCount = 0
  #isEnded = false
  #error: unknown
  #wake?: () => void

  constructor(onRead: (count: number) => void, cancel: () => void) {
    const done = Promise.withResolvers<void>()
    this.done = done.promise
    this.#resolveDone = done.resolve
    this.#onRead = onRead
    this.#cancel = cancel
    this.#stall = setTimeout(() => this.#onStall(), READER_STALL_MS).unref()
  }

  arrive(events: ChatEvent[], count: number): void {
    if (this.#isEnded) return
    for (const event of events) appendEvent(this.#events, event)
    this.#unreadCount += count
    this.#wake?.()
  }

  finish(error?: unknown): void {
    this.#close(error)
    this.#resolveDone()
  }

  abandon(): void {
    if (this.#isEnded) return
    this.#events = []
    this.#close(undefined)
    this.#cancel()
  }

  async read(): Promise<ChatEvent | undefined> {
    for (;;) {
      const event = this.#events.shift()
      if (event) {
        this.#stall.refresh()
        if (this.#events.length === 0) this.#giveCredit()
        return event
      }
      if (this.#isEnded) {
        if (this.#error !== undefined) throw this.#error
        return undefined
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  #onStall(): void {
    if (this.#events.length === 0) {
      this.#stall.refresh()
      return
    }
    this.#close(new EngineError('timeout', 'The answer was not read for two minutes.'))
    this.#cancel()
  }

  #close(error: unknown): void {
    clearTimeout(this.#stall)
    if (this.#isEnded) return
    this.#isEnded = true
    this.#error = error
    this.#wake?.()
  }

  #giveCredit(): void {
    if (!this.#isEnded && this.#unreadCount > 0) this.#onRead(this.#unreadCount)
    this.#unreadCount = 0
  }
}
