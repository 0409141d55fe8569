import 'server-only'
import { hex } from '@/lib/core/ids'
import type { ChatEvent } from '@/lib/engines/engine'
import { isWireObject, textOf } from '@/lib/engines/upstream/wire-value'

/** Calls of one choice beyond this are dropped. */
const MAX_CALLS = 128

type Call = { id?: string; isOpen: boolean; early: string }

/**
 * The tool calls of one choice, put in order. Servers leave out the index or the id, send one index for all calls,
 * arguments before the name, or arguments as an object; what comes out has one index a call, id and name first.
 */
export class ToolCalls {
  readonly #choice: number
  readonly #calls: Call[] = []
  /** The upstream's own index of a call → ours. */
  readonly #byGiven = new Map<number, number>()
  #last = -1

  constructor(choice: number) {
    this.#choice = choice
  }

  get hasAny(): boolean {
    return this.#calls.some((call) => call.isOpen)
  }

  /** Takes one entry of `tool_calls`; adds the event that it makes, if any. Returns the characters it took. */
  take(entry: unknown, out: ChatEvent[]): number {
    if (!isWireObject(entry)) return 0
    const called = isWireObject(entry.function) ? entry.function : entry
    const id = textOf(entry.id)
    const name = textOf(called.name)
    const args = argumentsText(called.arguments)
    const index = this.#indexOf(entry.index, id, name)
    const call = this.#calls[index]
    if (call === undefined) return args.length
    this.#last = index
    call.id ??= id
    if (call.isOpen) {
      if (args !== '') out.push({ type: 'tool-call-delta', choice: this.#choice, index, arguments: args })
    } else if (name === undefined) {
      call.early += args
    } else {
      call.isOpen = true
      call.id ??= `call_${hex(12)}`
      const text = call.early + args
      out.push({ type: 'tool-call-delta', choice: this.#choice, index, id: call.id, name, arguments: text })
    }
    return args.length + (name?.length ?? 0)
  }

  /** Which call an entry belongs to: its index, unless a new name with a new id says that the index is reused. */
  #indexOf(given: unknown, id: string | undefined, name: string | undefined): number {
    const known = id === undefined ? -1 : this.#calls.findIndex((call) => call.id === id)
    if (known >= 0) return known
    if (typeof given !== 'number') return name !== undefined || this.#last < 0 ? this.#open() : this.#last
    const mapped = this.#byGiven.get(given)
    const isReused =
      mapped !== undefined && name !== undefined && id !== undefined && this.#calls[mapped]?.isOpen === true
    if (mapped !== undefined && !isReused) return mapped
    const index = this.#open()
    if (index < MAX_CALLS) this.#byGiven.set(given, index)
    return index
  }

  #open(): number {
    if (this.#calls.length >= MAX_CALLS) return MAX_CALLS
    this.#calls.push({ isOpen: false, early: '' })
    return this.#calls.length - 1
  }
}

function argumentsText(value: unknown): string {
  if (typeof value === 'string') return value
  return isWireObject(value) || Array.isArray(value) ? JSON.stringify(value) : ''
}
