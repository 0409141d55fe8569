import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { fetchFile } from '@/lib/services/engines/embedded/hub/fetch-file'
import { createHttp } from '@/lib/services/engines/embedded/hub/http'
import { planPull, refusalOf } from '@/lib/services/engines/embedded/hub/hub-plan'
import { parseSource } from '@/lib/services/engines/embedded/hub/source'
import {
  type HubOptions,
  type HubRepository,
  SPEECH_FILES,
  startHub,
} from '@/lib/services/engines/embedded/testing/hub'
import { randomVisionModel } from '@/lib/services/engines/embedded/testing/random-vision-model'

// What a download asks of a hub and takes from it, without the processes that `pull.slow.test.ts` starts.

const REPOSITORY = 'tiny/random-GGUF'
const gguf = (bytes: number, fill: number) => Buffer.concat([Buffer.from('GGUF'), Buffer.alloc(bytes, fill)])
const FILES = {
  'README.md': Buffer.from('# Random'),
  'random-tiny-Q8_0.gguf': gguf(450_000, 8),
  'random-tiny-Q4_K_M.gguf': gguf(400_000, 4),
}
const LIMITS = {
  ...{ replyMs: 2_000, stallMs: 1_000, attempts: 3, backoffMs: 20, saveMs: 20, rangeBytes: 64_000_000 },
}
const running = () => new AbortController().signal
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'hub-plan-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function hubOf(repository: Partial<HubRepository> = {}, options: HubOptions = {}) {
  const hub = await startHub({ [REPOSITORY]: { files: FILES, ...repository } }, options)
  onTestFinished(hub.close)
  return hub
}

type Hub = Awaited<ReturnType<typeof hubOf>>
type DownloadOptions = {
  source?: string
  token?: string
  allowOrigins?: string[]
  seesImages?: boolean
  rangeBytes?: number
}

/** Asks what there is, and brings all of it into the folder. */
async function download(hub: Hub, options: DownloadOptions = {}) {
  const { source = `hf:${REPOSITORY}`, token, allowOrigins = [], seesImages = false } = options
  const limits = { ...LIMITS, ...(options.rangeBytes && { rangeBytes: options.rangeBytes }) }
  const http = createHttp([hub.origin, ...allowOrigins], token, limits)
  const asked = { endpoint: hub.origin, ...(token && { token }) }
  const plan = await planPull(parseSource(source), { ...asked, seesImages }, http, running())
  for (const file of plan.files) {
    await fetchFile(file, path.join(folder, file.name), {
      ...{ http, limits, signal: running(), onBytes: () => undefined, onVerify: () => undefined },
      refusalOf: (reply) => refusalOf(reply, REPOSITORY, asked),
    })
  }
  return plan
}

describe('a model', () => {
  test('comes in ranges from a content host that takes no token of the hub', async () => {
    const hub = await hubOf({ gated: 'manual' }, { content: 'other', token: 'hf_secret' })
    const allowOrigins = [hub.contentOrigin!]
    const source = `hf:${REPOSITORY}:Q8_0`
    const plan = await download(hub, { source, token: 'hf_secret', allowOrigins, rangeBytes: 100_000 })
    const content = hub.requests.filter(({ path }) => path.startsWith('/content/'))
    expect(content.map(({ range }) => range)).toHaveLength(4)
    expect(content.every(({ authorization }) => authorization === undefined)).toBe(true)
    expect(plan).toMatchObject({ id: 'random-tiny-q8_0', source })
  })

  test('comes whole from a server that knows no ranges', async () => {
    await download(await hubOf({}, { ignoresRanges: true }), { rangeBytes: 100_000 })
    const bytes = await readFile(path.join(folder, 'random-tiny-Q4_K_M.gguf'))
    expect(sha256(bytes)).toBe(sha256(FILES['random-tiny-Q4_K_M.gguf']))
  })

  test('continues by itself where the connection was cut', async () => {
    const hub = await hubOf({}, { cutsAfterBytes: 100_000, cutTimes: 2 })
    await download(hub)
    expect(hub.served.cuts).toBe(2)
    expect(hub.served.bytes).toBe(FILES['random-tiny-Q4_K_M.gguf'].length)
  })

  test.each([
    ['where models see', {}, ['random-tiny-Q4_K_M.gguf', 'mmproj-random-F16.gguf']],
    ['of which a file is named', { source: `hf:${REPOSITORY}/random-tiny-Q4_K_M.gguf` }, ['random-tiny-Q4_K_M.gguf']],
    ['where models do not see', { seesImages: false }, ['random-tiny-Q4_K_M.gguf']],
  ])('%s has a projector, or none', async (_, options, names) => {
    const hub = await hubOf({ files: { ...FILES, 'mmproj-random-F16.gguf': gguf(1_000, 16) } })
    const plan = await download(hub, { seesImages: true, ...options })
    expect(plan.files.map(({ name }) => name)).toEqual(names)
    expect(plan.projector).toBe(names[1])
  })
})

