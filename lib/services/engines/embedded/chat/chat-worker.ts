// Entry of the child process that holds one chat model. Node runs it unbundled.
import {
  type Llama,
  type LlamaContextSequence,
  LlamaGrammarEvaluationState,
  type LlamaModel,
  type Token,
} from 'node-llama-cpp'
import { type ChatEvent, type ChatRequest, type ChatTool, EngineError } from '../../engine.ts'
import { endWithParent, failureOf } from '../task-child.ts'
import {
  type ChatModel,
  loadChatModel,
  ownerOf,
  promptOf,
  releaseSequence,
  THOUGHT_TAG,
  takeSequence,
} from './chat-model.ts'
import { type ChatCommand, type ChatReport, type ModelOptions, Outbox, WINDOW_EVENTS } from './chat-protocol.ts'
import { samplesOf } from './chat-sampling.ts'
import { ChoiceWriter } from './choice-writer.ts'
import { callGrammarOf, grammarOf } from './grammar/json-grammar.ts'
import { PROMPT_PIECE_TOKENS } from './load-llama.ts'

type Running = { outbox: Outbox; abort: AbortController }

let chat: ChatModel | undefined
const work = new Map<number, Running>()

endWithParent()
process.on('message', (command: ChatCommand) => {
  if (command.type === 'load') void load(command.options)
  else if (command.type === 'generate') void run(command.id, command.request)
  else if (command.type === 'credit') work.get(command.id)?.outbox.addCredit(command.count)
  else cancel(command.id)
})

async function load(options: ModelOptions): Promise<void> {
  try {
    chat = await loadChatModel(options, (fraction) => report({ type: 'loading', fraction }))
    report({ type: 'loaded', residentBytes: process.memoryUsage.rss(), processor: chat.processor })
  } catch (error) {
    report({ type: 'failed', ...failureOf(error, 'The model could not be loaded.') })
  }
}

async function run(id: number, request: ChatRequest): Promise<void> {
  const outbox = new Outbox(WINDOW_EVENTS, (events, count) => report({ type: 'events', id, events, count }))
  const abort = new AbortController()
  work.set(id, { outbox, abort })
  try {
    if (!chat) throw new Error('no model is loaded')
    await generate(chat, request, (event) => outbox.push(event), abort.signal)
    outbox.flush()
    report({ type: 'end', id })
  } catch (error) {
    outbox.flush()
    if (abort.signal.aborted) report({ type: 'end', id })
    else report({ type: 'failed', id, ...failureOf(error, 'The model could not go on with this answer.') })
  } finally {
    work.delete(id)
  }
}

function cancel(id: number): void {
  const running = work.get(id)
  running?.abort.abort()
  running?.outbox.close()
}

function report(message: ChatReport): void {
  if (process.connected) process.send?.(message)
}

type Emit = (event: ChatEvent) => Promise<void>

/**
 * Answers a request. Output tokens are the sampled ones, with the one that ends the turn: each cost an evaluation.
 * Input tokens are those of the prompt after the chat template, once for all choices.
 *
 * @throws EngineError `context-overflow` when the prompt leaves no room for a token, or less than a firm bound asks
 *   for; the signal's reason when aborted.
 */
async function generate(chat: ChatModel, request: ChatRequest, emit: Emit, signal: AbortSignal): Promise<void> {
  const constraint = await constraintOf(request, chat.llama, chat.model)
  const isConstrained = constraint !== undefined
  const { tokens: prompt, isInsideThought, callable } = promptOf(chat, request, constraint?.tools ?? [], isConstrained)
  const { contextTokens } = chat.options
  const remaining = contextTokens - prompt.length
  if (remaining < 1) {
    throw new EngineError(
      'context-overflow',
      `This model's context is ${contextTokens} tokens, and the messages are ${prompt.length}. Shorten them.`,
    )
  }
  if (request.bound === 'firm' && request.maxTokens > remaining) {
    throw new EngineError(
      'context-overflow',
      `This model's context is ${contextTokens} tokens. The messages are ${prompt.length}, which leaves ${remaining} for the answer, ` +
        `and ${request.maxTokens} were asked for. Shorten the messages or ask for fewer tokens.`,
    )
  }
  const maxTokens = Math.min(request.maxTokens, remaining)
  const sequence = await takeSequence(chat.sequences, ownerOf(request), prompt)
  try {
    const opening = isInsideThought && !constraint ? `${THOUGHT_TAG}\n` : ''
    const { context } = sequence
    await answer({ chat, context, request, constraint, prompt, opening, callable, maxTokens, emit, signal })
  } finally {
    await releaseSequence(sequence)
  }
}

