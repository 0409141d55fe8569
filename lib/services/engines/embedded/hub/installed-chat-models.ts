import 'server-only'
import { ManagedChatModel } from '@/lib/services/engines/embedded/chat/process'
import { textRuntime } from '@/lib/services/engines/embedded/chat/runtime'
import { type InstalledChatModel, keepInLine } from '@/lib/services/engines/embedded/hub/chat-models'
import type { Measurement } from '@/lib/services/engines/embedded/hub/speed'
import type { MemoryBudget } from '@/lib/services/engines/embedded/memory-budget'
import type { System } from '@/lib/services/engines/embedded/processors/packages'
import type { Processors } from '@/lib/services/engines/embedded/processors/processors'
import type { ChatEvent, ChatRequest } from '@/lib/services/engines/engine'

const MAX_READER_SHARE = 0.2
type Options = {
  maxQueued: number
  idleMs: number
  budget: MemoryBudget
  processors: Processors
  onMeasured: (measurement: Measurement) => void
  system?: System
}

/** `seeing` answers where there are images and that takes another runtime (docs/adr/0037). */
type Held = { model: InstalledChatModel; version: string; managed: ManagedChatModel; seeing?: ManagedChatModel }

/** Models of the hub, which come and go while the server runs. */
export class InstalledChatModels {
  readonly #options: Options
  readonly #models = new Map<string, Held>()

  constructor(options: Options) {
    this.#options = options
  }

  /** Offers these models. One that stays the same keeps its process. */
  set(models: readonly InstalledChatModel[]): void {
    keepInLine(this.#models, models, {
      start: (model) => ({ ...this.#hold(model), model, version: model.version }),
      end: ({ managed, seeing }) => {
        managed.close()
        seeing?.close()
      },
    })
  }

  /** Without a request it is the one that answers text. */
  find(name: string, request?: ChatRequest): ManagedChatModel | undefined {
    const held = this.#models.get(name)
    return request && hasImages(request) ? (held?.seeing ?? held?.managed) : held?.managed
  }

  all(): ManagedChatModel[] {
    return [...this.#models.values()].flatMap(({ managed, seeing }) => (seeing ? [managed, seeing] : [managed]))
  }

  /** Passes an answer on, and measures its speed while no other request shares the machine. */
  async *measured(request: ChatRequest, events: AsyncIterable<ChatEvent>): AsyncGenerator<ChatEvent> {
    const found = hasImages(request) ? undefined : this.#models.get(request.model)
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

  #hold(model: InstalledChatModel): Pick<Held, 'managed' | 'seeing'> {
    const { budget, onMeasured: _, ...common } = this.#options
    const { name, options, loadDeadlineMs, modelPath, neededBytes } = model
    const memory = { budget, bytesOf: () => neededBytes, isRequired: false }
    const findWeights = async () => modelPath
    const shared = { ...common, loadDeadlineMs, memory, findWeights }
    const { projectorPath, ...text } = options
    const isOne = projectorPath === undefined || textRuntime(common.system ?? process) === 'llama.node'
    if (isOne) return { managed: new ManagedChatModel({ ...shared, name, model: options }) }
    const managed = new ManagedChatModel({ ...shared, name, model: text })
    return { managed, seeing: new ManagedChatModel({ ...shared, name: `${name} (images)`, model: options }) }
  }
}

function hasImages({ messages }: ChatRequest): boolean {
  return messages.some(
    ({ role, content }) =>
      role === 'user' && typeof content !== 'string' && content.some(({ type }) => type === 'image_url'),
  )
}
