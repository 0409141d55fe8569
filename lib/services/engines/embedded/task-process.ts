import 'server-only'
import type { EngineEntry } from '@/lib/services/engines/embedded/child'
import { errorOf, ModelProcess } from '@/lib/services/engines/embedded/model-process'
import type { TaskCommand, TaskReport } from '@/lib/services/engines/embedded/task-protocol'
import { EngineError } from '@/lib/services/engines/engine'

type Options<Input, Output> = {
  name: string
  entry: EngineEntry
  paths: Record<string, string>
  onExit: (gone: TaskProcess<Input, Output>) => void
}

export type RunningTask<Output> = {
  /** Rejects at once when the task is cancelled. */
  output: Promise<Output>
  /** Resolves when the process has let go of the task. */
  done: Promise<void>
}

type Waiting<Output> = { resolve: (output: Output) => void; reject: (error: unknown) => void; letGo: () => void }

/** A process with a loaded model that does tasks, seen from the server. */
export class TaskProcess<Input, Output> {
  readonly #process: ModelProcess<TaskCommand<Input>, TaskReport<Output>>
  readonly #waiting = new Map<number, Waiting<Output>>()
  #nextId = 1

  private constructor({ name, entry, onExit }: Options<Input, Output>) {
    this.#process = new ModelProcess({
      name,
      entry,
      isBinary: true,
      onReport: (report) => this.#hear(report),
      onExit: (error) => {
        for (const id of this.#waiting.keys()) this.#finish(id, ({ reject }) => reject(error))
        onExit(this)
      },
    })
  }

  /** Starts the process and loads what it needs. @throws EngineError when it cannot be loaded. */
  static async start<Input, Output>(options: Options<Input, Output>): Promise<TaskProcess<Input, Output>> {
    const started = new TaskProcess<Input, Output>(options)
    await started.#process.load({ type: 'load', paths: options.paths })
    return started
  }

  get processId(): number | undefined {
    return this.#process.id
  }

  run(input: Input, { signal, deadlineMs, onStuck }: RunOptions): RunningTask<Output> {
    const id = this.#nextId++
    const output = Promise.withResolvers<Output>()
    const done = Promise.withResolvers<void>()
    const onAbort = () => {
      output.reject(signal.reason)
      this.#process.send({ type: 'cancel', id })
    }
    const deadline = setTimeout(() => {
      output.reject(new EngineError('timeout', `The embedded model took longer than ${deadlineMs / 1000} seconds.`))
      onStuck()
    }, deadlineMs)
    const letGo = () => {
      clearTimeout(deadline)
      signal.removeEventListener('abort', onAbort)
      done.resolve()
    }
    this.#waiting.set(id, { resolve: output.resolve, reject: output.reject, letGo })
    signal.addEventListener('abort', onAbort, { once: true })
    this.#process.send({ type: 'task', id, input })
    return { output: output.promise, done: done.promise }
  }

  /** Ends the process at once. */
  kill(): void {
    this.#process.kill()
  }

  #hear(report: TaskReport<Output>): void {
    if (report.type === 'loaded') this.#process.accept(report.residentBytes)
    else if (report.type === 'done') this.#finish(report.id, ({ resolve }) => resolve(report.output))
    else if (report.type === 'cancelled') this.#finish(report.id, () => undefined)
    else if (report.id === undefined) this.#process.refuse(errorOf(report))
    else this.#finish(report.id, ({ reject }) => reject(errorOf(report)))
  }

  #finish(id: number, tell: (waiting: Waiting<Output>) => void): void {
    const waiting = this.#waiting.get(id)
    if (!waiting) return
    this.#waiting.delete(id)
    tell(waiting)
    waiting.letGo()
  }
}

type RunOptions = {
  signal: AbortSignal
  deadlineMs: number
  /** The deadline passed and the process still works: it is to be ended. */
  onStuck: () => void
}
