/**
 * Runs a vision-language model in ONNX files (docs/adr/0037). transformers.js reads the settings, the tokenizer and images
 * and holds the networks; tokens are drawn here, as for other models. Runs in a child process, so it uses no path aliases.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { AutoModelForImageTextToText, AutoProcessor, env, LogLevel, RawImage, Tensor } from '@huggingface/transformers'
import type { Token } from 'node-llama-cpp'
import { type ChatRequest, EngineError } from '../../engine.ts'
import { openColors } from '../vision/image.ts'
import { sessionOptions } from '../weights/onnx-session.ts'
import type { ModelOptions, UsedProcessor } from './chat-protocol.ts'
import { drawToken, randomFrom, settingsOf } from './chat-sampling.ts'
import { ChoiceWriter } from './choice-writer.ts'
import { constraintOf } from './constraint.ts'
import {
  assertNoTokenAccess,
  ownerOf,
  RETENTION_MS,
  roomFor,
  type Turn,
  templateRefusal,
  tokenFinder,
  turnsOf,
  usageEvent,
  withoutControl,
} from './conversation.ts'
import type { Emit } from './serve-chat.ts'

/** Larger images are made smaller: each tile takes a CPU seconds, and a whole image is one more. */
const MAX_TILES_A_SIDE = 2
/** Some networks write probabilities for each token of a prompt: of so many they take 200 MB. */
const PROMPT_PIECE_TOKENS = 1_024
const BYTES_PER_VALUE = 4
/** Of eight large images; each takes some 0.2 MB. */
const MAX_SEEN_TILES = 40

type Config = {
  eos_token_id?: number | number[]
  image_token_id?: number
  image_token_index?: number
  text_config?: Config
}

/** The part of the library that is used; its own types leave it open. */
type Network = {
  config: Config
  generation_config: Config | null
  encode_image(inputs: Record<string, Tensor>): Promise<Tensor>
  encode_text(inputs: { input_ids: Tensor }): Promise<Tensor>
  forward(inputs: Record<string, Tensor | Past | null>): Promise<Record<string, Tensor>>
}

type Tokenizer = {
  (text: string): { input_ids: Tensor }
  apply_chat_template(
    turns: { role: string; content: Part[] }[],
    options: { chat_template: string; tokenize: false; add_generation_prompt: true },
  ): string
  decode(tokens: number[], options: { skip_special_tokens: true; clean_up_tokenization_spaces: false }): string
}

type Reader = {
  (text: string, images: RawImage[]): Promise<{ input_ids: Tensor; pixel_values: Tensor; pixel_attention_mask: Tensor }>
  tokenizer?: Tokenizer
  image_processor?: { max_image_size?: { longest_edge?: number }; do_resize: boolean }
}

type Part = { type: 'text'; text: string } | { type: 'image' }

/** Keys and values of the tokens so far. */
type Past = Record<string, Tensor>

export type VisionModel = {
  network: Network
  reader: Reader
  tokenizer: Tokenizer
  template: string
  /** Finds control tokens in a text. */
  control: RegExp
  imageToken: number
  ends: ReadonlySet<number>
  tileSide: number
  seen: SeenTiles
  options: ModelOptions
  processor: UsedProcessor
}

/** What the network found in tiles, by their hashes: the next question about an image does not read it again. */
type SeenTiles = { owner?: string; features: Map<string, Float32Array>; expiry?: NodeJS.Timeout }

