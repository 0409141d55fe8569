import 'server-only'
import { ManagedChatModel } from '@/lib/services/engines/embedded/chat/process'
import type { InstalledChatModel } from '@/lib/services/engines/embedded/hub/chat-models'
import type { Measurement } from '@/lib/services/engines/embedded/hub/speed'
import type { MemoryBudget } from '@/lib/services/engines/embedded/memory-budget'
import type { Processors } from '@/lib/services/engines/embedded/processors/processors'
import type { ChatEvent, ChatRequest } from '@/lib/services/engines/engine'

const MAX_READER_SHARE = 0.2
type Options = {
  maxQueued: number
  idleMs: number
  budget: MemoryBudget
  processors: Processors
  onMeasured: (measurement: Measurement) => void
}

type Held = { model: InstalledChatModel; managed: ManagedChatModel }

/** Models of the hub, which come and go while the server runs. */
export class InstalledChatModels {
  readonly #options: Options
  readonly #models = new Map<string, Held>()

  constructor(options: Options) {
    this.#options = options
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
    return this.#models.get(name)?.managed
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
    const { budget, onMeasured: _, ...common } = this.#options
    const { name, options, loadDeadlineMs, modelPath, neededBytes } = model
    const memory = { budget, bytesOf: () => neededBytes, isRequired: false }
    const findWeights = async () => modelPath
    return {
      model,
      managed: new ManagedChatModel({ ...common, name, model: options, loadDeadlineMs, memory, findWeights }),
    }
  }
}