type Work = {
  chat: ChatModel
  context: LlamaContextSequence
  request: ChatRequest
  constraint: Constraint | undefined
  prompt: Token[]
  /** Begins every answer's text: a tag that the template has written already. */
  opening: string
  /** Tools that the model may call by itself. */
  callable: ChatTool[]
  maxTokens: number
  emit: Emit
  signal: AbortSignal
}

async function answer(work: Work): Promise<void> {
  const { context, request, prompt, emit, signal } = work
  let cachedTokens = 0
  let outputTokens = 0
  for (let choice = 0; choice < request.n; choice++) {
    // For the choices after the first nothing is left to read: what the one before said is taken back.
    const found = await readPrompt(context, prompt, signal)
    if (choice === 0) cachedTokens = found
    outputTokens += await generateChoice({ ...work, choice })
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

async function readPrompt(context: LlamaContextSequence, prompt: Token[], signal: AbortSignal): Promise<number> {
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

type ChoiceWork = Work & { choice: number }

async function generateChoice(work: ChoiceWork): Promise<number> {
  const { chat, request, constraint, prompt, choice, signal } = work
  const generated: Token[] = []
  const settings = {
    defaults: chat.options.defaults,
    choice,
    generated,
    ...(request.logprobs && { logprobs: request.logprobs }),
    ...(constraint && { grammar: constraint.newState() }),
  }
  const writer = new ChoiceWriter({
    choice,
    model: chat.model,
    // A grammar decides by itself what may be said and where it ends: half of a value would be no value.
    stops: constraint ? [] : [...request.stop, ...chat.options.turnMarks],
    isCall: constraint !== undefined && constraint.tools.length > 0,
    callable: work.callable.map((tool) => tool.function.name),
    hasOneCall: request.parallelToolCalls === false,
    emit: work.emit,
  })
  if (work.opening !== '') await work.emit({ type: 'text-delta', choice, text: work.opening })
  const stopTokens = new Set<number>(constraint ? [] : request.stopTokenIds)
  let sampled = 0
  let reason: 'stop' | 'length' = 'length'
  for await (const sample of samplesOf(work.context, prompt.slice(-1), request.sampling, settings)) {
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

type Constraint = {
  newState: () => LlamaGrammarEvaluationState
  // The answer calls exactly one of these tools, whatever `parallel_tool_calls` allows.
  tools: ChatTool[]
}

async function constraintOf(request: ChatRequest, llama: Llama, model: LlamaModel): Promise<Constraint | undefined> {
  const tools = forcedTools(request)
  const text = tools.length > 0 ? callGrammarOf(tools.map(grammarTool)) : formatGrammar(request)
  if (text === undefined) return undefined
  const grammar = await llama.createGrammar({ grammar: text }).catch((cause) => {
    throw new EngineError('invalid-request', 'This model cannot follow the JSON schema: it never comes to a value.', {
      cause,
    })
  })
  return { newState: () => new LlamaGrammarEvaluationState({ model, grammar }), tools }
}

// Lists the tools of which one must be called; none with `auto`: models of this size do not call tools by themselves.
function forcedTools({ tools = [], toolChoice }: ChatRequest): ChatTool[] {
  if (toolChoice === undefined || toolChoice === 'auto' || toolChoice === 'none') return []
  const named =
    toolChoice === 'required' ? tools : tools.filter((tool) => tool.function.name === toolChoice.function.name)
  if (named.length === 0) throw new EngineError('invalid-request', 'tool_choice names no tool of this request.')
  return named
}

function grammarTool({ function: { name, parameters, strict = false } }: ChatTool) {
  return { name, isStrict: strict, ...(parameters && { parameters }) }
}

function formatGrammar({ responseFormat }: ChatRequest): string | undefined {
  if (responseFormat?.type === 'json_object') return grammarOf({ type: 'object' }, false)
  if (responseFormat?.type !== 'json_schema') return undefined
  const { schema, strict = false } = responseFormat.json_schema
  return grammarOf(schema, strict)
}
