import { hostname } from 'node:os'
import sharp from 'sharp'
import { beforeEach, expect, test } from 'vitest'
import { chatStage } from '@/app/api/v1/chat/completions/testing/stage'
import { POST } from '@/app/api/v1/image/generate/route'
import { GET as styles } from '@/app/api/v1/image/styles/route'
import { GenerateResponse, StylesResponse } from '@/lib/contract/images.schema'
import { inOpenAiStyle, plain, replyJson, scriptedStudio } from '@/lib/services/engines/upstream/testing/studio'

const studio = await scriptedStudio()
const image = { type: 'image', engine: 'studio', upstreamModel: 'up' }
const constraints = { promptCharacterLimit: 100, steps: { default: 8, max: 20 }, widthHeightDivisor: 8 }
const upscale = { '2x': { usd: 0.02 }, '4x': { usd: 0.08 } }
const stage = await chatStage({
  route: { path: 'image/generate', POST, body: { model: 'turbo', prompt: 'A lagoon' } },
  engines: {
    mute: { kind: 'openai', baseUrls: [`${studio.origin}/v1`], timeouts: { firstTokenMs: 300 } },
    studio: {
      kind: 'openai',
      baseUrls: [`${studio.origin}/v1`],
      timeouts: { connectMs: 500, firstTokenMs: 2_500, idleMs: 2_500 },
    },
  },
  models: [
    { ...image, id: 'turbo', constraints, pricing: { generation: { usd: 0.01 }, upscale } },
    {
      ...image,
      id: 'studio',
      constraints: {
        ...constraints,
        steps: { default: 1, max: 1 },
        aspectRatios: ['1:1', '16:9', '2:3'],
        defaultAspectRatio: '1:1',
        resolutions: ['1K', '2K'],
        defaultResolution: '1K',
        qualities: ['low', 'high'],
        defaultQuality: 'high',
      },
      pricing: {
        resolutions: { '1K': { usd: 0.2 }, '2K': { usd: 0.4 } },
        quality: { '1K': { low: { usd: 0.05 } } },
        upscale,
      },
    },
    { ...image, id: 'free-image' },
    { ...image, id: 'mute', engine: 'mute', pricing: { generation: { usd: 0.01 }, upscale } },
    { ...image, id: 'gone-model', engine: 'gone', pricing: { generation: { usd: 0.01 }, upscale } },
  ],
})
const { call, spent, linesOf } = stage
const IMAGE = await plain(64, 48)
const asked = () => studio.seen.map(({ json }) => json)

beforeEach(() => {
  studio.answer = (_, response) => replyJson(response, inOpenAiStyle(IMAGE))
})

async function made(body: Record<string, unknown> = {}) {
  const response = await call(body)
  expect(response.status).toBe(200)
  const reply = GenerateResponse.parse(await response.json())
  return { response, reply, pictures: reply.images.map((text) => Buffer.from(text, 'base64')) }
}

test('a picture comes as WebP in base64, is charged, and its headers say what it is', async () => {
  const { response, reply, pictures: images } = await made()
  expect(await sharp(images[0]).metadata()).toMatchObject({ format: 'webp', width: 64, height: 48 })
  expect(reply.id).toMatch(/^generate-image-/)
  expect(reply.timing.total).toBe(reply.timing.inferenceDuration + reply.timing.inferencePreprocessingTime)
  expect(reply.request).toMatchObject({ prompt: 'A lagoon', safe_mode: true, format: 'webp' })
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'application/json',
    'x-service-model-id': 'turbo',
    'x-service-is-blurred': 'false',
    'x-service-is-content-violation': 'false',
    'x-service-is-adult-model-content-violation': 'false',
    'x-service-control-instance': hostname(),
  })
  expect(asked()).toEqual([
    { model: 'up', prompt: 'A lagoon', n: 1, size: '1024x1024', response_format: 'b64_json', steps: 8 },
  ])
  expect(await linesOf()).toEqual({ 'turbo-image-unit': [1, 0.01] })
})