describe('what is refused, with a sentence that says what to do', () => {
  async function refusal(hub: Hub, source?: string): Promise<string> {
    const message = await download(hub, source ? { source } : {}).then(
      () => 'it was downloaded',
      (error: Error) => error.message,
    )
    // Whatever was taken is no whole file.
    expect((await readdir(folder)).filter((name) => /\.(gguf|onnx)$/.test(name))).toEqual([])
    return message
  }

  test('a repository that is not there', async () => {
    expect(await refusal(await hubOf(), 'hf:nobody/nothing')).toMatch(
      /^There is no model nobody\/nothing on 127\.0\.0\.1:\d+\. Check its name; if it is private, set HF_TOKEN/,
    )
  })

  test('a gated repository', async () => {
    const hub = await hubOf({ gated: 'auto' })
    expect(await refusal(hub)).toBe(
      `${REPOSITORY} is gated. Accept its license at ${hub.origin}/${REPOSITORY}, then set HF_TOKEN to a token of that account and try again.`,
    )
  })

  test('a repository without GGUF files', async () => {
    const hub = await hubOf({ files: { 'config.json': Buffer.from('{}'), 'model.safetensors': Buffer.from('x') } })
    expect(await refusal(hub)).toMatch(
      /has no GGUF file, and no model for speech or images in ONNX files\. It has: config\.json, model\.safetensors\. Look for/,
    )
  })

  test('a quantization that is not there', async () => {
    const message = await refusal(await hubOf(), `hf:${REPOSITORY}:IQ2_M`)
    expect(message).toBe(`${REPOSITORY} has no quantization IQ2_M. It has: Q8_0, Q4_K_M.`)
  })

  test('a hub that answers with a page', async () => {
    const answer: HubOptions['answer'] = (_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Sign in</title>')
    expect(await refusal(await hubOf({}, { answer }))).toMatch(
      /answers with a page instead of data.* HF_ENDPOINT is http/,
    )
  })

  test('a hub in another form', async () => {
    const answer: HubOptions['answer'] = (_, response) => response.writeHead(200).end('{"data":[]}')
    expect(await refusal(await hubOf({}, { answer }))).toMatch(/a form that is not the hub's\. Check HF_ENDPOINT/)
  })

  test('a redirect into a private network', async () => {
    const hub = await hubOf({}, { content: 'other' })
    expect(await refusal(hub)).toMatch(/was redirected to 127\.0\.0\.1:\d+, which is inside a private network/)
    expect(hub.served.bytes).toBe(0)
  })

  const PAGE = Buffer.from('<!doctype html>')
  const { 'tokenizer.json': _, ...incomplete } = SPEECH_FILES
  test.each([
    ['a page in place of a GGUF file', { 'a-Q8_0.gguf': PAGE }, /is not a GGUF file/],
    ['a speech model that lacks a file', incomplete, /tokenizer\.json is missing\. Choose another repository/],
    ['a page in place of its settings', { ...SPEECH_FILES, 'config.json': PAGE }, /is not a JSON file/],
    [
      'a page in place of its weights',
      { ...SPEECH_FILES, 'onnx/encoder_model_quantized.onnx': PAGE },
      /is not an ONNX file/,
    ],
    [
      'a page in place of the tokenizer of a model for images',
      { ...randomVisionModel(), 'tokenizer.json': PAGE },
      /is not a JSON file/,
    ],
  ])('%s', async (_, files, message) => {
    const hub = await hubOf({ files })
    expect(await download(hub).catch((error: Error) => error.message)).toMatch(message)
  })

  test('small files that are not those that the hub states', async () => {
    const hub = await hubOf({ files: SPEECH_FILES, hasWrongChecksums: 'small files' })
    expect(await download(hub).catch((error: Error) => error.message)).toMatch(
      /^config\.json does not have the checksum that is stated for it/,
    )
    expect(await readdir(folder)).not.toContain('config.json')
  })
})
