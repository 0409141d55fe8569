import 'server-only'
import { hex } from '@/lib/contract/ids'
import type { ChatEvent } from '@/lib/services/engines/engine'
import { cleanText, isWireObject, textOrUndefined } from '@/lib/services/engines/upstream/wire-value'

const MAX_CALLS = 128

const MAX_NAME_CHARACTERS = 256
const ID = /^[\w.:|=+/-]{1,256}$/
/** A call by such a name is the service's own, unless the caller gave a tool that name. */
const RESERVED = /^service_/

type Call = { id?: string; isOpen: boolean; early: string }

/**
 * Puts the tool calls of one choice in order. Servers leave out the index or the id, send one index for all calls,
 * arguments before the name, or arguments as an object; every call comes out with one index, id and name first.
 */
export class ToolCalls {
  readonly #choice: number
  readonly #known: ReadonlySet<string>
  readonly #calls: Call[] = []
  readonly #byGiven = new Map<number, number>()
  #last = -1

  constructor(choice: number, known: ReadonlySet<string>) {
    this.#choice = choice
    this.#known = known
  }

  get hasAny(): boolean {
    return this.#calls.some((call) => call.isOpen)
  }

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

  #readName(value: unknown): string | undefined {
    const name = cleanText(textOrUndefined(value) ?? '', MAX_NAME_CHARACTERS)
    return name === '' || (RESERVED.test(name) && !this.#known.has(name)) ? undefined : name
  }

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

function readId(value: unknown): string | undefined {
  const id = textOrUndefined(value)
  return id !== undefined && ID.test(id) ? id : undefined
}

function argumentsText(value: unknown): string {
  if (typeof value === 'string') return value
  return isWireObject(value) || Array.isArray(value) ? JSON.stringify(value) : ''
}
