import 'server-only'
import { ChatJob } from '@/lib/services/engines/embedded/chat/chat-job'
import type { ChatCommand, ChatReport, ModelOptions } from '@/lib/services/engines/embedded/chat/chat-protocol'
import { errorOf, ModelProcess } from '@/lib/services/engines/embedded/model-process'
import type { ChatRequest, EngineError } from '@/lib/services/engines/engine'

type Callbacks = { onProgress: (fraction: number) => void; onExit: (child: ChatChild) => void }

/** One loaded chat model in a process of its own, seen from the server. */
export class ChatChild {
  readonly #process: ModelProcess<ChatCommand, ChatReport>
  readonly #jobs = new Map<number, ChatJob>()
  readonly #callbacks: Callbacks
  #nextId = 1

  private constructor(name: string, callbacks: Callbacks) {
    this.#callbacks = callbacks
    this.#process = new ModelProcess({
      name,
      entry: 'chat/chat-worker.ts',
      onReport: (report) => this.#hear(report),
      onExit: (error) => this.#end(error),
    })
  }

  /** Starts the process and loads the model. @throws EngineError `failed` when it cannot be loaded. */
  static async start(name: string, options: ModelOptions, callbacks: Callbacks): Promise<ChatChild> {
    const child = new ChatChild(name, callbacks)
    await child.#process.load({ type: 'load', options })
    return child
  }

  get processId(): number | undefined {
    return this.#process.id
  }

  /** Sends a request to the model. The caller reads the job, and waits for its `done` before it sends another. */
  run(request: ChatRequest, signal: AbortSignal): ChatJob {
    const id = this.#nextId++
    const job = new ChatJob(
      (count) => this.#process.send({ type: 'credit', id, count }),
      () => this.#process.send({ type: 'cancel', id }),
    )
    const onAbort = () => job.abandon()
    this.#jobs.set(id, job)
    signal.addEventListener('abort', onAbort, { once: true })
    job.done.then(() => signal.removeEventListener('abort', onAbort))
    this.#process.send({ type: 'generate', id, request })
    return job
  }

  /** Ends the process at once; it has nothing to save, and the memory is back when it is gone. */
  kill(): void {
    this.#process.kill()
  }

  #hear(report: ChatReport): void {
    if (report.type === 'loading') this.#callbacks.onProgress(report.fraction)
    else if (report.type === 'loaded') this.#process.accept(report.residentBytes)
    else if (report.type === 'events') this.#jobs.get(report.id)?.arrive(report.events, report.count)
    else if (report.type === 'end') this.#finish(report.id)
    else if (report.id === undefined) this.#process.refuse(errorOf(report))
    else this.#finish(report.id, errorOf(report))
  }

  #finish(id: number, error?: EngineError): void {
    this.#jobs.get(id)?.finish(error)
    this.#jobs.delete(id)
  }

  #end(error: EngineError): void {
    for (const job of this.#jobs.values()) job.finish(error)
    this.#jobs.clear()
    this.#callbacks.onExit(this)
  }
}