test.each(['jpeg', 'png', 'webp'])('a binary reply is one %s file', async (format) => {
  const response = await call({ return_binary: true, format })
  expect(response.headers.get('content-type')).toBe(`image/${format}`)
  expect((await sharp(await response.bytes()).metadata()).format).toBe(format)
  expect(await spent()).toBe(0.01)
})

test('what is asked for goes to the engine, with the words of a style', async () => {
  await made({
    width: 640,
    height: 512,
    steps: 20,
    cfg_scale: 7.5,
    seed: 42,
    negative_prompt: 'fog',
    style_preset: 'Anime',
    safe_mode: false,
  })
  expect(asked()[0]).toMatchObject({
    size: '640x512',
    steps: 20,
    cfg_scale: 7.5,
    seed: 42,
    moderation: 'low',
    prompt: expect.stringMatching(/^anime picture of A lagoon,/),
    negative_prompt: expect.stringMatching(/^fog, /),
  })
})

test('variants are charged each, and only the first has the seed', async () => {
  const { pictures: images } = await made({ variants: 3, seed: 7 })
  expect(images).toHaveLength(3)
  expect(
    asked()
      .map((body) => body?.seed)
      .toSorted(),
  ).toEqual([7, undefined, undefined])
  expect(await linesOf()).toEqual({ 'turbo-image-unit': [3, 0.03] })
})

test('variants that fail beside others are not charged', async () => {
  studio.answer = ({ json }, response) =>
    json?.seed === 7 ? replyJson(response, inOpenAiStyle(IMAGE)) : replyJson(response, {}, 501)
  expect((await made({ n: 2, seed: 7 })).pictures).toHaveLength(1)
  expect(await spent()).toBe(0.01)
})

test.each([
  [{}, '1024x1024', undefined, 0.2],
  [{ aspect_ratio: '16:9' }, '1792x1024', undefined, 0.2],
  [{ aspect_ratio: '2:3', resolution: '2K' }, '2048x3072', 'high', 0.4],
  [{ quality: 'low' }, '1024x1024', 'low', 0.05],
  [{ width: 8, height: 1_280, steps: 9_000 }, '1024x1024', 'high', 0.2],
])('a model of ratios: %j', async (body, size, quality, dollars) => {
  await made({ model: 'studio', ...body })
  expect(asked()[0]).toMatchObject({ size, ...(quality && { quality }) })
  expect(asked()[0]).not.toHaveProperty('steps')
  expect(await spent()).toBe(dollars)
})

test('a prompt is rewritten by the chat model, said in a header, and paid once', async () => {
  const { response } = await made({ enhance_prompt: true, variants: 2 })
  expect(decodeURIComponent(response.headers.get('x-service-enhanced-prompt')!)).toBe('Hello there friend')
  expect(asked().map((body) => body?.prompt)).toEqual(['Hello there friend', 'Hello there friend'])
  expect(await linesOf()).toEqual({ 'turbo-image-unit': [2, 0.02], 'image-prompt-enhancement': [1, 0.04] })
})

test('a prompt that cannot be rewritten is painted as it is, at the plain price', async () => {
  stage.upstream.answer = (_, response) => void response.writeHead(500).end()
  const { response } = await made({ enhance_prompt: true })
  expect(response.headers.get('x-service-enhanced-prompt')).toBeNull()
  expect(asked()[0]).toMatchObject({ prompt: 'A lagoon' })
  expect(await spent()).toBe(0.01)
})

test('a ratio gives a model of pixels its sides', async () => {
  await made({ aspect_ratio: '16:9' })
  expect(asked()[0]).toMatchObject({ size: '1280x720' })
})

test('the prompt stands in the picture only where that was asked for, and nothing of the engine’s does', async () => {
  const tagged = await sharp(IMAGE)
    .withExif({ IFD0: { Software: 'their secret' } })
    .png()
    .toBuffer()
  studio.answer = (_, response) => replyJson(response, inOpenAiStyle(tagged))
  const exifOf = async (body: object) => (await sharp((await made({ ...body })).pictures[0]).metadata()).exif
  for (const format of ['jpeg', 'png', 'webp']) {
    expect(await exifOf({ format })).toBeUndefined()
    const exif = String(await exifOf({ format, embed_exif_metadata: true, seed: 5 }))
    expect(exif).toContain('A lagoon')
    expect(exif).not.toContain('secret')
  }
})

