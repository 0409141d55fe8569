import 'server-only'
import { hex } from '@/lib/contract/ids'
import type { ChatEvent } from '@/lib/services/engines/engine'
import { cleanText, isWireObject, textOf } from '@/lib/services/engines/upstream/chat/wire-value'

/** Calls of one choice beyond this are dropped. */
const MAX_CALLS = 128

/** What clients may send back to us as a name is no longer (lib/contract/chat.schema.ts); what is longer is no name. */
const MAX_NAME_CHARACTERS = 256
/** Ids of the field, which clients put into addresses, logs and file names. */
const ID = /^[\w.:|=+/-]{1,256}$/
/** The service's own words: a call by such a name is ours, unless the caller gave a tool that name. */
const RESERVED = /^service_/

type Call = { id?: string; isOpen: boolean; early: string }

/**
 * The tool calls of one choice, put in order. Servers leave out the index or the id, send one index for all calls,
 * arguments before the name, or arguments as an object; what comes out has one index a call, id and name first.
 */
export class ToolCalls {
  readonly #choice: number
  /** Names of the tools that the caller gave. */
  readonly #known: ReadonlySet<string>
  readonly #calls: Call[] = []
  /** The upstream's own index of a call → ours. */
  readonly #byGiven = new Map<number, number>()
  #last = -1

  constructor(choice: number, known: ReadonlySet<string>) {
    this.#choice = choice
    this.#known = known
  }

  get hasAny(): boolean {
    return this.#calls.some((call) => call.isOpen)
  }

  /** Takes one entry of `tool_calls`; adds the event that it makes, if any. Returns the characters it took. */
  take(entry: unknown, out: ChatEvent[]): number {
    if (!isWireObject(entry)) return 0
    const called = isWireObject(entry.function) ? entry.function : entry
    const id = readId(entry.id)
    const name = this.#readName(called.name)
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

  /** The name of a tool as one line. A name of ours that the caller's tools do not have makes no call. */
  #readName(value: unknown): string | undefined {
    const name = cleanText(textOf(value) ?? '', MAX_NAME_CHARACTERS)
    return name === '' || (RESERVED.test(name) && !this.#known.has(name)) ? undefined : name
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

/** An id that could be anything else is none: a call without gets one of ours. */
function readId(value: unknown): string | undefined {
  const id = textOf(value)
  return id !== undefined && ID.test(id) ? id : undefined
}

function argumentsText(value: unknown): string {
  if (typeof value === 'string') return value
  return isWireObject(value) || Array.isArray(value) ? JSON.stringify(value) : ''
}
