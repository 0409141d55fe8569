// Entry of the child process that holds one chat model in llama.node (docs/adr/0037). Node runs it unbundled.
import { readGgufFileInfo } from 'node-llama-cpp'
import { type ChatRequest, type ChatTool, EngineError } from '../../engine.ts'
import type { ModelOptions, UsedProcessor } from './chat-protocol.ts'
import { nodeSamplingOf } from './chat-sampling.ts'
import { ChoiceWriter } from './choice-writer.ts'
import { constraintOf } from './constraint.ts'
import {
  assertNoTokenAccess,
  isThinkingAsked,
  ownerOf,
  RETENTION_MS,
  roomFor,
  THOUGHT_TAG,
  type Turn,
  templateRefusal,
  tokenFinder,
  turnsOf,
  usageEvent,
  withoutControl,
} from './conversation.ts'
import { loadModel, type NodeCompletion, type NodeContent, type NodeContext } from './llama-node.ts'
import { type Emit, serveChat } from './serve-chat.ts'
import { hasToolTags } from './tool-tags.ts'

type NodeModel = {
  context: NodeContext
  options: ModelOptions
  processor: UsedProcessor
  template: string
  /** Finds control tokens and the mark of an image in a text. */
  control: RegExp
  /** Begins prompts without images: the token that the vocabulary adds, if it does. */
  opening: string
  owner?: string
  expiry?: NodeJS.Timeout
}

/** The runtime's own, for the place of an image in a prompt. */
const IMAGE_MARK = '<__media__>'
/** Models that take images of any size make so many tokens of one at most: each takes a CPU some milliseconds. */
const TOKENS_PER_IMAGE = 1_024
const PARALLEL = { n_parallel: 1, n_batch: 512 } as const
const CONTROL_TOKEN = 3
const USER_DEFINED_TOKEN = 4
/** More layers than a model has. */
const ALL_LAYERS = 10_000

let lastAnswer: Promise<unknown> = Promise.resolve()

serveChat({
  load,
  // One at a time: whoever forgets a prompt opens the runtime's only slot anew.
  generate: (...request: Parameters<typeof generate>) => {
    const answer = lastAnswer.then(() => generate(...request))
    lastAnswer = answer.catch(() => undefined)
    return answer
  },
})

async function load(options: ModelOptions, onProgress: (fraction: number) => void): Promise<NodeModel> {
  const { modelPath, projectorPath, contextTokens, threads, gpu } = options
  const { metadata } = await readGgufFileInfo(modelPath, { sourceType: 'filesystem', logWarnings: false })
  const { chat_template: template, ggml } = metadata.tokenizer ?? {}
  if (!template) throw new Error('the model file has no chat template')
  const context = await loadModel(
    { model: modelPath, n_ctx: contextTokens, n_parallel: 1, n_threads: threads, n_gpu_layers: gpu ? ALL_LAYERS : 0 },
    (percent) => onProgress(percent / 100),
  )
  if (projectorPath !== undefined) {
    context.initMultimodal({ path: projectorPath, use_gpu: gpu !== undefined, image_max_tokens: TOKENS_PER_IMAGE })
    if (!context.getMultimodalSupport().vision) throw new Error('the projector is not one of images')
  }
  const kinds = ggml?.token_type ?? []
  const isControl = (_: string, index: number) => [CONTROL_TOKEN, USER_DEFINED_TOKEN].includes(Number(kinds[index]))
  const marks = [...(ggml?.tokens ?? []).filter(isControl), IMAGE_MARK]
  await context.parallel.enable(PARALLEL)
  const opening = addsOpening(context) ? (ggml?.tokens?.[Number(ggml.bos_token_id)] ?? '') : ''
  const processor = processorOf(gpu, context)
  return { context, options, template, control: tokenFinder(marks), opening, processor }
}

/**
 * Tells whether the vocabulary adds a token at the beginning of texts. llama.cpp then takes it off the prompt of a
 * template, and the parallel API adds it only where there are images.
 */
function addsOpening(context: NodeContext): boolean {
  const options = { jinja: true, enable_thinking: true, add_generation_prompt: true } as const
  return context.getFormattedChat([{ role: 'user', content: '' }], '{{ bos_token }}|', options).prompt === '|'
}

function processorOf(gpu: ModelOptions['gpu'], context: NodeContext): UsedProcessor {
  if (!gpu) return { kind: 'cpu' }
  const devices = context.getUsedDevices()
  if (devices.length === 0) return { kind: 'cpu', fallback: 'The runtime found no GPU. The CPU is used.' }
  return { kind: gpu.kind, name: devices.join(', ') }
}

