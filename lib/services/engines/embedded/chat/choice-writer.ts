/** Samples of one choice → events. Runs in the child process. */
import { randomBytes } from 'node:crypto'
import type { LlamaModel, Token } from 'node-llama-cpp'
import type { ChatEvent, TokenLogprob } from '../../engine.ts'
import type { Sample } from './chat-sampling.ts'
import { StopFilter } from './stop-filter.ts'
import { TokenText } from './token-text.ts'
import { ToolCallStream } from './tool-call-stream.ts'

/** Tokens before one that decide how its text begins. */
const CONTEXT_TOKENS = 8

type WriterOptions = {
  choice: number
  model: Pick<LlamaModel, 'detokenize'>
  /** Texts that end the choice and are not shown. */
  stops: string[]
  /** What is written is the call of a tool, held by its grammar. */
  isCall: boolean
  emit: (event: ChatEvent) => Promise<void>
}

/** Turns samples into events: whole characters, up to the first stop, as text or as a tool call. */
export class ChoiceWriter {
  readonly #options: WriterOptions
  readonly #text: TokenText
  readonly #stops: StopFilter
  readonly #call?: ToolCallStream
  /** Of tokens whose text is not out yet, with where it begins in the text of the choice. */
  #logprobs: { start: number; logprob: TokenLogprob }[] = []
  #before: Token[] = []
  #writtenCharacters = 0
  #saidCharacters = 0
  #isStopped = false

  constructor(options: WriterOptions) {
    this.#options = options
    this.#text = new TokenText((tokens, before) =>
      options.model.detokenize(tokens as Token[], false, before as Token[]),
    )
    this.#stops = new StopFilter(options.stops)
    if (options.isCall) this.#call = new ToolCallStream()
  }

  /** True when a stop was met. */
  async write(sample: Sample): Promise<boolean> {
    if (sample.logprob !== undefined) {
      this.#logprobs.push({ start: this.#writtenCharacters, logprob: this.#logprobOf(sample) })
    }
    this.#before = [...this.#before, sample.token].slice(-CONTEXT_TOKENS)
    const written = this.#text.push(sample.token)
    this.#writtenCharacters += written.length
    const { text, isStopped } = this.#stops.push(written)
    this.#isStopped = isStopped
    await this.#say(text)
    return isStopped
  }

  async end(reason: 'stop' | 'length'): Promise<void> {
    const { choice, emit } = this.#options
    if (!this.#isStopped) {
      const { text, isStopped } = this.#stops.push(this.#text.flush())
      await this.#say(isStopped ? text : text + this.#stops.flush())
    }
    const rest = this.#call?.flush(reason === 'stop')
    if (rest) await emit({ type: 'tool-call-delta', choice, index: 0, arguments: rest.arguments })
    await emit({ type: 'choice-end', choice, reason: this.#call && reason === 'stop' ? 'tool_calls' : reason })
  }

  async #say(text: string): Promise<void> {
    if (text === '') return
    const { choice, emit } = this.#options
    if (this.#call) {
      const piece = this.#call.push(text)
      const id = piece?.name === undefined ? {} : { id: `call_${randomBytes(12).toString('hex')}`, name: piece.name }
      if (piece) await emit({ type: 'tool-call-delta', choice, index: 0, ...id, arguments: piece.arguments })
      return
    }
    this.#saidCharacters += text.length
    const said = this.#logprobs.filter(({ start }) => start < this.#saidCharacters)
    this.#logprobs = this.#logprobs.slice(said.length)
    const logprobs = said.map(({ logprob }) => logprob)
    await emit({ type: 'text-delta', choice, text, ...(logprobs.length > 0 && { logprobs }) })
  }

  /** Texts as they are at this place: put together they are the text of the choice. */
  #logprobOf({ token, logprob = 0, top = [] }: Sample): TokenLogprob {
    const named = (token: Token, logprob: number) => {
      const text = this.#options.model.detokenize([token], true, this.#before)
      // Half a character has no text of its own, and the library does not give its bytes.
      return { token: text, logprob, ...(!text.includes('\uFFFD') && { bytes: [...Buffer.from(text)] }) }
    }
    return { ...named(token, logprob), top_logprobs: top.map(([other, value]) => named(other, value)) }
  }
}