/** Loads the files of the folder that the path is in. @throws Error when they are no such model. */
export async function loadVisionModel(options: ModelOptions): Promise<VisionModel> {
  const folder = path.dirname(options.modelPath)
  Object.assign(env, { allowRemoteModels: false, useFSCache: false, useWasmCache: false, logLevel: LogLevel.NONE })
  const network = (await AutoModelForImageTextToText.from_pretrained(folder, {
    local_files_only: true,
    // Whatever the settings of the model say: one file for each network, whose name has no ending for its form.
    subfolder: '',
    device: 'cpu',
    dtype: 'fp32',
    use_external_data_format: false,
    // Kept for reuse, memory of an image's tiles is 0.4 GB more; without, they take a tenth longer.
    session_options: { ...sessionOptions(options.threads), enableCpuMemArena: false },
  })) as unknown as Network
  const reader = (await AutoProcessor.from_pretrained(folder, { local_files_only: true })) as unknown as Reader
  const { tokenizer, image_processor: imageReader } = reader
  const tileSide = imageReader?.max_image_size?.longest_edge
  if (!tokenizer || !imageReader || !tileSide) throw new Error('the settings say nothing of how images are read')
  // Images are made as large as they should be before.
  imageReader.do_resize = false
  const template = await readChatTemplate(folder)
  if (template === undefined) throw new Error('the model has no chat template')
  const { config, generation_config: generation } = network
  const imageToken = config.image_token_id ?? config.image_token_index
  const ends = new Set([generation, config, config.text_config].flatMap((one) => one?.eos_token_id ?? []))
  if (imageToken === undefined || ends.size === 0)
    throw new Error('the settings name no token of an image, or none that ends')
  const control = await controlTokens(folder)
  return {
    network,
    reader,
    tokenizer,
    template,
    control,
    imageToken,
    ends,
    tileSide,
    seen: { features: new Map() },
    options,
    processor: { kind: 'cpu' },
  }
}

/** Reads the chat template from where models keep it: a file of its own, or the settings of the tokenizer. */
export async function readChatTemplate(folder: string): Promise<string | undefined> {
  const whole = await readFile(path.join(folder, 'chat_template.jinja'), 'utf8').catch(() => undefined)
  if (whole !== undefined) return whole
  for (const name of ['chat_template.json', 'tokenizer_config.json']) {
    const text = await readFile(path.join(folder, name), 'utf8').catch(() => '{}')
    const { chat_template: template } = JSON.parse(text) as { chat_template?: unknown }
    if (typeof template === 'string') return template
  }
  return undefined
}

async function controlTokens(folder: string): Promise<RegExp> {
  const text = await readFile(path.join(folder, 'tokenizer.json'), 'utf8')
  const { added_tokens: added = [] } = JSON.parse(text) as { added_tokens?: { content: string }[] }
  return tokenFinder(added.map(({ content }) => content))
}

/** Answers a request, as the other runtimes do. Tokens of images count as those of the prompt. */
export async function answer(model: VisionModel, request: ChatRequest, emit: Emit, signal: AbortSignal): Promise<void> {
  assertPlain(request)
  const prompt = await readMessages(model, request)
  const maxTokens = roomFor(request, prompt.tokens.length, model.options.contextTokens)
  keepFor(model.seen, ownerOf(request))
  const start = await readPrompt(model, prompt, signal)
  let outputTokens = 0
  for (let choice = 0; choice < request.n; choice++) {
    outputTokens += await writeChoice({ model, request, start, choice, maxTokens, emit, signal })
  }
  await emit(usageEvent({ inputTokens: prompt.tokens.length, cachedTokens: 0, outputTokens }))
}

/** Tiles that were seen for one are not known for another, nor for long. */
function keepFor(seen: SeenTiles, owner: string | undefined): void {
  clearTimeout(seen.expiry)
  if (owner === undefined || owner !== seen.owner) seen.features.clear()
  seen.owner = owner
  seen.expiry = setTimeout(() => seen.features.clear(), RETENTION_MS).unref()
}

/** @throws EngineError `invalid-request` for what the runtime cannot do. */
function assertPlain(request: ChatRequest): void {
  assertNoTokenAccess(request)
  if (constraintOf(request)) {
    throw new EngineError(
      'invalid-request',
      'This model does not call tools, and writes in no format. Ask it in words.',
    )
  }
}

export type Prompt = { tokens: number[]; ids: Tensor; pixels?: { values: Tensor; mask: Tensor } }

/** Tokenizes the messages, and cuts images into tiles. @throws EngineError `invalid-request` */
export async function readMessages(model: VisionModel, { messages }: Pick<ChatRequest, 'messages'>): Promise<Prompt> {
  const { tokenizer, reader, template, tileSide } = model
  const urls: string[] = []
  const turns = turnsOf(messages, [], false).map((turn) => ({ role: turn.role, content: partsOf(turn, model, urls) }))
  const images: RawImage[] = []
  for (const url of urls) {
    const bytes = Buffer.from(url.slice(url.indexOf(',') + 1), 'base64')
    const { pixels, width, height } = await openColors(bytes, tileSide * MAX_TILES_A_SIDE)
    images.push(new RawImage(new Uint8ClampedArray(pixels), width, height, 3))
  }
  const text = rendered(tokenizer, turns, template)
  if (images.length === 0) return promptOf(tokenizer(text).input_ids)
  const { input_ids: ids, pixel_values: values, pixel_attention_mask: mask } = await reader(text, images)
  return { ...promptOf(ids), pixels: { values, mask } }
}

