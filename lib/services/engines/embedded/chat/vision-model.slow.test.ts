import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { AutoModelForImageTextToText, AutoProcessor, RawImage, type Tensor } from '@huggingface/transformers'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ModelOptions } from '@/lib/services/engines/embedded/chat/chat-protocol'
import { ManagedChatModel } from '@/lib/services/engines/embedded/chat/process'
import { answer, loadVisionModel } from '@/lib/services/engines/embedded/chat/vision-model'
import { chatRequest, collect } from '@/lib/services/engines/embedded/testing/random-chat-model'
import { randomVisionModel } from '@/lib/services/engines/embedded/testing/random-vision-model'
import type { ChatEvent, ChatRequest } from '@/lib/services/engines/engine'

const CONTEXT_TOKENS = 2_048
/** The random model's image: 4 tokens of a tile, and 3 marks. */
const TILE_TOKENS = 4

const OPTIONS: Omit<ModelOptions, 'modelPath'> = {
  form: 'onnx',
  contextTokens: CONTEXT_TOKENS,
  sequences: 2,
  threads: 1,
  defaults: { temperature: 0, topP: 1, topK: 0, repetitionPenalty: 1 },
  turnMarks: [],
}

let folder = ''
const modelPath = () => path.join(folder, 'decoder_model_merged.onnx')
let model: ManagedChatModel

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'vision-'))
  for (const [place, bytes] of Object.entries(randomVisionModel({ ending: '' }))) {
    await writeFile(path.join(folder, path.basename(place)), bytes)
  }
  model = new ManagedChatModel({
    name: 'random-vision',
    model: OPTIONS,
    findWeights: async () => modelPath(),
    maxQueued: 2,
    idleMs: 60_000,
  })
})
afterAll(async () => {
  model.close()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

const ask = (more: Partial<ChatRequest> = {}, signal = new AbortController().signal) =>
  collect(model.stream(chatRequest({ maxTokens: 12, ...more }), signal))

const png = (background: string, width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer()

async function picture(color: string, width = 32, height = 32) {
  const url = `data:image/png;base64,${(await png(color, width, height)).toString('base64')}`
  return { type: 'image_url' as const, image_url: { url } }
}

type Picture = Awaited<ReturnType<typeof picture>>
const question = (text: string, ...images: Picture[]): ChatRequest['messages'] => [
  { role: 'user', content: [{ type: 'text', text }, ...images] },
]

test('text is answered in pieces, the same each time at temperature 0, with counts', async () => {
  const answer = await ask()
  expect(answer.text.length).toBeGreaterThan(0)
  expect(answer.reasons).toEqual(['length'])
  // `<|im_start|>User:hello<end_of_utterance>\nAssistant:`, of which marks are one token each.
  expect(answer.usage).toMatchObject({ inputTokens: 23, outputTokens: 12, cachedTokens: 0 })
  expect((await ask()).text).toBe(answer.text)
  expect((await ask({ messages: [{ role: 'user', content: 'other' }] })).text).not.toBe(answer.text)
})

describe('answers are those of the library itself', () => {
  let library: Awaited<ReturnType<typeof AutoModelForImageTextToText.from_pretrained>>
  let reader: Awaited<ReturnType<typeof AutoProcessor.from_pretrained>>
  beforeAll(async () => {
    const options = { local_files_only: true, subfolder: '', dtype: 'fp32', device: 'cpu' } as const
    library = await AutoModelForImageTextToText.from_pretrained(folder, options)
    reader = await AutoProcessor.from_pretrained(folder, options)
    Object.assign(reader.image_processor!, { do_resize: false })
  })
  afterAll(() => library.dispose())

  const promptOf = (text: string) => `<|im_start|>User:${text}<end_of_utterance>\nAssistant:`

  async function generated(inputs: { input_ids: Tensor }) {
    const all = await library.generate({ ...inputs, max_new_tokens: 30, do_sample: false })
    const length = inputs.input_ids.dims[1]!
    const tokens = [...(all as Tensor).data].slice(length).map(Number)
    return [reader.tokenizer!.decode(tokens, { skip_special_tokens: true }), length]
  }

  async function answered(messages: ChatRequest['messages']) {
    const { text, usage } = await ask({ messages, maxTokens: 30 })
    return [text, usage!.inputTokens]
  }

  test.each([
    ['an image', 32, 24],
    ['an image of several tiles', 64, 40],
  ])('about %s', async (_, width, height) => {
    const bytes = await sharp(await png('#c08030', width, height))
      .raw()
      .toBuffer()
    const inputs = await reader(promptOf('what<image>'), [new RawImage(new Uint8ClampedArray(bytes), width, height, 3)])
    expect(await answered(question('what', await picture('#c08030', width, height)))).toEqual(await generated(inputs))
  })

  test('to a prompt that is read in two pieces', async () => {
    const text = 'the tide comes in. '.repeat(80)
    expect(await answered([{ role: 'user', content: text }])).toEqual(
      await generated(reader.tokenizer!(promptOf(text))),
    )
  })
})

test('answers differ by the image, whose tokens count, and by the place of two images', async () => {
  const [red, blue] = [await picture('red'), await picture('blue')]
  const texts: string[] = []
  for (const images of [[red], [blue], [red, blue], [blue, red]]) {
    const sampling = { temperature: 1, topP: 1, topK: 0, seed: 1 }
    const { text, usage } = await ask({ messages: question('hello', ...images), maxTokens: 40, sampling })
    expect(usage!.inputTokens).toBe(23 + images.length * (TILE_TOKENS + 3))
    texts.push(text)
  }
  expect(new Set(texts).size).toBe(4)
})

test('a large image is cut into tiles, at most two a side and the whole', async () => {
  const tokensOf = async (width: number, height: number) =>
    (await ask({ messages: question('hello', await picture('red', width, height)) })).usage!.inputTokens
  const [one, wide, square] = [await tokensOf(20, 30), await tokensOf(64, 20), await tokensOf(64, 64)]
  // Each tile has two marks, each row ends, and the whole has an empty line before it.
  expect(wide - one).toBe(2 * (TILE_TOKENS + 2) + 2)
  expect(square - one).toBe(4 * (TILE_TOKENS + 2) + 3)
  expect(await tokensOf(900, 900)).toBe(square)
  expect(await tokensOf(4_000, 1)).toBe(wide)
})

test('an image is read once for the same owner, and again for another, or for none', async () => {
  const loaded = await loadVisionModel({ ...OPTIONS, modelPath: modelPath() })
  const read = loaded.network.encode_image.bind(loaded.network)
  let reads = 0
  loaded.network.encode_image = (inputs) => {
    reads++
    return read(inputs)
  }
  const messages = question('hello', await picture('red', 64, 64), await picture('blue'))
  const readsFor = async (more: Partial<ChatRequest>) => {
    const before = reads
    const texts: string[] = []
    const emit = async (event: ChatEvent) => void (event.type === 'text-delta' && texts.push(event.text))
    await answer(loaded, chatRequest({ maxTokens: 8, messages, ...more }), emit, new AbortController().signal)
    return [reads - before, texts.join('')]
  }
  // Four parts that look the same, the whole that does too, and the other image.
  const [first, text] = await readsFor({ cacheScope: 'one' })
  expect(first).toBe(2)
  expect(await readsFor({ cacheScope: 'one' })).toEqual([0, text])
  expect(await readsFor({ cacheScope: 'two' })).toEqual([2, text])
  expect(await readsFor({})).toEqual([2, text])
  expect(await readsFor({})).toEqual([2, text])
})

test('a request that is abandoned while images are read ends before the next tile', async () => {
  const loaded = await loadVisionModel({ ...OPTIONS, modelPath: modelPath() })
  const abort = new AbortController()
  const read = loaded.network.encode_image.bind(loaded.network)
  let reads = 0
  loaded.network.encode_image = (inputs) => {
    reads++
    abort.abort(new Error('gone'))
    return read(inputs)
  }
  const messages = question('hello', await picture('red'), await picture('blue'))
  await expect(answer(loaded, chatRequest({ messages }), async () => undefined, abort.signal)).rejects.toThrow('gone')
  expect(reads).toBe(1)
})

test('a seed draws the same answer again, and choices of one request differ', async () => {
  const drawn = { sampling: { temperature: 1, topP: 0.95, topK: 50, seed: 7 }, n: 2 }
  const first = await ask(drawn)
  expect(first.reasons).toEqual(['length', 'length'])
  expect(first.texts[0]).not.toBe(first.texts[1])
  expect(first.usage!.outputTokens).toBe(24)
  expect((await ask(drawn)).texts).toEqual(first.texts)
  expect((await ask({ ...drawn, sampling: { ...drawn.sampling, seed: 8 } })).texts).not.toEqual(first.texts)
})

test('an answer ends at a stop text, which is not written', async () => {
  const { text } = await ask({ maxTokens: 40 })
  const stop = text.slice(6, 8)
  const stopped = await ask({ maxTokens: 40, stop: [stop] })
  expect(stopped.text).toBe(text.slice(0, text.indexOf(stop)))
  expect(stopped.reasons).toEqual(['stop'])
})

test('a prompt that is read in several pieces counts whole, and one beyond the context is refused', async () => {
  const long = (characters: number): ChatRequest['messages'] => [{ role: 'user', content: 'a'.repeat(characters) }]
  expect((await ask({ messages: long(1_500) })).usage).toMatchObject({ inputTokens: 1_518, outputTokens: 12 })
  await expect(ask({ messages: long(2_100) })).rejects.toMatchObject({ reason: 'context-overflow' })
})

test('an answer that is abandoned ends, and the next one follows', async () => {
  const abort = new AbortController()
  const endless = chatRequest({ maxTokens: 1_900 })
  const events = model.stream(endless, abort.signal)[Symbol.asyncIterator]()
  await events.next()
  const startedAt = performance.now()
  abort.abort(new Error('gone'))
  await expect(
    (async () => {
      while (!(await events.next()).done);
    })(),
  ).rejects.toThrow('gone')
  expect((await ask()).reasons).toEqual(['length'])
  // It would have written for longer.
  expect(performance.now() - startedAt).toBeLessThan(5_000)
})

test('control tokens in words stay words, so that no image is expected where none is', async () => {
  const { usage } = await ask({ messages: question('<image><end_of_utterance>', await picture('red')) })
  // Each character of the marks, and the three bytes of the character between.
  expect(usage!.inputTokens).toBe(18 + '<image><end_of_utterance>'.length + 2 * 3 + TILE_TOKENS + 3)
})

test.each([
  ['stop_token_ids', { stopTokenIds: [1] }],
  ['log probabilities', { logprobs: { top: 0 } }],
  ['in no format', { responseFormat: { type: 'json_object' as const } }],
  [
    'in no format',
    { tools: [{ type: 'function' as const, function: { name: 'a' } }], toolChoice: 'required' as const },
  ],
  [
    'cannot be read',
    { messages: question('a', { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }) },
  ],
])('what it cannot do is refused: %s', async (words, more) => {
  await expect(ask(more)).rejects.toMatchObject({ reason: 'invalid-request', message: expect.stringContaining(words) })
})
