import sharp from 'sharp'
import { beforeEach, expect, test } from 'vitest'
import { chatStage } from '@/app/api/v1/chat/completions/testing/stage'
import { POST } from '@/app/api/v1/images/generations/route'
import { GenerationsResponse } from '@/lib/contract/images.schema'
import { inOpenAiStyle, plain, replyJson, scriptedStudio } from '@/lib/services/engines/upstream/testing/studio'

const studio = await scriptedStudio()
const image = { type: 'image', engine: 'studio', upstreamModel: 'up' }
const upscale = { '2x': { usd: 0.02 }, '4x': { usd: 0.08 } }
const pricing = { generation: { usd: 0.01 }, upscale }
const constraints = { promptCharacterLimit: 5_000, steps: { default: 1, max: 1 }, widthHeightDivisor: 8 }
const stage = await chatStage({
  route: { path: 'images/generations', POST, body: { model: undefined, prompt: 'A lagoon' } },
  engines: { studio: { kind: 'openai', baseUrls: [`${studio.origin}/v1`] } },
  models: [
    { ...image, id: 'turbo', constraints, pricing, traits: ['default'] },
    { ...image, id: 'ratios', constraints: { ...constraints, aspectRatios: ['1:1', '3:2', '9:16'] }, pricing },
  ],
})
const { call, spent } = stage
const IMAGE = await plain(64, 48, 'jpeg')

beforeEach(() => {
  studio.answer = (_, response) => replyJson(response, inOpenAiStyle(IMAGE))
})

async function made(body: Record<string, unknown> = {}) {
  const response = await call(body)
  expect(response.status).toBe(200)
  const { data } = GenerationsResponse.parse(await response.json())
  expect(data).toHaveLength(1)
  return { response, first: data[0] as { b64_json?: string; url?: string }, size: studio.seen.at(-1)?.json?.size }
}

test('a picture of the default model comes as PNG in base64', async () => {
  const { response, first, size } = await made()
  expect((await sharp(Buffer.from(first.b64_json!, 'base64')).metadata()).format).toBe('png')
  expect(size).toBe('1024x1024')
  expect(response.headers.get('x-service-model-id')).toBe('turbo')
  expect(response.headers.get('x-service-is-content-violation')).toBe('false')
  expect(await spent()).toBe(0.01)
})

test('a URL is a data URL, in the format that was asked for', async () => {
  const { first } = await made({ response_format: 'url', output_format: 'webp', moderation: 'low' })
  expect(first.url).toMatch(/^data:image\/webp;base64,/)
})

test('a name that nobody knows is the default model; a text model is a mistake', async () => {
  expect((await made({ model: 'dall-e-3' })).response.headers.get('x-service-model-id')).toBe('turbo')
  expect(await (await call({ model: 'atlas' })).json()).toMatchObject({ code: 'INVALID_MODEL' })
})

test.each([
  ['turbo', '256x256', '256x256'],
  ['turbo', '1792x1024', '1280x728'],
  ['turbo', 'auto', '1024x1024'],
  ['ratios', '1536x1024', '1536x1024'],
  ['ratios', '1792x1024', '1536x1024'],
  ['ratios', '1024x1792', '1024x1792'],
  ['ratios', '512x512', '1024x1024'],
])('a size in the terms of %s: %s', async (model, asked, size) => {
  expect((await made({ model, size: asked })).size).toBe(size)
})

test('fields of the convention are taken, and null is as good as nothing', async () => {
  await made({ n: 1, quality: 'hd', style: 'vivid', background: 'auto', output_compression: 50, user: 'me' })
  await made({
    n: null,
    size: null,
    response_format: null,
    moderation: null,
    quality: null,
    style: null,
    background: null,
  })
})

test.each<[string, Record<string, unknown>]>([
  ['two pictures', { n: 2 }],
  ['a size that is none', { size: '1000x1000' }],
  ['a field of the other endpoint', { safe_mode: false }],
  ['a long prompt', { prompt: 'a'.repeat(1_501) }],
  ['no prompt', { prompt: undefined }],
  ['an unknown format', { output_format: 'gif' }],
  ['an unknown form', { response_format: 'binary' }],
  ['too much compression', { output_compression: 101 }],
])('%s: 400, and free', async (_, body) => {
  const response = await call(body)
  expect([response.status, (await response.json()).code]).toEqual([400, 'INVALID_REQUEST'])
  expect(await spent()).toBe(0)
})
