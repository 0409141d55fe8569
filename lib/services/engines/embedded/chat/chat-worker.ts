// Entry of the child process that holds one chat model. Node runs it unbundled.
import {
  type Llama,
  type LlamaContextSequence,
  LlamaGrammarEvaluationState,
  type LlamaModel,
  type Token,
} from 'node-llama-cpp'
import type { ChatRequest, ChatTool } from '../../engine.ts'
import { type ChatModel, loadChatModel, promptOf, releaseSequence, takeSequence } from './chat-model.ts'
import { samplesOf } from './chat-sampling.ts'
import { ChoiceWriter } from './choice-writer.ts'
import { constraintOf } from './constraint.ts'
import { ownerOf, roomFor, THOUGHT_TAG, usageEvent } from './conversation.ts'
import { PROMPT_PIECE_TOKENS } from './load-llama.ts'
import { type Emit, serveChat } from './serve-chat.ts'

serveChat({ load: loadChatModel, generate })

/**
 * Answers a request. Output tokens are the sampled ones, with the one that ends the turn: each cost an evaluation.
 * Input tokens are those of the prompt after the chat template, once for all choices.
 *
 * @throws EngineError `context-overflow` when the prompt leaves no room for a token, or less than a firm bound asks
 *   for; the signal's reason when aborted.
 */
async function generate(chat: ChatModel, request: ChatRequest, emit: Emit, signal: AbortSignal): Promise<void> {
  const constraint = await evaluated(request, chat.llama, chat.model)
  const isConstrained = constraint !== undefined
  const { tokens: prompt, isInsideThought, callable } = promptOf(chat, request, constraint?.tools ?? [], isConstrained)
  const maxTokens = roomFor(request, prompt.length, chat.options.contextTokens)
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
  constraint: Constrained | undefined
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
  await emit(usageEvent({ inputTokens: prompt.length, cachedTokens, outputTokens }))
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

type Constrained = { newState: () => LlamaGrammarEvaluationState; tools: ChatTool[] }

async function evaluated(request: ChatRequest, llama: Llama, model: LlamaModel): Promise<Constrained | undefined> {
  const constraint = constraintOf(request)
  if (!constraint) return undefined
  const grammar = await llama.createGrammar({ grammar: constraint.grammar })
  return { newState: () => new LlamaGrammarEvaluationState({ model, grammar }), tools: constraint.tools }
}
