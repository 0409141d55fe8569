import { hostname } from 'node:os'
import sharp from 'sharp'
import { beforeEach, expect, test } from 'vitest'
import { chatStage } from '@/app/api/v1/chat/completions/testing/stage'
import { POST as removeBackground } from '@/app/api/v1/image/background-remove/route'
import { formCall } from '@/app/api/v1/image/testing/form'
import { POST } from '@/app/api/v1/image/upscale/route'
import { plain, replyJson, scriptedStudio, withHole } from '@/lib/services/engines/upstream/testing/studio'

const studio = await scriptedStudio()
const SMALL = await plain(256, 300)
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
const stage = await chatStage({
  route: { path: 'image/upscale', POST, body: { model: undefined, image: base64(SMALL) } },
  engines: { studio: { kind: 'openai', baseUrls: [`${studio.origin}/v1`] } },
  models: [
    {
      type: 'upscale',
      id: 'sharpen',
      engine: 'studio',
      upstreamModel: 'up',
      pricing: { upscale: { '2x': { usd: 0.02 }, '4x': { usd: 0.08 } } },
    },
    {
      type: 'inpaint',
      id: 'scissors',
      engine: 'studio',
      traits: ['background_removal'],
      pricing: { inpaint: { usd: 0.01 } },
    },
  ],
})
const { call, spent, linesOf } = stage
const CUT = { path: 'image/background-remove', POST: removeBackground, body: {} }

/** As a server that enlarges by the factor that it is asked for. */
beforeEach(() => {
  studio.answer = async ({ json, path }, response) => {
    const file = Buffer.from(json?.image as string, 'base64')
    if (path.endsWith('background-remove')) return response.end(await withHole(256, 256, 0.5))
    const { width } = await sharp(file).metadata()
    return response.end(
      await sharp(file)
        .resize(width * (json?.scale as number))
        .png({ compressionLevel: 1 })
        .toBuffer(),
    )
  }
})

async function sizeOf(response: Response) {
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('image/png')
  expect(response.headers.get('x-service-control-instance')).toBe(hostname())
  const { format, width, height } = await sharp(await response.bytes()).metadata()
  return [format, width, height]
}

test('twice as large is the default, as PNG, at its price', async () => {
  const response = await call()
  expect(response.headers.get('x-service-model-id')).toBe('sharpen')
  expect(await sizeOf(response)).toEqual(['png', 512, 600])
  expect(studio.seen[0]!.json).toMatchObject({ model: 'up', scale: 2, creativity: 0.01 })
  expect(await linesOf()).toEqual({ 'sharpen-upscale-2x-unit': [1, 0.02] })
})

test('four times, as a form', async () => {
  const form = await formCall([['image', SMALL]], { scale: '4', creativity: '9', anything: 'else' })
  expect(await sizeOf(await call({}, form))).toEqual(['png', 1024, 1200])
  expect(studio.seen[0]!.json).toMatchObject({ scale: 4, creativity: 0.02 })
  expect(await spent()).toBe(0.08)
})

test('four times is reduced to what is allowed, and costs what it then is', async () => {
  const large = await sizeOf(await call({ image: base64(await plain(1_200, 1_200)), scale: 4 }))
  expect(large).toEqual(['png', 4_096, 4_096])
  expect(await spent()).toBe(0.08)
  expect(await sizeOf(await call({ image: base64(await plain(2_048, 2_048)), scale: 4 }))).toEqual([
    'png',
    4_096,
    4_096,
  ])
  expect(studio.seen.map(({ json }) => json?.scale)).toEqual([4, 2])
  expect(await spent()).toBe(0.1)
})

test('what four times would make too large to be read is enlarged two times', async () => {
  const response = await call({ image: base64(await plain(2_000, 1_500)), scale: 4 })
  expect(await sizeOf(response)).toEqual(['png', 4_000, 3_000])
  expect(studio.seen[0]!.json?.scale).toBe(2)
  expect(await spent()).toBe(0.02)
})

test('an open body: what is retired or unknown does not count', async () => {
  const more = { enhance: true, enhanceCreativity: 1, enhancePrompt: 'gold', replication: 0.5, creativity: null, x: 1 }
  expect((await call(more)).status).toBe(200)
})

test.each<[string, Record<string, unknown>, number, string]>([
  ['no picture', { image: undefined }, 400, 'INVALID_REQUEST'],
  ['an address', { image: 'https://example.com/a.png' }, 400, 'INVALID_REQUEST'],
  ['a factor of one', { scale: 1 }, 400, 'INVALID_REQUEST'],
  ['a factor of three', { scale: 3 }, 400, 'INVALID_REQUEST'],
  ['a factor as text', { scale: '2' }, 400, 'INVALID_REQUEST'],
  ['too few pixels', { image: base64(await plain(100, 100)) }, 400, 'IMAGE_TOO_SMALL'],
  ['too many pixels to enlarge', { image: base64(await plain(2_049, 2_048)) }, 422, 'IMAGE_TOO_LARGE'],
  ['an unknown model', { model: 'nobody' }, 404, 'MODEL_NOT_FOUND'],
])('%s is refused, and free', async (_, body, status, code) => {
  const response = await call(body)
  expect([response.status, (await response.json()).code]).toEqual([status, code])
  expect(await spent()).toBe(0)
})

test('what fails behind us has the contract’s code, and is free', async () => {
  studio.answer = (_, response) => replyJson(response, {}, 501)
  const response = await call()
  expect([response.status, (await response.json()).code]).toEqual([500, 'UPSCALE_FAILED'])
  expect(await spent()).toBe(0)
})

test('a picture is cut out: PNG with alpha, of either form', async () => {
  for (const sent of [undefined, await formCall([['image', SMALL]])]) {
    const response = await call({ model: undefined, image: base64(SMALL) }, { route: CUT, ...sent })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('image/png')
    expect(await sharp(await response.bytes()).metadata()).toMatchObject({ format: 'png', hasAlpha: true })
  }
  expect(await spent()).toBe(0.02)
})

test('a form may name an address in place of its file, and no more than one of both', async () => {
  const asked = async (...form: Parameters<typeof formCall>) => {
    const response = await call({ model: undefined }, { route: CUT, ...(await formCall(...form)) })
    expect(response.status).toBe(400)
    return JSON.stringify(await response.json())
  }
  // Nothing inside the machine is fetched: that it was looked at shows in the field that is named.
  expect(await asked([], { image_url: 'http://169.254.169.254/a.png' })).toContain('image_url')
  expect(await asked([], { image_url: 'http://169.254.169.254/a.png' })).not.toContain('send either')
  expect(await asked([])).toContain('send either `image` or `image_url`')
  expect(await asked([['image', SMALL]], { image_url: 'https://example.com/a.png' })).toContain('send either')
  expect(await spent()).toBe(0)
})

test.each<[string, Record<string, unknown>]>([
  ['neither', {}],
  ['both', { image: base64(SMALL), image_url: 'https://example.com/a.png' }],
  ['an address where the picture belongs', { image: 'https://example.com/a.png' }],
  ['an address inside the machine', { image_url: 'http://169.254.169.254/a.png' }],
])('cutting out with %s: 400, and free', async (_, body) => {
  const response = await call(body, { route: CUT })
  expect([response.status, (await response.json()).code]).toEqual([400, 'INVALID_REQUEST'])
  expect(await spent()).toBe(0)
})
