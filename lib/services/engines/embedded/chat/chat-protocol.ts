import type { ChatEvent, ChatRequest, EngineFailure, Sampling } from '@/lib/services/engines/engine'

/** What a model's child process is told at its start. */
export type ModelOptions = {
  modelPath: string
  contextTokens: number
  /** Requests that run at the same time; each has a context of its own. */
  sequences: number
  /** At most. Always set: left to itself the library oversubscribes the cores and becomes a hundred times slower. */
  threads: number
  /** Used where the request says nothing. */
  defaults: Required<Pick<Sampling, 'temperature' | 'topP' | 'topK' | 'repetitionPenalty'>>
  /** Texts that begin another speaker's turn in this model's template without being control tokens of their own. */
  turnMarks: string[]
}

export type ChatCommand =
  | { type: 'load'; options: ModelOptions }
  | { type: 'generate'; id: number; request: ChatRequest }
  /** The consumer took this many deltas: as many more may come. */
  | { type: 'credit'; id: number; count: number }
  | { type: 'cancel'; id: number }

export type ChatReport =
  | { type: 'loading'; fraction: number }
  | { type: 'loaded'; residentBytes: number }
  /** `count`: deltas before they were merged, as credit is counted. */
  | { type: 'events'; id: number; events: ChatEvent[]; count: number }
  | { type: 'end'; id: number }
  /** `message` is for the caller, `detail` for the log: the library's own words. */
  | { type: 'failed'; id?: number; reason: EngineFailure; message: string; detail?: string }

/** Deltas that may be on their way or unread. Past it the model waits for its reader. */
export const WINDOW_EVENTS = 256

/** Events on their way from the child to the parent: merged within a tick, and never more than the window ahead. */

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

  /** Resolves when another event may be made. */
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

  /** Lets a waiting writer go, for good: its request was cancelled. */
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

/** Adds an event to a list, to the last one if both are text of the same choice. */
export function appendEvent(events: ChatEvent[], event: ChatEvent): void {
  const last = events.at(-1)
  if (event.type !== 'text-delta' || last?.type !== 'text-delta' || last.choice !== event.choice) {
    events.push(event)
    return
  }
  const logprobs = [...(last.logprobs ?? []), ...(event.logprobs ?? [])]
  events[events.length - 1] = { ...last, text: last.text + event.text, ...(logprobs.length > 0 && { logprobs }) }
}
