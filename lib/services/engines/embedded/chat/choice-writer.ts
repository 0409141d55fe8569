import { randomBytes } from 'node:crypto'
import type { LlamaModel, Token } from 'node-llama-cpp'
import type { ChatEvent, TokenLogprob } from '../../engine.ts'
import type { Sample } from './chat-sampling.ts'
import { type FoundCall, ToolTagFilter } from './tool-tags.ts'

const CONTEXT_TOKENS = 8

type WriterOptions = {
  choice: number
  /** Absent where the runtime gives text. */
  model?: Pick<LlamaModel, 'detokenize'>
  stops: string[]
  isCall: boolean
  /** Names of tools that may be called in the text. */
  callable?: string[]
  hasOneCall?: boolean
  emit: (event: ChatEvent) => Promise<void>
}

/**
 * Turns samples of one choice into events: whole characters, up to the first stop, as text or as a tool call.
 */
export class ChoiceWriter {
  readonly #options: WriterOptions
  readonly #text: TokenText
  readonly #stops: StopFilter
  readonly #call?: ToolCallStream
  readonly #tags?: ToolTagFilter
  #calls = 0
  #logprobs: { start: number; logprob: TokenLogprob }[] = []
  #before: Token[] = []
  #writtenCharacters = 0
  #emittedCharacters = 0
  #isStopped = false

  constructor(options: WriterOptions) {
    this.#options = options
    this.#text = new TokenText((tokens, before) => detokenized(options, tokens as Token[], false, before as Token[]))
    this.#stops = new StopFilter(options.stops)
    if (options.isCall) this.#call = new ToolCallStream()
    if (options.callable && options.callable.length > 0) this.#tags = new ToolTagFilter(options.callable)
  }

