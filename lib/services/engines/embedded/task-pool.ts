import 'server-only'
import type { Slots } from '@/lib/kernel/semaphore'
import type { EngineEntry } from '@/lib/services/engines/embedded/child'
import { Lifecycle, type LoadProgress, type RoomState } from '@/lib/services/engines/embedded/lifecycle'
import { modelSlots } from '@/lib/services/engines/embedded/model-slots'
import { TaskProcess } from '@/lib/services/engines/embedded/task-process'
import type { WeightsProgress } from '@/lib/services/engines/embedded/weights/weights'

export type TaskRoomOptions = {
  name: string
  /** The child's entry, a file of this folder that calls `serveTasks`. */
  entry: EngineEntry
  /** Brings the weights and says where each file is: what the child's `load` is given. */
  findWeights: (onProgress: (progress: WeightsProgress) => void) => Promise<Record<string, string>>
  /** Tasks that the child has at the same time. */
  maxActive: number
  /** Tasks that wait for a place; one more gets `at-capacity`. */
  maxQueued: number
  /** Without a task for this long the child is ended. */
  idleMs: number
  /** A task that takes longer ends the child, and with it the other tasks that it has. */
  taskDeadlineMs: number
}

/**
 * Work with a model that runs in a child process (docs/adr/0001): started on first use, ended when idle, started again
 * after a crash. Inputs and outputs are what structured clone copies, typed arrays as they are.
 */
export class TaskRoom<Input, Output> {
  readonly #taskDeadlineMs: number
  readonly #slots: Slots
  readonly #life: Lifecycle<TaskProcess<Input, Output>>

  constructor(options: TaskRoomOptions) {
    const { name, entry, findWeights, maxActive, maxQueued, idleMs, taskDeadlineMs } = options
    this.#taskDeadlineMs = taskDeadlineMs
    this.#slots = modelSlots(maxActive, maxQueued)
    this.#life = new Lifecycle({
      name,
      idleMs,
      slots: this.#slots,
      start: async ({ tell, onExit }) => {
        const paths = await findWeights(({ step, bytes, total }) => tell({ step, fraction: total ? bytes / total : 0 }))
        tell({ step: 'loading', fraction: 0 })
        return await TaskProcess.start({ name, entry, paths, onExit })
      },
    })
  }

  /** Fetches and loads ahead of the first task. @throws EngineError when that fails. */
  load(onProgress?: (progress: LoadProgress) => void): Promise<void> {
    return this.#life.load(onProgress)
  }

  /**
   * Does one task. An abort is heard at once; the place is free when the child has let go.
   *
   * @throws EngineError `at-capacity` when the queue is full, `offline` while the model is fetched or when it cannot be,
   * `timeout` past the deadline, `failed` when the child broke off, and what the task itself throws.
   */
  async run(input: Input, signal: AbortSignal): Promise<Output> {
    signal.throwIfAborted()
    const leave = await this.#slots.enter(signal)
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

  state(): RoomState {
    return this.#life.state()
  }

  async close(): Promise<void> {
    this.#life.close()
  }
}
