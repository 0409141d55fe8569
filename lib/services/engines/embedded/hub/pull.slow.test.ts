import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import sharp from 'sharp'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '@/lib/kernel/testing/time'
import { createEmbeddedChatEngine, type EmbeddedChatEngine } from '@/lib/services/engines/embedded/chat/chat'
import { createEmbeddings } from '@/lib/services/engines/embedded/embeddings/embeddings'
import { chatModelOf, embeddingModelOf } from '@/lib/services/engines/embedded/hub/chat-models'
import { listDownloads, type PullOptions, pullModel, stopDownload } from '@/lib/services/engines/embedded/hub/downloads'
import {
  type InstalledModel,
  listInstalled,
  removeInstalled,
} from '@/lib/services/engines/embedded/hub/installed-model'
import type { PullProgress } from '@/lib/services/engines/embedded/hub/pull-status'
import { parseSource } from '@/lib/services/engines/embedded/hub/source'
import {
  type HubOptions,
  type HubRepository,
  jsonFile,
  SPEECH_FILES,
  startHub,
} from '@/lib/services/engines/embedded/testing/hub'
import { chatRequest, collect } from '@/lib/services/engines/embedded/testing/random-chat-model'
import { randomGguf, randomGgufParts } from '@/lib/services/engines/embedded/testing/random-gguf'
import { randomProjector } from '@/lib/services/engines/embedded/testing/random-projector'
import { randomVisionModel } from '@/lib/services/engines/embedded/testing/random-vision-model'
import { withEnvironment } from '@/lib/services/identity/testing'

const REPOSITORY = 'tiny/random-GGUF'
const GGUF = randomGguf({ name: 'Random Tiny' })
const FILES = {
  'README.md': Buffer.from('# Random'),
  'random-tiny-Q8_0.gguf': randomGguf({ seed: 8 }),
  'random-tiny-Q4_K_M.gguf': GGUF,
}
const VISION = { EMBEDDED_VISION: 'on' }
const QUICK = { replyMs: 2_000, stallMs: 1_000, attempts: 3, backoffMs: 20, saveMs: 20, lockStaleMs: 500 }

let dataDir = ''
const folder = () => path.join(dataDir, 'models', 'hub')

beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'hub-'))
})
afterEach(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }))

async function hubOf(repository: Partial<HubRepository> = {}, options: HubOptions = {}) {
  const hub = await startHub({ [REPOSITORY]: { files: FILES, license: 'apache-2.0', ...repository } }, options)
  onTestFinished(hub.close)
  return hub
}

type Hub = Awaited<ReturnType<typeof hubOf>>

function inside<T>(hub: Hub, run: () => Promise<T>, more: Record<string, string> = {}): Promise<T> {
  return withEnvironment({ DATA_DIR: dataDir, HF_ENDPOINT: hub.origin, LOG_LEVEL: 'silent', ...more }, run)
}

