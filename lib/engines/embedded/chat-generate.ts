/** One request on one sequence: prompt, choices, usage. Runs in the child process. */
import { randomBytes } from 'node:crypto'
import type { LlamaModel, Token } from 'node-llama-cpp'
import { type ChatEvent, type ChatRequest, EngineError, type TokenLogprob } from '../engine.ts'
import { type Constraint, constraintOf } from './chat-constraint.ts'
import { type ChatModel, PROMPT_PIECE_TOKENS, type Sequence } from './chat-model.ts'
import { promptTokens } from './chat-prompt.ts'
import { type Sample, samplesOf } from './chat-sampling.ts'
import { StopFilter } from './stop-filter.ts'
import { TokenText } from './token-text.ts'
import { ToolCallStream } from './tool-call-stream.ts'

/** Takes an event, and resolves when the next one is wanted. */
export type Emit = (event: ChatEvent) => Promise<void>

/**
 * Answers a request. Output tokens are the sampled ones, with the one that ends the turn: each cost an evaluation.
 * Input tokens are those of the prompt after the chat template, once for all choices.
 *
 * @throws EngineError `context-overflow` when the prompt leaves no room for a token; the signal's reason when aborted.
 */
export async function generate(
  chat: ChatModel,
  sequence: Sequence,
  request: ChatRequest,
  emit: Emit,
  signal: AbortSignal,
): Promise<void> {
  const constraint = await constraintOf(request, chat.llama, chat.model)
  const prompt = promptTokens(chat.model, chat.wrapper, request.messages, constraint?.tools ?? [])
  const { contextTokens } = chat.options
  if (prompt.length + 1 > contextTokens) {
    throw new EngineError(
      'context-overflow',
      `This model's context is ${contextTokens} tokens, and the messages are ${prompt.length}. Shorten them.`,
    )
  }
  const maxTokens = Math.min(request.maxTokens, contextTokens - prompt.length)
  let cachedTokens = 0
  let outputTokens = 0
  for (let choice = 0; choice < request.n; choice++) {
    const found = await readPrompt(sequence, prompt, signal)
    if (choice === 0) cachedTokens = found
    outputTokens += await generateChoice({
      chat,
      sequence,
      request,
      constraint,
      prompt,
      maxTokens,
      choice,
      emit,
      signal,
    })
  }
  await emit({
    type: 'usage',
    inputTokens: prompt.length,
    cachedTokens,
    cacheWriteTokens: 0,
    outputTokens,
    reasoningTokens: 0,
  })
}

/** Evaluates all of the prompt but its last token, and says how many tokens were there already. */
async function readPrompt({ context }: Sequence, prompt: Token[], signal: AbortSignal): Promise<number> {
  await context.adaptStateToTokens(prompt.slice(0, -1), false)
  const found = context.nextTokenIndex
  for (let at = found; at < prompt.length - 1; at += PROMPT_PIECE_TOKENS) {
    signal.throwIfAborted()
    const end = Math.min(at + PROMPT_PIECE_TOKENS, prompt.length - 1)
    await context.evaluateWithoutGeneratingNewTokens(prompt.slice(at, end))
  }
  signal.throwIfAborted()
  return found
}

type ChoiceWork = {
  chat: ChatModel
  sequence: Sequence
  request: ChatRequest
  constraint: Constraint | undefined
  prompt: Token[]
  maxTokens: number
  choice: number
  emit: Emit
  signal: AbortSignal
}

/** Samples one choice to its end and returns the number of tokens sampled. */
async function generateChoice(work: ChoiceWork): Promise<number> {
  const { chat, sequence, request, constraint, prompt, choice, signal } = work
  const generated: Token[] = []
  const context = {
    defaults: chat.options.defaults,
    choice,
    generated,
    ...(request.logprobs && { logprobs: request.logprobs }),
    ...(constraint && { grammar: constraint.newState() }),
  }
  const writer = new ChoiceWriter(work)
  const stopTokens = new Set<number>(request.stopTokenIds)
  let sampled = 0
  let reason: 'stop' | 'length' = 'length'
  for await (const sample of samplesOf(sequence.context, prompt.slice(-1), request.sampling, context)) {
    signal.throwIfAborted()
    sampled++
    generated.push(sample.token)
    if (chat.model.isEogToken(sample.token) || stopTokens.has(sample.token) || (await writer.write(sample))) {
      reason = 'stop'
      break
    }
    if (sampled >= work.maxTokens) break
  }
  await writer.end(reason)
  return sampled
}

/** Turns samples into events: whole characters, up to the first stop, as text or as a tool call. */
class ChoiceWriter {
  readonly #work: ChoiceWork
  readonly #text: TokenText
  readonly #stops: StopFilter
  readonly #call?: ToolCallStream
  #logprobs: TokenLogprob[] = []
  #isStopped = false

  constructor(work: ChoiceWork) {
    const { chat, request, constraint } = work
    this.#work = work
    this.#text = new TokenText((tokens, before) => chat.model.detokenize(tokens as Token[], false, before as Token[]))
    // A grammar decides by itself what may be said: no turn can be begun within it.
    this.#stops = new StopFilter([...request.stop, ...(constraint ? [constraint.endMark] : chat.options.turnMarks)])
    if (constraint && constraint.tools.length > 0) this.#call = new ToolCallStream()
  }

  /** True when a stop was met. */
  async write(sample: Sample): Promise<boolean> {
    if (sample.logprob !== undefined) this.#logprobs.push(toLogprob(this.#work.chat.model, sample))
    const { text, isStopped } = this.#stops.push(this.#text.push(sample.token))
    this.#isStopped = isStopped
    await this.#say(text)
    return isStopped
  }

  async end(reason: 'stop' | 'length'): Promise<void> {
    const { choice, emit } = this.#work
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
    const { choice, emit } = this.#work
    if (this.#call) {
      const piece = this.#call.push(text)
      const id = piece?.name === undefined ? {} : { id: `call_${randomBytes(12).toString('hex')}`, name: piece.name }
      if (piece) await emit({ type: 'tool-call-delta', choice, index: 0, ...id, arguments: piece.arguments })
      return
    }
    const logprobs = this.#logprobs
    this.#logprobs = []
    await emit({ type: 'text-delta', choice, text, ...(logprobs.length > 0 && { logprobs }) })
  }
}

function toLogprob(model: LlamaModel, { token, logprob = 0, top = [] }: Sample): TokenLogprob {
  const named = (token: Token, logprob: number) => {
    const text = model.detokenize([token], true)
    // Half a character has no text of its own, and the library does not give its bytes.
    return { token: text, logprob, ...(!text.includes('\uFFFD') && { bytes: [...Buffer.from(text)] }) }
  }
  return { ...named(token, logprob), top_logprobs: top.map(([other, value]) => named(other, value)) }
}