const promptOf = (ids: Tensor): Prompt => ({ tokens: Array.from(ids.data as BigInt64Array, Number), ids })

function rendered(tokenizer: Tokenizer, turns: { role: string; content: Part[] }[], template: string): string {
  try {
    return tokenizer.apply_chat_template(turns, {
      chat_template: template,
      tokenize: false,
      add_generation_prompt: true,
    })
  } catch (cause) {
    throw templateRefusal(cause)
  }
}

/** Words of control tokens in a message stay text. */
function partsOf({ text, message }: Turn, { control }: VisionModel, urls: string[]): Part[] {
  const harmless = (words: string): Part => ({
    type: 'text',
    text: withoutControl(words, control),
  })
  const content = message?.role === 'user' ? message.content : undefined
  if (typeof content !== 'object' || !content.some(({ type }) => type === 'image_url')) return [harmless(text)]
  return content.flatMap((part): Part[] => {
    if (part.type === 'text') return [harmless(part.text)]
    if (part.type !== 'image_url') return []
    urls.push(part.image_url.url)
    return [{ type: 'image' }]
  })
}

type State = { scores: Float32Array; past: Past; length: number }

/** Evaluates a prompt in pieces. @throws Error when the networks do not fit each other; the signal's reason. */
export async function readPrompt(model: VisionModel, prompt: Prompt, signal: AbortSignal): Promise<State> {
  const embeddings = await model.network.encode_text({ input_ids: prompt.ids })
  const width = embeddings.dims.at(-1)!
  const values = floats(embeddings)
  if (prompt.pixels) placeImages(values, await readTiles(model, prompt.pixels, signal), { ...model, width, ...prompt })
  let state: State | undefined
  for (let at = 0; at < prompt.tokens.length; at += PROMPT_PIECE_TOKENS) {
    signal.throwIfAborted()
    const end = Math.min(at + PROMPT_PIECE_TOKENS, prompt.tokens.length)
    state = await evaluate(model, values.subarray(at * width, end * width), width, state)
  }
  if (!state) throw new EngineError('invalid-request', 'The messages are empty. Write something.')
  return state
}

/** Reads one tile at a time, so that little memory is taken, and a request can end in between. */
async function readTiles(
  { network, seen }: VisionModel,
  { values, mask }: NonNullable<Prompt['pixels']>,
  signal: AbortSignal,
): Promise<Float32Array[]> {
  const [, count = 0, channels = 0, height = 0, width = 0] = values.dims
  const [size, area] = [channels * height * width, height * width]
  const found: Float32Array[] = []
  for (let tile = 0; tile < count; tile++) {
    signal.throwIfAborted()
    const pixels = floats(values).subarray(tile * size, (tile + 1) * size)
    const hash = createHash('sha256').update(pixels).digest('base64')
    let features = seen.features.get(hash)
    if (!features) {
      const read = await network.encode_image({
        pixel_values: new Tensor('float32', pixels, [1, 1, channels, height, width]),
        pixel_attention_mask: new Tensor('bool', mask.data.slice(tile * area, (tile + 1) * area), [
          1,
          1,
          height,
          width,
        ]),
      })
      features = floats(read)
      seen.features.set(hash, features)
      if (seen.features.size > MAX_SEEN_TILES) seen.features.delete(seen.features.keys().next().value!)
    }
    found.push(features)
  }
  return found
}

type Places = { imageToken: number; tokens: number[]; width: number }

function placeImages(embeddings: Float32Array, tiles: Float32Array[], { imageToken, tokens, width }: Places): void {
  const places = tokens.flatMap((token, place) => (token === imageToken ? [place] : []))
  const features = tiles.flatMap((tile) =>
    Array.from({ length: tile.length / width }, (_, index) => tile.subarray(index * width, (index + 1) * width)),
  )
  if (places.length !== features.length) throw new Error('the images have another size than the prompt says')
  for (const [index, place] of places.entries()) embeddings.set(features[index]!, place * width)
}