function pull(hub: Hub, options: PullOptions = {}, source = `hf:${REPOSITORY}`, more: Record<string, string> = {}) {
  return inside(
    hub,
    () => pullModel(parseSource(source), { ...options, limits: { ...QUICK, ...options.limits } }),
    more,
  )
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const installedFile = async (id: string, name: string) => sha256(await readFile(path.join(folder(), id, name)))

const running = () => new AbortController().signal

async function engineWith(hub: Hub, model: InstalledModel, more: Record<string, string>) {
  const engine = createEmbeddedChatEngine({ profile: 'lean', dataDir })
  onTestFinished(() => engine.close())
  await inside(hub, async () => engine.setInstalled([chatModelOf(model, folder())!]), more)
  return engine
}

async function answerAbout(engine: EmbeddedChatEngine, model: string, background: string): Promise<string> {
  const png = await sharp({ create: { width: 32, height: 32, channels: 3, background } })
    .png()
    .toBuffer()
  const url = `data:image/png;base64,${png.toString('base64')}`
  const request = chatRequest({
    model,
    maxTokens: 8,
    sampling: { temperature: 0 },
    messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
  })
  return (await collect(engine.stream(request, running()))).text
}

const OTHER_WIDTH = randomVisionModel({ width: 64 })['onnx/embed_tokens_quantized.onnx']!
const CUT_OFF = randomVisionModel()['onnx/vision_encoder_quantized.onnx']!.subarray(0, 2_000)

describe('a model of the hub', () => {
  test('is downloaded in the usual quantization, verified, described from its file, and chats', async () => {
    const hub = await hubOf({}, { pageSize: 2 })
    const seen: PullProgress[] = []
    const id = await pull(hub, { onProgress: (progress) => seen.push(progress) })
    expect(id).toBe('random-tiny-q4_k_m')
    const [model, ...others] = await listInstalled(folder())
    expect(others).toEqual([])
    expect(model).toMatchObject({
      id,
      source: `hf:${REPOSITORY}:Q4_K_M`,
      page: `${hub.origin}/${REPOSITORY}`,
      license: 'apache-2.0',
      files: [{ name: 'random-tiny-Q4_K_M.gguf', sizeBytes: GGUF.length, sha256: sha256(GGUF), isVerified: true }],
      facts: {
        name: 'Random Tiny',
        architecture: 'llama',
        quantization: 'Q4_K_M',
        contextTokens: 512,
        // Two layers of two heads of 16 keys and 16 values of two bytes.
        cacheBytesPerToken: 256,
        callsTools: false,
        thinks: false,
      },
    })
    expect(await installedFile(id, 'random-tiny-Q4_K_M.gguf')).toBe(sha256(GGUF))
    expect(seen.map(({ step }) => step)).toEqual(
      expect.arrayContaining(['resolving', 'downloading', 'verifying', 'reading']),
    )
    expect(seen.at(-1)).toMatchObject({ bytes: GGUF.length, total: GGUF.length })
    expect(await inside(hub, listDownloads)).toEqual([])

    const engine = createEmbeddedChatEngine({ profile: 'lean', dataDir })
    onTestFinished(() => engine.close())
    engine.setInstalled([chatModelOf(model!, folder())!])
    const answer = await collect(engine.stream(chatRequest({ model: id, maxTokens: 5 }), new AbortController().signal))
    expect(answer.reasons).toEqual(['length'])
    engine.setInstalled([])
    await expect(collect(engine.stream(chatRequest({ model: id }), new AbortController().signal))).rejects.toThrow(
      /no embedded model/,
    )
  })

  test('that sees images is downloaded with its projector, and answers by what it sees', async () => {
    const projector = randomProjector()
    const files = { ...FILES, 'mmproj-random-Q8_0.gguf': Buffer.from('GGUF'), 'mmproj-random-F16.gguf': projector }
    const hub = await hubOf({ files })
    const seen: PullProgress[] = []
    const id = await pull(hub, { onProgress: (progress) => seen.push(progress) }, `hf:${REPOSITORY}`, VISION)
    const [model] = await listInstalled(folder())
    expect(model).toMatchObject({
      files: [{ name: 'random-tiny-Q4_K_M.gguf' }, { name: 'mmproj-random-F16.gguf', sha256: sha256(projector) }],
      projector: 'mmproj-random-F16.gguf',
      facts: { seesImages: true, weightBytes: GGUF.length + projector.length },
    })
    expect(seen.at(-1)).toMatchObject({ total: GGUF.length + projector.length })
    const { bytes } = hub.served
    expect(await pull(hub, {}, `hf:${REPOSITORY}`, VISION)).toBe(id)
    expect(hub.served.bytes).toBe(bytes)

    const engine = await engineWith(hub, model!, VISION)
    const [red, blue] = await Promise.all(['red', 'blue'].map((color) => answerAbout(engine, id, color)))
    expect(red).not.toBe(blue)
  })

  test('in ONNX files that sees images is installed where projectors are not, and answers by what it sees', async () => {
    const files = randomVisionModel()
    const hub = await hubOf({ files })
    const id = await pull(hub, {}, 'hf:tiny/random-GGUF', { EMBEDDED_VISION: 'off' })
    const [model] = await listInstalled(folder())
    expect(model).toMatchObject({
      id: 'random-gguf-int8',
      source: `hf:${REPOSITORY}:INT8`,
      facts: {
        name: 'random GGUF',
        architecture: 'idefics3',
        quantization: 'INT8',
        contextTokens: 2_048,
        // Two layers of two heads of 16 keys and 16 values of four bytes.
        cacheBytesPerToken: 512,
        callsTools: false,
        seesImages: true,
        form: 'onnx',
      },
    })
    expect(model).not.toHaveProperty('projector')
    const names = Object.keys(files).map((place) => path.basename(place).replace('_quantized', ''))
    expect(model!.files.map(({ name }) => name).toSorted()).toEqual(names.toSorted())
    expect(model!.files.every(({ isVerified }) => isVerified)).toBe(true)
    const { bytes } = hub.served
    expect(await pull(hub)).toBe(id)
    expect(hub.served.bytes).toBe(bytes)
    const engine = await engineWith(hub, model!, { EMBEDDED_VISION: 'off' })
    const { text, usage } = await collect(engine.stream(chatRequest({ model: id, maxTokens: 8 }), running()))
    expect([text.length > 0, usage!.outputTokens]).toEqual([true, 8])
    const [red, blue, again] = await Promise.all(['red', 'blue', 'red'].map((color) => answerAbout(engine, id, color)))
    expect(red).not.toBe(blue)
    expect(again).toBe(red)
  })

  test.each([
    ['of another type', { modelType: 'florence2' }, {}, /Models for images of the type florence2 cannot be run/],
    ['whose networks are of different widths', {}, { 'onnx/embed_tokens_quantized.onnx': OTHER_WIDTH }, /damaged/],
    ['with a network that is cut off', {}, { 'onnx/vision_encoder_quantized.onnx': CUT_OFF }, /damaged/],
    ['without a chat template', {}, { 'chat_template.json': Buffer.from('{}') }, /has no chat template/],
  ])('in ONNX files %s is not installed', async (_, options, changes, message) => {
    const hub = await hubOf({ files: { ...randomVisionModel(options), ...changes } })
    await expect(pull(hub)).rejects.toThrow(message)
    expect(await listInstalled(folder())).toEqual([])
  })

  test('for embeddings is installed as one, and makes unit vectors that differ by the text', async () => {
    const gguf = randomGguf({ name: 'Random Vectors', template: '', pooling: 1 })
    const hub = await hubOf({ files: { 'random-embed-Q8_0.gguf': gguf } })
    const id = await pull(hub)
    const [model] = await listInstalled(folder())
    expect(model).toMatchObject({ id, facts: { embedding: { dimensions: 64 }, contextTokens: 512, callsTools: false } })
    const embedder = createEmbeddings({ dataDir: folder() })
    onTestFinished(() => embedder.close())
    embedder.setInstalled([embeddingModelOf(model!, folder())])
    const parts = []
    const texts = ['the tide comes in', 'the tide comes in', 'a lantern', 'x'.repeat(600)]
    for await (const part of embedder.embedParts(id, texts, new AbortController().signal)) parts.push(part)
    const [first, same, other] = parts.flatMap(({ vectors }) => vectors)
    expect(same).toEqual(first)
    expect(other).not.toEqual(first)
    expect(first).toHaveLength(64)
    expect(Math.hypot(...first!)).toBeCloseTo(1)
    const counts = parts.flatMap(({ tokensOfEach }) => tokensOfEach)
    expect(counts[0]).toBeGreaterThan(10)
    expect(counts[3]).toBeGreaterThan(512)
  })

  test('whose projector hears and does not see is installed without it', async () => {
    const files = { ...FILES, 'mmproj-random-F16.gguf': randomProjector({ isVision: false }) }
    const hub = await hubOf({ files })
    await pull(hub, {}, `hf:${REPOSITORY}`, VISION)
    const [model] = await listInstalled(folder())
    expect(model).toMatchObject({ files: [{ name: 'random-tiny-Q4_K_M.gguf' }], facts: { seesImages: false } })
    expect(model).not.toHaveProperty('projector')
    expect(await readdir(path.join(folder(), model!.id))).not.toContain('mmproj-random-F16.gguf')
    const { bytes } = hub.served
    await pull(hub, {}, `hf:${REPOSITORY}`, VISION)
    expect(hub.served.bytes).toBe(bytes)
  })

  test('whose projector is damaged is not installed', async () => {
    const files = { ...FILES, 'mmproj-random-F16.gguf': randomProjector().subarray(0, 300) }
    await expect(pull(await hubOf({ files }), {}, `hf:${REPOSITORY}`, VISION)).rejects.toThrow('The file is damaged')
    expect(await listInstalled(folder())).toEqual([])
  })

  test('is not downloaded again while it is the same, and goes when it is removed; token and content host are settings', async () => {
    const hub = await hubOf({ gated: 'manual' }, { content: 'other', token: 'hf_secret' })
    const more = { HF_TOKEN: 'hf_secret', EGRESS_ALLOW_ORIGINS: hub.contentOrigin! }
    const id = await pull(hub, {}, `hf:${REPOSITORY}`, more)
    const { bytes } = hub.served
    expect(await pull(hub, {}, `hf:${REPOSITORY}`, more)).toBe(id)
    expect(hub.served.bytes).toBe(bytes)
    expect(await removeInstalled(folder(), id)).toBe(true)
    expect(await removeInstalled(folder(), id)).toBe(false)
    expect((await readdir(folder())).filter((name) => name !== '.downloads')).toEqual([])
  })

  test('may be split into files, of which every one is verified; the model chats', async () => {
    const parts = randomGgufParts(3)
    const name = (part: number) => `Q4_K_M/random-Q4_K_M-0000${part}-of-00003.gguf`
    const files = Object.fromEntries(parts.map((bytes, index) => [name(index + 1), bytes]))
    const hub = await hubOf({ files })
    const id = await pull(hub)
    const [model] = await listInstalled(folder())
    expect(model!.files.map(({ sizeBytes }) => sizeBytes)).toEqual(parts.map(({ length }) => length))
    const engine = createEmbeddedChatEngine({ profile: 'lean', dataDir })
    onTestFinished(() => engine.close())
    engine.setInstalled([chatModelOf(model!, folder())!])
    const answer = await collect(engine.stream(chatRequest({ model: id, maxTokens: 3 }), new AbortController().signal))
    expect(answer.reasons).toEqual(['length'])
  })

  test('is downloaded by one of two that want it', async () => {
    const hub = await hubOf({}, { pace: { bytes: 50_000, pauseMs: 20 } })
    const ids = await inside(hub, () =>
      Promise.all([1, 2].map(() => pullModel(parseSource(`hf:${REPOSITORY}`), { limits: QUICK }))),
    )
    expect(new Set(ids).size).toBe(1)
    expect(hub.served.bytes).toBe(GGUF.length)
  })

  test('from a URL or a file is installed in the same way', async () => {
    const hub = await hubOf()
    const url = `${hub.origin}/${REPOSITORY}/resolve/main/random-tiny-Q8_0.gguf`
    expect(await pull(hub, {}, url)).toBe('random-tiny-q8_0')
    const file = path.join(dataDir, 'My Model.gguf')
    await writeFile(file, GGUF)
    expect(await pull(hub, {}, file)).toBe('my-model')
    expect(await listInstalled(folder())).toMatchObject([
      { source: url, files: [{ isVerified: false, sha256: sha256(FILES['random-tiny-Q8_0.gguf']) }] },
      { source: file, files: [{ name: 'My-Model.gguf', sha256: sha256(GGUF) }] },
    ])
  })
})

test('a checksum that the operator gives is compared, whatever the source is', async () => {
  const hub = await hubOf()
  const file = path.join(dataDir, 'mine.gguf')
  await writeFile(file, GGUF)
  const url = `${hub.origin}/${REPOSITORY}/resolve/main/random-tiny-Q4_K_M.gguf`
  const wrong = 'f'.repeat(64)
  for (const source of [file, url]) {
    await expect(pull(hub, {}, `${source}#sha256=${wrong}`)).rejects.toThrow('does not have the checksum')
  }
  await expect(pull(hub, {}, `hf:${REPOSITORY}#sha256=${wrong}`)).rejects.toThrow(
    `The hub states another checksum for random-tiny-Q4_K_M.gguf: ${sha256(GGUF)}.`,
  )
  await expect(pull(hub, {}, `${file}#sha256=12`)).rejects.toThrow('A SHA-256 checksum has 64 characters')
  expect(await listInstalled(folder())).toEqual([])
  await pull(hub, {}, `${file}#sha256=${sha256(GGUF).toUpperCase()}`)
  await pull(hub, {}, `${url}#sha256=${sha256(GGUF)}`)
  expect(await listInstalled(folder())).toMatchObject([
    { source: file, files: [{ isVerified: true }] },
    { source: url, files: [{ isVerified: true }] },
  ])
})

describe('a download that ends early', () => {
  test('by kill -9 at a tenth, a half and nine tenths of the file continues from there each time', async () => {
    const hub = await hubOf({}, { pace: { bytes: 5_000, pauseMs: 10 } })
    let done = 0
    for (const fraction of [0.1, 0.5, 0.9]) {
      const before = hub.served.bytes
      const kept = done
      const failing = expect(pull(hub)).rejects.toThrow(/was interrupted/)
      done = await eventually(async () => {
        const recorded = await recordedBytes()
        expect(recorded).toBeGreaterThan(GGUF.length * fraction)
        process.kill(await lockHolder(), 'SIGKILL')
        return recorded
      })
      await failing
      expect(await listInstalled(folder())).toEqual([])
      expect(await inside(hub, listDownloads)).toMatchObject([{ state: 'paused', total: GGUF.length }])
      // The hub may still be sending what nobody reads.
      await eventually(() => expect(hub.served.open).toBe(0))
      expect(hub.served.bytes - before).toBeLessThanOrEqual(GGUF.length - kept)
    }
    const before = hub.served.bytes
    hub.options.pace = undefined
    const id = await pull(hub)
    expect(await installedFile(id, 'random-tiny-Q4_K_M.gguf')).toBe(sha256(GGUF))
    expect(hub.served.bytes - before).toBeLessThanOrEqual(GGUF.length - done)
  })

  test('by pause keeps its work, and by cancel leaves nothing', async () => {
    const hub = await hubOf({}, { pace: { bytes: 2_000, pauseMs: 20 } })
    await inside(hub, async () => {
      const first = pullModel(parseSource(`hf:${REPOSITORY}`), { limits: QUICK })
      const stopped = expect(first).rejects.toThrow('paused')
      const running = await eventually(async () => {
        const [download] = await listDownloads()
        expect(download).toMatchObject({ state: 'running', step: 'downloading' })
        expect(download!.bytes).toBeGreaterThan(0)
        return download!
      })
      await stopDownload(running, 'pause')
      await stopped
      const [paused] = await listDownloads()
      expect(paused).toMatchObject({ state: 'paused', total: GGUF.length })
      expect(paused!.bytes).toBeGreaterThan(0)

      const second = pullModel(parseSource(paused!.source), { limits: QUICK })
      const cancelled = expect(second).rejects.toThrow('cancelled')
      const again = await eventually(async () => {
        const [download] = await listDownloads()
        expect(download).toMatchObject({ state: 'running', step: 'downloading' })
        return download!
      })
      expect(again.bytes).toBeGreaterThanOrEqual(paused!.bytes)
      await stopDownload(again, 'cancel')
      await cancelled
      expect(await listDownloads()).toEqual([])
    })
    expect(await readdir(path.join(folder(), '.downloads'))).toEqual([])
  })
})

describe('what is not installed, with a sentence that says what to do', () => {
  async function refusal(hub: Hub, options: PullOptions = {}, source?: string): Promise<string> {
    const error = await pull(hub, options, source).then(
      () => new Error('it was installed'),
      (thrown: Error) => thrown,
    )
    expect(await listInstalled(folder())).toEqual([])
    expect(await inside(hub, listDownloads)).toMatchObject([{ state: 'failed', message: error.message }])
    return error.message
  }

  test('a wrong checksum, which leaves no file behind', async () => {
    const hub = await hubOf({ hasWrongChecksums: true })
    expect(await refusal(hub)).toMatch(/does not have the checksum that is stated for it\. It was deleted;/)
    const [download] = (await readdir(path.join(folder(), '.downloads'))).filter((name) => !name.includes('.'))
    expect(await readdir(path.join(folder(), '.downloads', download!))).toEqual([])
  })

  test('a hub that says nothing', async () => {
    const hub = await hubOf({}, { answer: () => undefined })
    expect(await refusal(hub, { limits: { replyMs: 100 } })).toMatch(/sends nothing\. Check the connection/)
  })

  test('a download that stalls, which can be resumed', async () => {
    const hub = await hubOf({}, { stallsAfterBytes: 10_000 })
    const limits = { stallMs: 200, attempts: 2 }
    hub.options.stallsAfterBytes = 0
    expect(await refusal(hub, { limits })).toMatch(/sends nothing\. The download stopped; it continues from there/)
    hub.options.stallsAfterBytes = undefined
    expect(await pull(hub)).toBe('random-tiny-q4_k_m')
  })

  test('a full disk', async () => {
    const message = await refusal(await hubOf(), { limits: { freeBytes: 1_000_000 } })
    expect(message).toMatch(/^The download takes \d+ KB, and 1 MB are free in .*MODELS_CACHE_DIR/)
  })

  test('a model for images in ONNX files whose computations the memory does not hold', async () => {
    const hub = await hubOf({ files: randomVisionModel() })
    expect(await refusal(hub, { memoryBytes: 1_000_000_000 })).toMatch(/it needs about 80\d MB of memory/)
    expect(await listInstalled(folder())).toEqual([])
  })

  test('a model that is larger than the memory', async () => {
    const hub = await hubOf()
    expect(await refusal(hub, { memoryBytes: 300_000_000 })).toMatch(
      /too large for this machine: it needs about \d+ MB/,
    )
    expect(hub.served.bytes).toBe(0)
  })

  test.each([
    [
      'of another type',
      { 'config.json': jsonFile({ model_type: 'moonshine' }) },
      /of the type moonshine cannot be run/,
    ],
    ['with settings that are none of a model', {}, /damaged/],
  ])('a speech model %s', async (_, changes, message) => {
    const all = { ...SPEECH_FILES, ...changes }
    const files = Object.fromEntries(
      Object.entries(all).flatMap(([name, bytes]) => (bytes === undefined ? [] : [[name, bytes]])),
    )
    const hub = await hubOf({ files })
    expect(await refusal(hub)).toMatch(message)
  })

  const cutOff = GGUF.subarray(0, GGUF.length - 100_000)
  test.each([
    ['a file that is cut off', cutOff, /damaged/],
    [
      'an architecture that the runtime does not know',
      randomGguf({ architecture: 'novel' }),
      /architecture novel|damaged/,
    ],
  ])('%s', async (_, bytes, message) => {
    const hub = await hubOf({ files: { 'a-Q8_0.gguf': bytes } })
    expect(await refusal(hub)).toMatch(message)
  })
})

/** What the download itself says that it has, beside the file. */
async function recordedBytes(): Promise<number> {
  const downloads = path.join(folder(), '.downloads')
  const names = await readdir(downloads, { recursive: true })
  const record = names.find((name) => name.endsWith('.part.json'))
  const { ranges } = JSON.parse(await readFile(path.join(downloads, record!), 'utf8')) as { ranges: { done: number }[] }
  return ranges.reduce((sum, { done }) => sum + done, 0)
}

/** The process that downloads writes its id into the lock. */
async function lockHolder(): Promise<number> {
  const downloads = path.join(folder(), '.downloads')
  await mkdir(downloads, { recursive: true })
  const lock = (await readdir(downloads)).find((name) => name.endsWith('.lock'))
  return Number(await readFile(path.join(downloads, lock!), 'utf8'))
}