/** Answers a request, as the other runtime does. Tokens of images count as those of the prompt. */
async function generate(model: NodeModel, request: ChatRequest, emit: Emit, signal: AbortSignal): Promise<void> {
  const { context, options } = model
  signal.throwIfAborted()
  assertNoTokenAccess(request)
  const constraint = constraintOf(request)
  const { formatted, callable } = promptOf(model, request, constraint?.tools ?? [], constraint !== undefined)
  const { prompt, media_paths } = formatted
  await keepFor(model, ownerOf(request))
  const { tokens } = await context.tokenize(prompt, { media_paths }).catch((cause) => {
    throw new EngineError('invalid-request', 'An image could not be read by the model.', { cause })
  })
  const maxTokens = roomFor(request, tokens.length, options.contextTokens)
  const isInsideThought = !constraint && prompt.trimEnd().endsWith(THOUGHT_TAG)
  let [cachedTokens, outputTokens] = [0, 0]
  for (let choice = 0; choice < request.n; choice++) {
    signal.throwIfAborted()
    if (isInsideThought) await emit({ type: 'text-delta', choice, text: `${THOUGHT_TAG}\n` })
    const stops = constraint ? [] : [...request.stop, ...options.turnMarks]
    const writer = new ChoiceWriter({
      choice,
      stops,
      isCall: constraint !== undefined && constraint.tools.length > 0,
      callable: callable.map((tool) => tool.function.name),
      hasOneCall: request.parallelToolCalls === false,
      emit,
    })
    const completion: NodeCompletion = {
      prompt,
      media_paths,
      n_predict: maxTokens,
      ...nodeSamplingOf(request.sampling, {
        defaults: options.defaults,
        choice,
        isConstrained: constraint !== undefined,
      }),
      stop: stops,
      ...(constraint && { grammar: constraint.grammar }),
    }
    const { result, isStopped } = await complete(model, completion, writer, signal)
    if (choice === 0) cachedTokens = result.timings.cache_n
    outputTokens += Math.min(result.tokens_predicted, maxTokens)
    await writer.end(result.stopped_limit && !isStopped ? 'length' : 'stop')
  }
  await emit(usageEvent({ inputTokens: tokens.length, cachedTokens, outputTokens }))
}

/** Passes text on while it is generated. The runtime does not wait for its reader: what is held is one answer. */
async function complete(model: NodeModel, options: NodeCompletion, writer: ChoiceWriter, signal: AbortSignal) {
  let received = ''
  let isStopped = false
  let writing = Promise.resolve()
  const write = (text: string) => {
    received += text
    writing = writing.then(async () => {
      if (!isStopped && !signal.aborted && text !== '') isStopped = await writer.writeText(text)
    })
    // Whoever waits for it hears of the failure.
    writing.catch(() => undefined)
  }
  const job = await model.context.parallel.completion(options, (_, { token }) => write(token))
  signal.addEventListener('abort', job.stop, { once: true })
  try {
    const result = await job.promise
    // What has no piece is a character whose last bytes never came.
    write(result.text.slice(received.length).replace(/\uFFFD+$/, ''))
    await writing
    signal.throwIfAborted()
    if (result.context_full) throw new Error('the context is full')
    return { result, isStopped }
  } catch (error) {
    // What was broken off leaves its counts to the next one.
    model.owner = undefined
    throw signal.aborted ? signal.reason : error
  } finally {
    signal.removeEventListener('abort', job.stop)
  }
}

/** The runtime keeps the last prompt, of which the next one by another owner must not profit. */
async function keepFor(model: NodeModel, owner: string | undefined): Promise<void> {
  clearTimeout(model.expiry)
  if (owner === undefined || owner !== model.owner) await forget(model)
  model.owner = owner
  model.expiry = setTimeout(() => void forget(model), RETENTION_MS).unref()
}

async function forget(model: NodeModel): Promise<void> {
  model.owner = undefined
  model.context.parallel.disable()
  await model.context.parallel.enable(PARALLEL)
}

type Prompt = { formatted: ReturnType<NodeContext['getFormattedChat']>; callable: ChatTool[] }

function promptOf(model: NodeModel, request: ChatRequest, forced: ChatTool[], isConstrained: boolean): Prompt {
  const { context, options, template, control, opening } = model
  const { messages, tools = [], toolChoice = 'auto' } = request
  const hasTags = hasToolTags(template) && !options.isPlain
  const callable = hasTags && toolChoice === 'auto' && !isConstrained ? tools : []
  const harmless = (text: string) => withoutControl(text, control)
  try {
    const formatted = context.getFormattedChat(
      turnsOf(messages, forced, hasTags).map((turn) => ({ role: turn.role, content: contentOf(turn, harmless) })),
      undefined,
      {
        jinja: true,
        // A model that was not trained for thoughts is not told to leave them out either.
        enable_thinking: options.isPlain === true || isThinkingAsked(request),
        add_generation_prompt: true,
        ...(callable.length > 0 && { tools: callable.map(({ function: about }) => toolOf(about, harmless)) }),
      },
    )
    if (!formatted.media_paths?.length) formatted.prompt = opening + formatted.prompt
    return { formatted, callable }
  } catch (cause) {
    throw templateRefusal(cause)
  }
}

function contentOf({ text, message }: Turn, harmless: (text: string) => string): NodeContent {
  const content = message?.role === 'user' ? message.content : undefined
  if (typeof content !== 'object' || !content.some(({ type }) => type === 'image_url')) return harmless(text)
  return content.flatMap((part): Exclude<NodeContent, string> => {
    if (part.type === 'text') return [{ type: 'text', text: harmless(part.text) }]
    return part.type === 'image_url' ? [{ type: 'image_url', image_url: part.image_url }] : []
  })
}

function toolOf({ name, description = '', parameters = {} }: ChatTool['function'], harmless: (text: string) => string) {
  const about = JSON.parse(harmless(JSON.stringify({ name, description, parameters }))) as {
    name: string
    description: string
    parameters: Record<string, unknown>
  }
  return { type: 'function' as const, function: about }
}