test.each(['content_policy_violation', 'moderation_blocked'])(
  'what the model refuses to paint (%s) is a black picture, said in a header, and free',
  async (code) => {
    studio.answer = (_, response) => replyJson(response, { error: { code, message: 'no' } }, 400)
    const { response, pictures: images } = await made({ width: 256, height: 128, format: 'png' })
    expect(response.headers.get('x-service-is-content-violation')).toBe('true')
    expect(await sharp(images[0]).metadata()).toMatchObject({ width: 256, height: 128 })
    const { channels } = await sharp(images[0]).stats()
    expect(Math.max(...channels.map(({ max }) => max))).toBe(0)
    expect(await spent()).toBe(0)
  },
)

test('a server that does not know the further fields is asked again with the common ones', async () => {
  studio.answer = ({ json }, response) =>
    json?.response_format
      ? replyJson(response, { error: { message: 'Unknown parameter' } }, 400)
      : replyJson(response, inOpenAiStyle(IMAGE))
  await made({ seed: 3 })
  expect(asked()[1]).toEqual({ model: 'up', prompt: 'A lagoon', n: 1, size: '1024x1024' })
  expect(await spent()).toBe(0.01)
})

test('a data URL in place of base64 is read too; an address inside the machine is not fetched', async () => {
  const url = `data:image/png;base64,${IMAGE.toString('base64')}`
  studio.answer = (_, response) => replyJson(response, { data: [{ url }] })
  expect((await made()).pictures).toHaveLength(1)
  studio.answer = (_, response) => replyJson(response, { data: [{ url: `${studio.origin}/made.png` }] })
  expect((await call()).status).toBe(500)
})

test.each<[string, (response: Parameters<typeof studio.answer>[1]) => unknown, number, string]>([
  ['no picture', (response) => replyJson(response, { data: [] }), 500, 'INFERENCE_FAILED'],
  ['text', (response) => response.end('hello'), 500, 'INFERENCE_FAILED'],
  ['what is no picture', (response) => replyJson(response, inOpenAiStyle(Buffer.from('no'))), 500, 'INFERENCE_FAILED'],
  ['half a picture', (response) => replyJson(response, inOpenAiStyle(IMAGE.subarray(0, 90))), 500, 'INFERENCE_FAILED'],
  ['an error', (response) => replyJson(response, {}, 501), 500, 'INFERENCE_FAILED'],
  ['that it is busy', (response) => replyJson(response, {}, 429), 429, 'MODEL_OVERLOADED'],
  ['nothing', (response) => response.destroy(), 500, 'INFERENCE_FAILED'],
])('an engine that sends %s: free', async (_, answer, status, code) => {
  studio.answer = (__, response) => answer(response)
  const response = await call()
  expect([response.status, (await response.json()).code]).toEqual([status, code])
  expect(await spent()).toBe(0)
})

test('an engine that is silent: 504, and free', async () => {
  studio.answer = () => undefined
  const response = await call({ model: 'mute' })
  expect([response.status, (await response.json()).code]).toEqual([504, 'REQUEST_TIMEOUT'])
  expect(await spent()).toBe(0)
})

test('whoever leaves is not charged, and the engine is told', async () => {
  const arrived = Promise.withResolvers<void>()
  studio.answer = () => arrived.resolve()
  const abort = new AbortController()
  const pending = call({}, { signal: abort.signal })
  await arrived.promise
  abort.abort()
  await pending.catch(() => undefined)
  await expect.poll(() => studio.left).toBe(1)
  expect(await spent()).toBe(0)
})

