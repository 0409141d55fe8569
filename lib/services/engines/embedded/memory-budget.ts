import 'server-only'
import { formatSize, memoryBudgetBytes } from '@/lib/services/engines/embedded/hub/memory'
import { EngineError } from '@/lib/services/engines/engine'

const RETRY_AFTER_SECONDS = 10

/** A model that takes memory while it is loaded. */
export type MemoryUser = {
  /** Loaded, and without a request. */
  isIdle(): boolean
  /** Somebody still waits for it. */
  isWanted(): boolean
  lastUsedAt: number
  /** Ends its process; what it holds is released when that is gone. */
  unload(): void
}

type Request = {
  user: MemoryUser
  bytes: number
  isRequired: boolean
  grant: (release: () => void) => void
  refuse: (error: EngineError) => void
}

/** Nobody waits for the model any more. */
export class NotWanted extends EngineError {
  constructor() {
    super('offline', 'The model was not loaded. Send the request again.')
  }
}

export type MemoryLimits = {
  /** What models may take together. */
  budget: number
  /** What no program takes now. Weights of loaded models may be in it, since they are mapped files. */
  available: number
}

/** Reads the limits: the operator's, or those of the machine. */
export function memoryLimits(megabytes?: number): MemoryLimits {
  if (megabytes !== undefined) return { budget: megabytes * 1_000_000, available: Number.POSITIVE_INFINITY }
  return { budget: memoryBudgetBytes(), available: process.availableMemory() }
}

type Hold = { user: MemoryUser; bytes: number; isLeaving: boolean }

/**
 * Shares memory among models. A model that does not fit waits in line: idle ones are unloaded for it, the least recently
 * used first, and busy ones when they are done.
 */
export class MemoryBudget {
  readonly #read: () => MemoryLimits
  readonly #holds = new Set<Hold>()
  #queue: Request[] = []

  constructor(read: () => MemoryLimits) {
    this.#read = read
  }

  /**
   * Waits for memory. The returned function gives it back.
   *
   * @param options.isRequired it is loaded in any case when no other is.
   * @throws EngineError `offline` when the model needs more than there is; NotWanted when nobody waits any more.
   */
  hold(
    user: MemoryUser,
    bytes: number,
    { isRequired, onQueued }: { isRequired: boolean; onQueued: () => void },
  ): Promise<() => void> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ user, bytes, isRequired, grant: resolve, refuse: reject })
      this.settle()
      if (this.positionOf(user) !== undefined) onQueued()
    })
  }

  /** Tells the place in line, from 1. */
  positionOf(user: MemoryUser): number | undefined {
    const index = this.#queue.findIndex((request) => request.user === user)
    return index < 0 ? undefined : index + 1
  }

  /** Serves the line as far as memory reaches. Call it when a model has become idle, or is no longer wanted. */
  settle(): void {
    this.#dropUnwanted()
    for (let first = this.#queue[0]; first && this.#serve(first); first = this.#queue[0]) this.#queue.shift()
  }

  /** Returns whether the request has its answer. */
  #serve({ user, bytes, isRequired, grant, refuse }: Request): boolean {
    const limits = this.#read()
    if (bytes > limits.budget && !isRequired) {
      refuse(tooLarge(bytes, limits.budget))
      return true
    }
    if (!this.#fits([...this.#holds], bytes, limits)) {
      if (this.#holds.size > 0) {
        this.#makeRoom(bytes, limits)
        return false
      }
      if (!isRequired) {
        refuse(tooLarge(bytes, Math.min(limits.budget, limits.available)))
        return true
      }
    }
    const hold = { user, bytes, isLeaving: false }
    this.#holds.add(hold)
    grant(() => {
      if (this.#holds.delete(hold)) this.settle()
    })
    return true
  }

  /** Unloads idle models only where that is enough; otherwise somebody would lose one for nothing. */
  #makeRoom(bytes: number, limits: MemoryLimits): void {
    const isEnough = (holds: Hold[]) => holds.length === 0 || this.#fits(holds, bytes, limits)
    let staying = [...this.#holds].filter(({ isLeaving }) => !isLeaving)
    const idle = staying.filter(({ user }) => user.isIdle()).sort((a, b) => a.user.lastUsedAt - b.user.lastUsedAt)
    if (!isEnough(staying.filter((hold) => !idle.includes(hold)))) return
    for (const hold of idle) {
      if (isEnough(staying)) return
      staying = staying.filter((one) => one !== hold)
      hold.isLeaving = true
      hold.user.unload()
    }
  }

  /** Tells whether the model fits beside these; what the others hold will be available. */
  #fits(staying: Hold[], bytes: number, { budget, available }: MemoryLimits): boolean {
    const used = sumOf(staying)
    return used + bytes <= budget && bytes <= available + sumOf([...this.#holds]) - used
  }

  #dropUnwanted(): void {
    const unwanted = this.#queue.filter(({ user }) => !user.isWanted())
    if (unwanted.length === 0) return
    this.#queue = this.#queue.filter((request) => !unwanted.includes(request))
    for (const { refuse } of unwanted) refuse(new NotWanted())
  }
}

const sumOf = (holds: Hold[]): number => holds.reduce((sum, { bytes }) => sum + bytes, 0)

function tooLarge(neededBytes: number, availableBytes: number): EngineError {
  return new EngineError(
    'offline',
    `The model needs ${formatSize(neededBytes)} of memory, and ${formatSize(availableBytes)} are free at the moment. ` +
      'Choose a smaller model, or try again when others are not in use.',
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  )
}
