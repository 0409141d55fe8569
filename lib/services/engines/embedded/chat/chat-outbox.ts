/** Events on their way from the child to the parent: merged within a tick, and never more than the window ahead. */
import type { ChatEvent } from '../../engine.ts'

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