test.each<[string, Record<string, unknown>, string | undefined]>([
  ['no prompt', { prompt: undefined }, 'prompt'],
  ['an empty prompt', { prompt: '' }, 'prompt'],
  ['a prompt of blanks', { prompt: ' \n' }, 'prompt'],
  ['a longer prompt than any', { prompt: 'a'.repeat(7_501) }, 'prompt'],
  ['a longer prompt than the model’s', { prompt: 'a'.repeat(101) }, 'prompt'],
  ['a longer negative prompt', { negative_prompt: 'a'.repeat(101) }, 'negative_prompt'],
  ['an unknown field', { colour: 'red' }, undefined],
  ['too wide', { width: 1_281 }, 'width'],
  ['no height', { height: 0 }, 'height'],
  ['sides off the divisor', { width: 1_001 }, 'width'],
  ['a speck', { width: 8, height: 8 }, 'width'],
  ['half a pixel', { width: 512.5 }, 'width'],
  ['a ratio that is none', { aspect_ratio: 'wide' }, 'aspect_ratio'],
  ['a foreign ratio', { model: 'studio', aspect_ratio: '3:2' }, 'aspect_ratio'],
  ['a foreign resolution', { model: 'studio', resolution: '4K' }, 'resolution'],
  ['a resolution of a model of pixels', { resolution: '1K' }, 'resolution'],
  ['a foreign quality', { model: 'studio', quality: 'medium' }, 'quality'],
  ['an unknown quality', { quality: 'best' }, 'quality'],
  ['too many steps', { steps: 21 }, 'steps'],
  ['no guidance', { cfg_scale: 0 }, 'cfg_scale'],
  ['too much guidance', { cfg_scale: 20.1 }, 'cfg_scale'],
  ['a seed out of range', { seed: 1_000_000_000 }, 'seed'],
  ['five variants', { variants: 5 }, 'variants'],
  ['two numbers of variants', { variants: 2, n: 3 }, 'n'],
  ['two files in one', { variants: 2, return_binary: true }, 'variants'],
  ['an unknown format', { format: 'gif' }, 'format'],
  ['an unknown style', { style_preset: 'anime' }, 'style_preset'],
  ['references', { style_references: [{ image: 'aGk=' }] }, 'style_references'],
  ['a reference without strength', { style_references: [{ image: 'aGk=', strength: 0 }] }, 'style_references'],
  ['a strength out of range', { lora_strength: 101 }, 'lora_strength'],
  ['text for a switch', { safe_mode: 'yes' }, 'safe_mode'],
  ['what is retired', { inpaint: {} }, 'inpaint'],
])('%s: 400 that says where, and free', async (_, body, field) => {
  const response = await call(body)
  const said = (await response.json()) as { code: string; issues: { path: string[] }[] }
  expect([response.status, said.code]).toEqual([400, 'INVALID_REQUEST'])
  if (field) expect(said.issues[0]!.path[0]).toBe(field)
  expect(studio.seen).toEqual([])
  expect(await spent()).toBe(0)
})

test('no credentials, another type, another model', async () => {
  expect((await call({}, { headers: { authorization: undefined } })).status).toBe(402)
  expect((await call({}, { headers: { 'content-type': 'text/plain' } })).status).toBe(415)
  expect(await (await call({ model: 'nobody' })).json()).toMatchObject({ code: 'MODEL_NOT_FOUND' })
  expect(await (await call({ model: 'atlas' })).json()).toMatchObject({ code: 'INVALID_MODEL' })
  expect((await call({ model: 'gone-model' })).status).toBe(503)
  await made({ model: 'free-image', inpaint: null })
  expect(await spent()).toBe(0)
})

test('the styles are a list for everyone, and each is taken', async () => {
  const url = 'http://localhost:3000/api/v1/image/styles'
  const response = await styles(new Request(url), { params: Promise.resolve({}) })
  const { data } = StylesResponse.parse(await response.json())
  expect(data).toEqual(expect.arrayContaining(['3D Model', 'Analog Film', 'Anime', 'Cinematic', 'Comic Book']))
  for (const style of data.slice(0, 3)) await made({ model: 'free-image', style_preset: style })
})