async function evaluate({ network }: VisionModel, values: Float32Array, width: number, before?: State): Promise<State> {
  const count = values.length / width
  const from = before?.length ?? 0
  const length = from + count
  const outputs = await network.forward({
    inputs_embeds: new Tensor('float32', values, [1, count, width]),
    attention_mask: wholes(length, () => 1n, [1, length]),
    position_ids: wholes(count, (index) => BigInt(from + index), [1, count]),
    past_key_values: before?.past ?? null,
    // Networks that are asked write probabilities for the last token alone.
    num_logits_to_keep: wholes(1, () => 1n, []),
  })
  const { logits } = outputs
  if (!logits) throw new Error('the network gave no probabilities')
  const present = Object.entries(outputs).filter(([name]) => name.startsWith('present.'))
  return {
    // A copy, so that those of the tokens before can go.
    scores: floats(logits).slice(-logits.dims.at(-1)!),
    past: Object.fromEntries(present.map(([name, one]) => [name.replace('present', 'past_key_values'), one])),
    length,
  }
}

function floats({ data }: Tensor): Float32Array {
  if (!(data instanceof Float32Array)) throw new Error('the networks count in another form than 32 bits')
  return data
}

const wholes = (count: number, numberAt: (index: number) => bigint, shape: number[]): Tensor =>
  new Tensor(
    'int64',
    BigInt64Array.from({ length: count }, (_, index) => numberAt(index)),
    shape,
  )

/** Counts the bytes that a token of context takes. */
export function bytesPerToken({ past, length }: State): number {
  const values = Object.values(past).reduce((sum, { size }) => sum + size, 0)
  return Math.ceil((values * BYTES_PER_VALUE) / length)
}

type ChoiceWork = {
  model: VisionModel
  request: ChatRequest
  start: State
  choice: number
  maxTokens: number
  emit: Emit
  signal: AbortSignal
}

/** Counts the tokens that it draws, with the one that ends the turn. */
async function writeChoice({ model, request, start, choice, maxTokens, emit, signal }: ChoiceWork): Promise<number> {
  const { network, tokenizer, options, ends } = model
  const generated: Token[] = []
  const settings = settingsOf(request.sampling, { defaults: options.defaults, choice, generated })
  const random = randomFrom(settings.seed)
  const detokenize = (tokens: readonly number[]) =>
    tokenizer.decode([...tokens], { skip_special_tokens: true, clean_up_tokenization_spaces: false })
  const writer = new ChoiceWriter({
    choice,
    model: { detokenize },
    stops: [...request.stop, ...options.turnMarks],
    isCall: false,
    emit,
  })
  let state = start
  let reason: 'stop' | 'length' = 'length'
  for (;;) {
    signal.throwIfAborted()
    const recent = settings.recent()
    const candidates = likeliest(state.scores, settings.topK > 0 ? settings.topK : state.scores.length, recent)
    const token = drawToken(candidates, { ...settings, recent }, random) as Token
    generated.push(token)
    if (ends.has(token) || (await writer.write({ token }))) {
      reason = 'stop'
      break
    }
    if (generated.length >= maxTokens) break
    const embeddings = await network.encode_text({ input_ids: wholes(1, () => BigInt(token), [1, 1]) })
    state = await evaluate(model, floats(embeddings), embeddings.dims.at(-1)!, state)
  }
  await writer.end(reason)
  return generated.length
}

/** Returns the tokens with the highest scores, and those that penalties may move: few, for all are sorted later. */
function likeliest(scores: Float32Array, count: number, moved: readonly number[]): { token: number; logit: number }[] {
  const others = new Set(moved)
  const least = leastOfBest(scores, count + others.size)
  const found: { token: number; logit: number }[] = []
  // Without an iterator, which takes forty times as long.
  for (let token = 0; token < scores.length; token++) {
    const logit = scores[token]!
    if (logit >= least || others.has(token)) found.push({ token, logit })
  }
  return found
}

/** Returns the score that so many reach. */
function leastOfBest(scores: Float32Array, count: number): number {
  if (count >= scores.length) return Number.NEGATIVE_INFINITY
  const best = scores.slice(0, count).sort()
  for (let at = count; at < scores.length; at++) {
    const score = scores[at]!
    if (score <= best[0]!) continue
    let place = 0
    for (; place + 1 < count && best[place + 1]! < score; place++) best[place] = best[place + 1]!
    best[place] = score
  }
  return best[0]!
}
