import { availableParallelism, cpus } from 'node:os'
import {
  type ChatHistoryItem,
  type ChatWrapper,
  JinjaTemplateChatWrapper,
  type Llama,
  type LlamaContextSequence,
  type LlamaModel,
  type Token,
} from 'node-llama-cpp'
import type { ChatRequest, ChatTool } from '../../engine.ts'
import type { ModelOptions, UsedProcessor } from './chat-protocol.ts'
import { isThinkingAsked, RETENTION_MS, THOUGHT_TAG, type Turn, templateRefusal, turnsOf } from './conversation.ts'
import { loadLlama } from './load-llama.ts'
import { hasToolTags } from './tool-tags.ts'

export type ChatModel = {
  llama: Llama
  model: LlamaModel
  wrapper: ChatWrapper
  /** Present where the template writes thoughts: how a prompt for one begins, and one for an answer without. */
  thoughtWrappers?: { on: ChatWrapper; off: ChatWrapper }
  /** Present where the template describes tools: makes prompts with them. */
  toolWrapper?: (tools: ChatTool[], isThinking: boolean) => ChatWrapper
  options: ModelOptions
  processor: UsedProcessor
  sequences: Sequence[]
}

/** Loads the file into memory. @throws Error when it is no model, or has no chat template. */
export async function loadChatModel(options: ModelOptions, onProgress: (fraction: number) => void): Promise<ChatModel> {
  const { sequences, threads } = options
  const { llama, model, context, processor } = await loadLlama(options, onProgress)
  governThreads(threads, (now) => {
    llama.maxThreads = now
  })
  const places = Array.from({ length: sequences }, () => ({ context: context.getSequence(), isBusy: false, usedAt: 0 }))
  return { llama, model, ...chatWrappersOf(model, options), options, processor, sequences: places }
}

const INTERVAL_MS = 1_000

type CpuTimes = { atMs: number; busyMs: number; ownMs: number }

/**
 * Counts cores that other processes left free between two readings: at least one thread, at most `max`. Threads of a
 * model wait for each other hundreds of times a token, spinning; when other work takes one off its core, all wait for a
 * time slice. Measured with TinyLlama on two cores that three other jobs were using: two threads gave 0.2 to 0.9 tokens
 * a second, one gave 2.2 to 4.7; with nothing else to do, two gave 22 and one 11.
 */
export function threadsFor(before: CpuTimes, after: CpuTimes, cores: number, max: number): number {
  const elapsedMs = after.atMs - before.atMs
  if (elapsedMs <= 0) return max
  const others = (after.busyMs - before.busyMs - (after.ownMs - before.ownMs)) / elapsedMs
  return Math.max(1, Math.min(max, Math.round(cores - Math.max(0, others))))
}

function governThreads(max: number, setThreads: (threads: number) => void): void {
  if (max <= 1) return
  let before = readCpuTimes()
  setInterval(() => {
    const after = readCpuTimes()
    setThreads(threadsFor(before, after, availableParallelism(), max))
    before = after
  }, INTERVAL_MS).unref()
}

function readCpuTimes(): CpuTimes {
  const busyMs = cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0)
  const own = process.cpuUsage()
  return { atMs: performance.now(), busyMs, ownMs: (own.user + own.system) / 1_000 }
}

type Context = Pick<LlamaContextSequence, 'compareContextTokens' | 'clearHistory' | 'nextTokenIndex'>

export type Sequence<C extends Context = LlamaContextSequence> = {
  context: C
  owner?: string
  isBusy: boolean
  usedAt: number
  expiry?: NodeJS.Timeout
}

/**
 * Takes a free place: the one where most of the prompt was evaluated for the same owner, else an empty one, else the
 * one that was not used for longest, which is emptied. While one is empty, a kept prompt is not given up for a
 * beginning that all conversations have.
 *
 * @throws Error when none is free; the parent sends no more than there are.
 */
export async function takeSequence<C extends Context>(
  sequences: Sequence<C>[],
  owner: string | undefined,
  prompt: Token[],
): Promise<Sequence<C>> {
  const free = sequences.filter(({ isBusy }) => !isBusy).sort((a, b) => a.usedAt - b.usedAt)
  const empty = free.find((one) => one.owner === undefined)
  const cached = owner === undefined ? undefined : longestMatch(free, owner, prompt, empty !== undefined)
  const sequence = cached ?? empty ?? free[0]
  if (!sequence) throw new Error('more requests than sequences')
  clearTimeout(sequence.expiry)
  sequence.isBusy = true
  sequence.owner = owner
  if (sequence !== cached) await sequence.context.clearHistory()
  return sequence
}

