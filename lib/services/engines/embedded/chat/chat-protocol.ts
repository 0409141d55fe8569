import type { Gpu, ProcessorKind } from '@/lib/services/engines/embedded/processors/packages'
import type { ChatEvent, ChatRequest, EngineFailure, Sampling } from '@/lib/services/engines/engine'

export type ModelOptions = {
  modelPath: string
  /** It sees images, and its files are in the layout of transformers.js; the path is one of them. */
  form?: 'onnx'
  /** Reads images for the model. */
  projectorPath?: string
  contextTokens: number
  sequences: number
  // Always set: left to itself the library oversubscribes the cores and becomes a hundred times slower.
  threads: number
  defaults: Required<Pick<Sampling, 'temperature' | 'topP' | 'topK' | 'repetitionPenalty'>>
  turnMarks: string[]
  /** The model was not trained for the thoughts and tools that its chat template has. */
  isPlain?: true
  /** Without one it is the CPU. */
  gpu?: Gpu
}

/** What a model runs on. `layers` are those on the GPU; `fallback` says why it is not the one that was wanted. */
export type UsedProcessor = { kind: ProcessorKind; name?: string; layers?: string; fallback?: string }

export type ChatCommand =
  | { type: 'load'; options: ModelOptions }
  | { type: 'generate'; id: number; request: ChatRequest }
  | { type: 'credit'; id: number; count: number }
  | { type: 'cancel'; id: number }

export type ChatReport =
  | { type: 'loading'; fraction: number }
  | { type: 'loaded'; residentBytes: number; processor: UsedProcessor }
  | { type: 'events'; id: number; events: ChatEvent[]; count: number }
  | { type: 'end'; id: number }
  // `message` is for the caller, `detail` for the log: the library's own words.
  | { type: 'failed'; id?: number; reason: EngineFailure; message: string; detail?: string }

// Deltas that may be under way or unread. Past it the model waits for its reader.
export const WINDOW_EVENTS = 256

type Send = (events: ChatEvent[], count: number) => void

export class Outbox {
  readonly #send: Send
  #credit: number
  #events: ChatEvent[] = []
  #count = 0
  #isScheduled = false
  #onCredit?: () => void

  constructor(windowEvents: number, send: Send) {
    this.#credit = windowEvents
    this.#send = send
  }

  async push(event: ChatEvent): Promise<void> {
    this.#credit--
    this.#count++
    appendEvent(this.#events, event)
    if (!this.#isScheduled) {
      this.#isScheduled = true
      setImmediate(() => this.flush())
    }
    while (this.#credit <= 0) {
      await new Promise<void>((resolve) => {
        this.#onCredit = resolve
      })
    }
  }

  addCredit(count: number): void {
    this.#credit += count
    this.#onCredit?.()
  }

  close(): void {
    this.addCredit(Number.POSITIVE_INFINITY)
  }

  flush(): void {
    this.#isScheduled = false
    if (this.#count === 0) return
    this.#send(this.#events, this.#count)
    this.#events = []
    this.#count = 0
  }
}

export function appendEvent(events: ChatEvent[], event: ChatEvent): void {
  const last = events.at(-1)
  if (event.type !== 'text-delta' || last?.type !== 'text-delta' || last.choice !== event.choice) {
    events.push(event)
    return
  }
  const logprobs = [...(last.logprobs ?? []), ...(event.logprobs ?? [])]
  events[events.length - 1] = { ...last, text: last.text + event.text, ...(logprobs.length > 0 && { logprobs }) }
}
