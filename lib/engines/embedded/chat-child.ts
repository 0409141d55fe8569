import 'server-only'
import { log } from '@/lib/core/log'
import { ChatJob } from '@/lib/engines/embedded/chat-job'
import type { ChatCommand, ChatReport, ModelOptions } from '@/lib/engines/embedded/chat-protocol'
import { type EngineChild, forkEntry } from '@/lib/engines/embedded/child'
import { type ChatRequest, EngineError } from '@/lib/engines/engine'

/** Reading a file of a few hundred megabytes from a slow disk. */
const LOAD_DEADLINE_MS = 120_000

type Callbacks = { onProgress: (fraction: number) => void; onExit: (child: ChatChild) => void }

/** One loaded model in a process of its own, seen from the server. */
export class ChatChild {
  readonly #child: EngineChild
  readonly #jobs = new Map<number, ChatJob>()
  readonly #loaded = Promise.withResolvers<number>()
  readonly #callbacks: Callbacks
  #nextId = 1

  private constructor(name: string, callbacks: Callbacks) {
    this.#callbacks = callbacks
    this.#child = forkEntry('chat-worker.ts', { isIsolated: true })
    this.#child.process.on('message', (report: ChatReport) => this.#hear(report))
    this.#child.process.on('error', (cause) => this.#loaded.reject(broken(cause)))
    this.#child.process.on('exit', (code, signal) => this.#end(name, code, signal))
  }

  /** Starts the process and loads the model. @throws EngineError `failed` when it cannot be loaded. */
  static async start(name: string, options: ModelOptions, callbacks: Callbacks): Promise<ChatChild> {
    const child = new ChatChild(name, callbacks)
    const startedAt = performance.now()
    const deadline = setTimeout(
      () => child.#loaded.reject(broken(new Error('loading took too long'))),
      LOAD_DEADLINE_MS,
    )
    try {
      child.#send({ type: 'load', options })
      const residentBytes = await child.#loaded.promise
      const durationMs = Math.round(performance.now() - startedAt)
      log().info(
        { model: name, durationMs, residentMegabytes: Math.round(residentBytes / 1e6) },
        'embedded model loaded',
      )
      return child
    } catch (error) {
      child.kill()
      throw error
    } finally {
      clearTimeout(deadline)
    }
  }

  get processId(): number | undefined {
    return this.#child.process.pid
  }

  /** Sends a request to the model. The caller reads the job, and waits for its `done` before it sends another. */
  run(request: ChatRequest, signal: AbortSignal): ChatJob {
    const id = this.#nextId++
    const job = new ChatJob(
      (count) => this.#send({ type: 'credit', id, count }),
      () => this.#send({ type: 'cancel', id }),
    )
    const onAbort = () => job.abandon()
    this.#jobs.set(id, job)
    signal.addEventListener('abort', onAbort, { once: true })
    job.done.then(() => signal.removeEventListener('abort', onAbort))
    this.#send({ type: 'generate', id, request })
    return job
  }

  /** Ends the process at once; it has nothing to save, and the memory is back when it is gone. */
  kill(): void {
    this.#child.process.kill('SIGKILL')
  }

  #hear(report: ChatReport): void {
    if (report.type === 'loading') this.#callbacks.onProgress(report.fraction)
    else if (report.type === 'loaded') this.#loaded.resolve(report.residentBytes)
    else if (report.type === 'events') this.#jobs.get(report.id)?.arrive(report.events, report.count)
    else if (report.type === 'end') this.#finish(report.id)
    else if (report.id === undefined) this.#loaded.reject(errorOf(report))
    else this.#finish(report.id, errorOf(report))
  }

  #finish(id: number, error?: EngineError): void {
    this.#jobs.get(id)?.finish(error)
    this.#jobs.delete(id)
  }

  #end(name: string, code: number | null, signal: NodeJS.Signals | null): void {
    const cause = new Error(`the model process ended with ${signal ?? code}`)
    const isExpected = this.#child.process.killed
    if (!isExpected)
      log().error({ model: name, code, signal, stderr: this.#child.stderr() }, 'embedded model process died')
    this.#loaded.reject(broken(cause))
    for (const job of this.#jobs.values()) job.finish(broken(cause))
    this.#jobs.clear()
    this.#callbacks.onExit(this)
  }

  #send(command: ChatCommand): void {
    // Between the end of the process and its exit event nobody is there to hear; the exit tells every job.
    if (this.#child.process.connected) this.#child.process.send(command, () => undefined)
  }
}

function errorOf({ reason, message, detail }: Extract<ChatReport, { type: 'failed' }>): EngineError {
  return new EngineError(reason, message, detail === undefined ? {} : { cause: new Error(detail) })
}

const broken = (cause: unknown): EngineError =>
  new EngineError('failed', 'The embedded model broke off. Send the request again.', { cause })
