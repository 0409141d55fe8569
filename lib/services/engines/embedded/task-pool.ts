import 'server-only'
import type { Semaphore } from '@/lib/kernel/semaphore'
import {
  type EmbeddedModelState,
  Lifecycle,
  type LoadProgress,
  type ModelMemory,
  modelSlots,
} from '@/lib/services/engines/embedded/lifecycle'
import type { EngineEntry } from '@/lib/services/engines/embedded/model-process'
import { errorOf, ModelProcess } from '@/lib/services/engines/embedded/model-process'
import type { TaskCommand, TaskReport } from '@/lib/services/engines/embedded/task-protocol'
import type { WeightsProgress } from '@/lib/services/engines/embedded/weights/weights'
import { EngineError } from '@/lib/services/engines/engine'

export type TaskPoolOptions = {
  name: string
  entry: EngineEntry
  findWeights: (onProgress: (progress: WeightsProgress) => void) => Promise<Record<string, string>>
  maxActive: number
  maxQueued: number
  idleMs: number
  // A task that takes longer ends the child, and with it the other tasks that it has.
  taskDeadlineMs: number
  /** Without it the model takes its memory beside the others'. */
  memory?: ModelMemory<Record<string, string>>
}

/**
 * Runs tasks in a child process with a model (docs/adr/0001), started on first use, ended when idle, started again
 * after a crash. Inputs and outputs are structured clones, typed arrays as they are.
 */
export class TaskPool<Input, Output> {
  readonly #taskDeadlineMs: number
  readonly #slots: Semaphore
  readonly #life: Lifecycle<TaskProcess<Input, Output>, Record<string, string>>

  constructor(options: TaskPoolOptions) {
    const { name, entry, findWeights, maxActive, maxQueued, idleMs, taskDeadlineMs, memory } = options
    this.#taskDeadlineMs = taskDeadlineMs
    this.#slots = modelSlots(maxActive, maxQueued)
    this.#life = new Lifecycle({
      name,
      idleMs,
      slots: this.#slots,
      memory,
      findWeights,
      start: (paths, { onExit }) => TaskProcess.start({ name, entry, paths, onExit }),
    })
  }

  load(onProgress?: (progress: LoadProgress) => void): Promise<void> {
    return this.#life.load(onProgress)
  }

  /**
   * Does one task. An abort is heard at once; the place is free when the child has let go.
   *
   * @throws EngineError `at-capacity` when the queue is full, `offline` while the model is fetched or when it cannot
   *   be, `timeout` past the deadline, `failed` when the child broke off, and what the task itself throws.
   */
  async run(input: Input, signal: AbortSignal): Promise<Output> {
    signal.throwIfAborted()
    const leave = await this.#slots.acquire(signal)
    let done: Promise<void> | undefined
    try {
      const child = await this.#life.readyWithin(signal)
      signal.throwIfAborted()
      const onStuck = () => this.#life.discard(child)
      const task = child.run(input, { signal, deadlineMs: this.#taskDeadlineMs, onStuck })
      done = task.done
      const output = await task.output
      this.#life.succeed()
      return output
    } finally {
      Promise.resolve(done).then(() => {
        leave()
        this.#life.rest()
      })
    }
  }

  state(): EmbeddedModelState {
    return this.#life.state()
  }

  async close(): Promise<void> {
    this.#life.close()
  }
}

type Options<Input, Output> = {
  name: string
  entry: EngineEntry
  paths: Record<string, string>
  onExit: (gone: TaskProcess<Input, Output>) => void
}

type RunningTask<Output> = {
  output: Promise<Output>
  done: Promise<void>
}

type Waiting<Output> = { resolve: (output: Output) => void; reject: (error: unknown) => void; release: () => void }

class TaskProcess<Input, Output> extends ModelProcess<TaskCommand<Input>, TaskReport<Output>> {
  readonly #waiting = new Map<number, Waiting<Output>>()
  readonly #onExit: Options<Input, Output>['onExit']
  #nextId = 1

  private constructor({ name, entry, onExit }: Options<Input, Output>) {
    super({ name, entry, isBinary: true })
    this.#onExit = onExit
  }

  static async start<Input, Output>(options: Options<Input, Output>): Promise<TaskProcess<Input, Output>> {
    const started = new TaskProcess<Input, Output>(options)
    await started.load({ type: 'load', paths: options.paths })
    return started
  }

  run(input: Input, { signal, deadlineMs, onStuck }: RunOptions): RunningTask<Output> {
    const id = this.#nextId++
    const output = Promise.withResolvers<Output>()
    const done = Promise.withResolvers<void>()
    const onAbort = () => {
      output.reject(signal.reason)
      this.send({ type: 'cancel', id })
    }
    const deadline = setTimeout(() => {
      output.reject(new EngineError('timeout', `The embedded model took longer than ${deadlineMs / 1000} seconds.`))
      onStuck()
    }, deadlineMs)
    const release = () => {
      clearTimeout(deadline)
      signal.removeEventListener('abort', onAbort)
      done.resolve()
    }
    this.#waiting.set(id, { resolve: output.resolve, reject: output.reject, release })
    signal.addEventListener('abort', onAbort, { once: true })
    this.send({ type: 'task', id, input })
    return { output: output.promise, done: done.promise }
  }

  protected receive(report: TaskReport<Output>): void {
    if (report.type === 'loaded') this.accept(report.residentBytes)
    else if (report.type === 'done') this.#finish(report.id, ({ resolve }) => resolve(report.output))
    else if (report.type === 'cancelled') this.#finish(report.id, () => undefined)
    else if (report.id === undefined) this.refuse(errorOf(report))
    else this.#finish(report.id, ({ reject }) => reject(errorOf(report)))
  }

  protected exited(error: EngineError): void {
    for (const id of this.#waiting.keys()) this.#finish(id, ({ reject }) => reject(error))
    this.#onExit(this)
  }

  #finish(id: number, settle: (waiting: Waiting<Output>) => void): void {
    const waiting = this.#waiting.get(id)
    if (!waiting) return
    this.#waiting.delete(id)
    settle(waiting)
    waiting.release()
  }
}

type RunOptions = {
  signal: AbortSignal
  deadlineMs: number
  onStuck: () => void
}