export async function releaseSequence(sequence: Sequence<Context>): Promise<void> {
  // Without an owner nobody may come back to it, so nothing of it is kept.
  if (sequence.owner === undefined) await sequence.context.clearHistory()
  else sequence.expiry = setTimeout(() => void forget(sequence), RETENTION_MS).unref()
  sequence.usedAt = Date.now()
  sequence.isBusy = false
}

function longestMatch<C extends Context>(free: Sequence<C>[], owner: string, prompt: Token[], hasEmpty: boolean) {
  const matches = free
    .filter((sequence) => sequence.owner === owner)
    .map((sequence) => ({ sequence, tokens: sequence.context.compareContextTokens(prompt).firstDifferentIndex }))
    .filter(({ sequence, tokens }) => tokens > 0 && (!hasEmpty || tokens * 2 >= sequence.context.nextTokenIndex))
  return matches.sort((a, b) => b.tokens - a.tokens)[0]?.sequence
}

async function forget(sequence: Sequence<Context>): Promise<void> {
  sequence.owner = undefined
  await sequence.context.clearHistory()
}

type Wrappers = Pick<ChatModel, 'wrapper' | 'thoughtWrappers' | 'toolWrapper'>

function chatWrappersOf(model: LlamaModel, { isPlain }: ModelOptions): Wrappers {
  const template = model.fileInfo.metadata.tokenizer?.chat_template
  if (!template) throw new Error('the model file has no chat template')
  // Tools are said in words where they are forced; the template's own way is for those that a model may call.
  const options = { template, tokenizer: model.tokenizer, functionCallMessageTemplate: 'noJinja' } as const
  const wrapper = new JinjaTemplateChatWrapper(options)
  if (isPlain) return { wrapper }
  // The library renders an answer to come like one of the past, for which templates leave thoughts out.
  const prompting = (reasoning: boolean, more: object = {}) => {
    const additionalRenderParameters = { add_generation_prompt: true, ...more }
    return new JinjaTemplateChatWrapper({ ...options, reasoning, additionalRenderParameters })
  }
  const toolWrapper = (tools: ChatTool[], isThinking: boolean) => prompting(isThinking, { tools: harmless(tools) })
  return {
    wrapper,
    ...(/<think>|enable_thinking/.test(template) && {
      thoughtWrappers: { on: prompting(true), off: prompting(false) },
    }),
    ...(hasToolTags(template) && { toolWrapper }),
  }
}

/** The template's words may be control tokens, and descriptions become part of them. */
function harmless(tools: ChatTool[]): ChatTool[] {
  return JSON.parse(JSON.stringify(tools).replaceAll('<', '<\u200b')) as ChatTool[]
}

type PromptRequest = Pick<ChatRequest, 'messages' | 'reasoning' | 'tools' | 'toolChoice'>

export type Prompt = {
  tokens: Token[]
  /** The template has written the opening tag of a thought: the answer begins inside it. */
  isInsideThought: boolean
  /** Tools that the model was told of, and may call by itself. */
  callable: ChatTool[]
}

/**
 * Tokenizes the prompt, up to where the assistant begins. Only the template's own words become control tokens:
 * `<|im_end|>` in a message stays text.
 *
 * @throws EngineError `invalid-request` when the template refuses the conversation.
 */
export function promptOf(
  { model, wrapper, thoughtWrappers, toolWrapper }: ChatModel,
  { messages, reasoning, tools = [], toolChoice = 'auto' }: PromptRequest,
  forced: ChatTool[],
  isConstrained: boolean,
): Prompt {
  const history = turnsOf(messages, forced, toolWrapper !== undefined).map(historyItem)
  const isThinking = isThinkingAsked({ reasoning })
  const callable = toolWrapper && toolChoice === 'auto' && !isConstrained ? tools : []
  const chosen = callable.length > 0 ? toolWrapper!(callable, isThinking) : thoughtWrappers?.[isThinking ? 'on' : 'off']
  const chatHistory = chosen ? history : [...history, { type: 'model' as const, response: [] }]
  let tokens: Token[]
  let isInsideThought: boolean
  try {
    const { contextText } = (chosen ?? wrapper).generateContextState({ chatHistory })
    tokens = contextText.tokenize(model.tokenizer)
    isInsideThought = contextText.toString().trimEnd().endsWith(THOUGHT_TAG)
  } catch (cause) {
    throw templateRefusal(cause)
  }
  const { bos, shouldPrependBosToken } = model.tokens
  const isWithoutBos = shouldPrependBosToken && bos !== null && tokens[0] !== bos
  return { tokens: isWithoutBos ? [bos, ...tokens] : tokens, isInsideThought, callable }
}

const historyItem = ({ role, text }: Turn): ChatHistoryItem =>
  role === 'assistant' ? { type: 'model', response: [text] } : { type: role, text }