  async write(sample: Sample): Promise<boolean> {
    if (sample.logprob !== undefined) {
      this.#logprobs.push({ start: this.#writtenCharacters, logprob: this.#logprobOf(sample) })
    }
    this.#before = [...this.#before, sample.token].slice(-CONTEXT_TOKENS)
    return await this.writeText(this.#text.push(sample.token))
  }

  /** Tells whether the answer ends here. */
  async writeText(written: string): Promise<boolean> {
    this.#writtenCharacters += written.length
    const { text, isStopped } = this.#stops.push(written)
    this.#isStopped = isStopped
    await this.#emitText(text)
    return isStopped || (this.#options.hasOneCall === true && this.#calls > 0)
  }

  async end(reason: 'stop' | 'length'): Promise<void> {
    const { choice, emit } = this.#options
    if (!this.#isStopped) {
      const { text, isStopped } = this.#stops.push(this.#text.flush())
      await this.#emitText(isStopped ? text : text + this.#stops.flush())
    }
    const tail = this.#tags?.flush()
    if (tail) await this.#emitTagged(tail.text, tail.calls, [])
    const rest = this.#call?.flush(reason === 'stop')
    if (rest) await emit({ type: 'tool-call-delta', choice, index: 0, arguments: rest.arguments })
    const hasCalls = this.#call !== undefined || this.#calls > 0
    await emit({ type: 'choice-end', choice, reason: hasCalls && reason === 'stop' ? 'tool_calls' : reason })
  }

  async #emitText(text: string): Promise<void> {
    if (text === '') return
    const { choice, emit } = this.#options
    if (this.#call) {
      const piece = this.#call.push(text)
      const id = piece?.name === undefined ? {} : { id: `call_${randomBytes(12).toString('hex')}`, name: piece.name }
      if (piece) await emit({ type: 'tool-call-delta', choice, index: 0, ...id, arguments: piece.arguments })
      return
    }
    this.#emittedCharacters += text.length
    const emitted = this.#logprobs.filter(({ start }) => start < this.#emittedCharacters)
    this.#logprobs = this.#logprobs.slice(emitted.length)
    const logprobs = emitted.map(({ logprob }) => logprob)
    if (this.#tags) {
      const found = this.#tags.push(text)
      // Those of a call, and of what may become one, have no text.
      return await this.#emitTagged(found.text, found.calls, found.text === text ? logprobs : [])
    }
    await emit({ type: 'text-delta', choice, text, ...(logprobs.length > 0 && { logprobs }) })
  }

  async #emitTagged(text: string, calls: FoundCall[], logprobs: TokenLogprob[]): Promise<void> {
    const { choice, emit, hasOneCall } = this.#options
    if (text !== '') await emit({ type: 'text-delta', choice, text, ...(logprobs.length > 0 && { logprobs }) })
    for (const call of calls) {
      if (hasOneCall && this.#calls > 0) return
      const id = `call_${randomBytes(12).toString('hex')}`
      await emit({ type: 'tool-call-delta', choice, index: this.#calls++, id, ...call })
    }
  }

  #logprobOf({ token, logprob = 0, top = [] }: Sample): TokenLogprob {
    const named = (token: Token, logprob: number) => {
      const text = detokenized(this.#options, [token], true, this.#before)
      // Half a character has no text of its own, and the library does not give its bytes.
      return { token: text, logprob, ...(!text.includes('\uFFFD') && { bytes: [...Buffer.from(text)] }) }
    }
    return { ...named(token, logprob), top_logprobs: top.map(([other, value]) => named(other, value)) }
  }
}

const detokenized = ({ model }: WriterOptions, ...given: Parameters<LlamaModel['detokenize']>): string =>
  model?.detokenize(...given) ?? ''

type ToolCallPiece = { name?: string; arguments: string }

const HEAD = /^\s*\{\s*"name"\s*:\s*("(?:[^"\\]|\\.)*")\s*,\s*"arguments"\s*:\s*(?=\S)/

/**
 * Splits `{"name": …, "arguments": {…}}`, which the grammar makes the model write, while it is written. The object's
 * own closing brace is held back, so that the arguments are JSON by themselves.
 */
export class ToolCallStream {
  #head: string | undefined = ''
  #held = ''

  push(text: string): ToolCallPiece | undefined {
    if (this.#head === undefined) return this.#push(text)
    this.#head += text
    const match = HEAD.exec(this.#head)
    if (!match) return undefined
    const rest = this.#head.slice(match[0].length)
    this.#head = undefined
    const piece = this.#push(rest)
    return { name: JSON.parse(match[1]!) as string, arguments: piece?.arguments ?? '' }
  }

  flush(isWhole: boolean): ToolCallPiece | undefined {
    const rest = isWhole ? this.#held.replace(/\s*\}\s*$/, '') : this.#held
    this.#held = ''
    return rest === '' ? undefined : { arguments: rest }
  }

  #push(text: string): ToolCallPiece | undefined {
    const pending = this.#held + text
    const tail = /[\s}]*$/.exec(pending)?.[0] ?? ''
    this.#held = tail
    const complete = pending.slice(0, pending.length - tail.length)
    return complete === '' ? undefined : { arguments: complete }
  }
}

type Detokenize = (tokens: number[], before: number[]) => string

const MAX_CHARACTER_TOKENS = 8
const TEXT_CONTEXT_TOKENS = 8

export class TokenText {
  readonly #detokenize: Detokenize
  #pending: number[] = []
  #before: number[] = []

  constructor(detokenize: Detokenize) {
    this.#detokenize = detokenize
  }

  push(token: number): string {
    this.#pending.push(token)
    const text = this.#detokenize(this.#pending, this.#before)
    if (text.endsWith('\uFFFD') && this.#pending.length < MAX_CHARACTER_TOKENS) return ''
    this.#settle()
    return text
  }

  flush(): string {
    const text = this.#pending.length === 0 ? '' : this.#detokenize(this.#pending, this.#before)
    this.#settle()
    return text.replace(/\uFFFD+$/, '')
  }

  #settle(): void {
    this.#before = [...this.#before, ...this.#pending].slice(-TEXT_CONTEXT_TOKENS)
    this.#pending = []
  }
}

type Filtered = { text: string; isStopped: boolean }

/**
 * Ends a text at the first of several stop strings, wherever tokens cut them: text that might begin one is held back
 * until it is decided.
 */
export class StopFilter {
  readonly #stops: string[]
  #held = ''

  constructor(stops: string[]) {
    // Half of a character is no text: it would cut one in two.
    this.#stops = stops.filter((stop) => stop !== '' && stop.isWellFormed())
  }

  push(text: string): Filtered {
    const pending = this.#held + text
    const end = firstIndexOf(pending, this.#stops)
    if (end >= 0) {
      this.#held = ''
      return { text: pending.slice(0, end), isStopped: true }
    }
    const heldChars = heldLength(pending, this.#stops)
    this.#held = pending.slice(pending.length - heldChars)
    return { text: pending.slice(0, pending.length - heldChars), isStopped: false }
  }

  flush(): string {
    const held = this.#held
    this.#held = ''
    return held
  }
}

function firstIndexOf(text: string, stops: string[]): number {
  const found = stops.map((stop) => text.indexOf(stop)).filter((index) => index >= 0)
  return found.length === 0 ? -1 : Math.min(...found)
}

function heldLength(text: string, stops: string[]): number {
  const longest = Math.max(0, ...stops.map((stop) => stop.length - 1))
  for (let length = Math.min(longest, text.length); length > 0; length--) {
    const end = text.slice(-length)
    if (stops.some((stop) => stop.startsWith(end))) return length
  }
  return 0
}
