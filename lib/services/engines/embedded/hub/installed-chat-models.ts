import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { log } from '@/lib/kernel/log'
import { ManagedChatModel } from '@/lib/services/engines/embedded/chat/process'
import type { InstalledChatModel } from '@/lib/services/engines/embedded/hub/chat-models'
import { formatSize, memoryBudgetBytes } from '@/lib/services/engines/embedded/hub/memory'
import type { Measurement } from '@/lib/services/engines/embedded/hub/speed'
import { type ChatEvent, type ChatRequest, EngineError } from '@/lib/services/engines/engine'

const MAX_READER_SHARE = 0.2
/** A killed process gives its memory back within this time. */
const RELEASE_MS = 2_000
const RELEASE_POLL_MS = 50
const RESERVATION_MS = 5_000
const RETRY_AFTER_SECONDS = 10

export type Memory = { budgetBytes: number; availableBytes: () => number }

type Options = {
  maxQueued: number
  idleMs: number
  memory?: Memory
  onMeasured: (measurement: Measurement) => void
}

type Held = {
  model: InstalledChatModel
  managed: ManagedChatModel
  usedAt: number
  /** Has room, and is about to be loaded. */
  reservedUntil: number
}

/**
 * Models of the hub, which come and go while the server runs and share its memory: before one is loaded, those that
 * nobody uses are unloaded, the one that was not used for longest first.
 */
export class InstalledChatModels {
  readonly #options: Options
  readonly #memory: Memory
  readonly #models = new Map<string, Held>()
  #lastLoad: Promise<unknown> = Promise.resolve()

  constructor(options: Options) {
    this.#options = options
    this.#memory = options.memory ?? {
      budgetBytes: memoryBudgetBytes(),
      availableBytes: () => process.availableMemory(),
    }
  }

  /** Offers these models. One that stays the same keeps its process. */
  set(models: readonly InstalledChatModel[]): void {
    const wanted = new Map(models.map((model) => [model.name, model]))
    for (const [name, { model, managed }] of this.#models) {
      if (wanted.get(name)?.version === model.version) continue
      this.#models.delete(name)
      managed.close()
    }
    for (const model of models) {
      if (!this.#models.has(model.name)) this.#models.set(model.name, this.#hold(model))
    }
  }

  find(name: string): ManagedChatModel | undefined {
    const held = this.#models.get(name)
    if (held) held.usedAt = performance.now()
    return held?.managed
  }

  all(): ManagedChatModel[] {
    return [...this.#models.values()].map(({ managed }) => managed)
  }

  /** Passes an answer on, and measures its speed while no other request shares the machine. */
  async *measured(request: ChatRequest, events: AsyncIterable<ChatEvent>): AsyncGenerator<ChatEvent> {
    const found = this.#models.get(request.model)
    let firstAt: number | undefined
    let isAlone = true
    let readerMs = 0
    for await (const event of events) {
      if (event.type === 'text-delta') firstAt ??= performance.now()
      isAlone &&= this.#activeRequests() <= 1
      if (event.type === 'usage' && found && firstAt !== undefined && isAlone) {
        const milliseconds = performance.now() - firstAt
        const { weightBytes } = found.model
        // A slow reader holds the model up.
        if (readerMs <= milliseconds * MAX_READER_SHARE)
          this.#options.onMeasured({ model: request.model, weightBytes, tokens: event.outputTokens - 1, milliseconds })
      }
      const givenAt = performance.now()
      yield event
      readerMs += performance.now() - givenAt
    }
  }

  #activeRequests(): number {
    return this.all().reduce((sum, managed) => sum + managed.state().activeRequests, 0)
  }

  #hold(model: InstalledChatModel): Held {
    const { maxQueued, idleMs } = this.#options
    const { name, options, loadDeadlineMs, modelPath } = model
    const findWeights = async () => {
      // One after the other: two that start together must not both count the same memory.
      const room = this.#lastLoad.then(() => this.#makeRoom(model))
      this.#lastLoad = room.catch(() => undefined)
      await room
      return modelPath
    }
    const managed = new ManagedChatModel({ name, model: options, maxQueued, idleMs, loadDeadlineMs, findWeights })
    return { model, managed, usedAt: performance.now(), reservedUntil: 0 }
  }

  /** @throws EngineError `offline` when the models in use leave too little. */
  async #makeRoom({ name, neededBytes }: InstalledChatModel): Promise<void> {
    for (;;) {
      const others = [...this.#models.values()].filter((held) => held.model.name !== name && isLoaded(held))
      const used = others.reduce((sum, { model }) => sum + model.neededBytes, 0)
      const free = Math.min(this.#memory.budgetBytes - used, this.#memory.availableBytes())
      if (neededBytes <= free) {
        const held = this.#models.get(name)
        if (held) held.reservedUntil = performance.now() + RESERVATION_MS
        return
      }
      const [idle] = others.filter(isIdle).sort((a, b) => a.usedAt - b.usedAt)
      if (!idle) throw tooLittle(neededBytes, free)
      await this.#unload(idle)
    }
  }

  async #unload({ model, managed }: Held): Promise<void> {
    log().info({ model: model.name }, 'embedded model unloaded: its memory is needed')
    const before = this.#memory.availableBytes()
    managed.close()
    this.#models.set(model.name, this.#hold(model))
    for (let waited = 0; waited < RELEASE_MS && this.#memory.availableBytes() <= before; waited += RELEASE_POLL_MS) {
      await sleep(RELEASE_POLL_MS)
    }
  }
}

const isLoaded = ({ managed, reservedUntil }: Held): boolean =>
  ['loading', 'ready'].includes(managed.state().state) || performance.now() < reservedUntil

function isIdle({ managed }: Held): boolean {
  const { state, activeRequests, queuedRequests } = managed.state()
  return state === 'ready' && activeRequests === 0 && queuedRequests === 0
}

const tooLittle = (neededBytes: number, freeBytes: number): EngineError =>
  new EngineError(
    'offline',
    `The model needs ${formatSize(neededBytes)} of memory, and ${formatSize(Math.max(0, freeBytes))} are free at the moment. ` +
      'Choose a smaller model, or try again when others are not in use.',
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  )
