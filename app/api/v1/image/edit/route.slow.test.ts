import { hostname } from 'node:os'
import sharp from 'sharp'
import { beforeEach, expect, test } from 'vitest'
import { chatStage } from '@/app/api/v1/chat/completions/testing/stage'
import { POST } from '@/app/api/v1/image/edit/route'
import { POST as multiEdit } from '@/app/api/v1/image/multi-edit/route'
import { formCall } from '@/app/api/v1/image/testing/form'
import {
  inOpenAiStyle,
  plain,
  replyJson,
  type Seen,
  scriptedStudio,
  withHole,
} from '@/lib/services/engines/upstream/testing/studio'

const studio = await scriptedStudio()
const edit = { type: 'inpaint', engine: 'studio', upstreamModel: 'up' }
const SMALL = await plain(256, 256)
const stage = await chatStage({
  route: { path: 'image/edit', POST, body: { model: undefined, prompt: 'Make it blue' } },
  engines: {
    studio: {
      kind: 'openai',
      baseUrls: [`${studio.origin}/v1`],
      timeouts: { connectMs: 500, firstTokenMs: 2_500, idleMs: 2_500 },
    },
  },
  models: [
    {
      ...edit,
      id: 'retouch',
      traits: ['default'],
      constraints: {
        aspectRatios: ['auto', '1:1', '16:9'],
        promptCharacterLimit: 200,
        combineImages: true,
        resolutions: ['1K', '2K'],
        defaultResolution: '1K',
        qualities: ['low', 'high'],
        defaultQuality: 'high',
      },
      pricing: {
        inpaint: { usd: 0.04 },
        resolutions: { '1K': { usd: 0.04 }, '2K': { usd: 0.07 } },
        inputImages: { included: 1, additional: { usd: 0.01 } },
      },
    },
    { ...edit, id: 'single', pricing: { inpaint: { usd: 0.03 } } },
  ],
})
const { call, spent, linesOf } = stage
const MULTI = { path: 'image/multi-edit', POST: multiEdit, body: { prompt: 'Join them' } }
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

beforeEach(() => {
  studio.answer = (_, response) => replyJson(response, inOpenAiStyle(SMALL))
})

/** The parts of the form that the engine got. */
async function sentForm({ raw, type }: Seen) {
  const form = await new Response(new Uint8Array(raw), { headers: { 'content-type': type } }).formData()
  const files = [...form].flatMap(([name, value]) => (value instanceof File ? [{ name, file: value }] : []))
  return { fields: Object.fromEntries([...form].filter(([, value]) => typeof value === 'string')), files }
}

test('a picture in base64 is changed; the answer is a PNG, and is charged', async () => {
  const response = await call({ image: base64(SMALL) })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('image/png')
  expect(response.headers.get('x-service-is-content-violation')).toBe('false')
  expect(response.headers.get('x-service-control-instance')).toBe(hostname())
  expect(response.headers.get('x-service-model-id')).toBe('retouch')
  expect((await sharp(await response.bytes()).metadata()).width).toBe(256)
  const { fields, files } = await sentForm(studio.seen[0]!)
  expect(fields).toEqual({ model: 'up', prompt: 'Make it blue', n: '1', quality: 'high', response_format: 'b64_json' })
  expect(files.map(({ name, file }) => [name, file.type])).toEqual([['image', 'image/png']])
  expect(await linesOf()).toEqual({ 'retouch-inpaint-unit': [1, 0.04] })
})

test.each([
  [{}, 'image/png', 0.04],
  [{ resolution: '2K' }, 'image/jpeg', 0.07],
  [{ output_format: 'jpg' }, 'image/jpeg', 0.04],
  [{ resolution: '2K', output_format: 'webp' }, 'image/webp', 0.07],
  [{ modelId: 'single' }, 'image/png', 0.03],
])('%j', async (body, type, dollars) => {
  const response = await call({ image: base64(SMALL), ...body })
  expect(response.headers.get('content-type')).toBe(type)
  expect(await spent()).toBe(dollars)
})

test('a ratio becomes a size, and a data URL is a picture', async () => {
  const image = `data:image/png;base64,${base64(SMALL)}`
  expect((await call({ image, aspect_ratio: '16:9', quality: 'low' })).status).toBe(200)
  expect((await sentForm(studio.seen[0]!)).fields).toMatchObject({ size: '1792x1024', quality: 'low' })
})

test('the engine gets a picture without metadata, upright, its holes kept', async () => {
  const tagged = sharp(await plain(400, 300, 'jpeg'))
    .withExif({ IFD0: { Copyright: 'mine' } })
    .withMetadata({ orientation: 6 })
  await call({ image: base64(await tagged.jpeg().toBuffer()) })
  await call({ image: base64(await withHole(300, 300)) })
  const [photo, hole] = await Promise.all(studio.seen.map(async (seen) => (await sentForm(seen)).files[0]!.file))
  expect(await sharp(await photo!.bytes()).metadata()).toMatchObject({ format: 'jpeg', width: 300, height: 400 })
  expect((await sharp(await photo!.bytes()).metadata()).exif).toBeUndefined()
  expect(await sharp(await hole!.bytes()).metadata()).toMatchObject({ format: 'png', hasAlpha: true })
})

test('of an animation its first frame is taken', async () => {
  const video = await sharp({ create: { width: 260, height: 520, channels: 3, background: 'red', pageHeight: 260 } })
    .gif({ delay: [100, 100] })
    .toBuffer()
  expect((await call({ image: base64(video) })).status).toBe(200)
  const { files } = await sentForm(studio.seen[0]!)
  expect(await sharp(await files[0]!.file.bytes()).metadata()).toMatchObject({ width: 260, height: 260 })
})

test('a form does the same, its fields are text, and unknown ones do not count', async () => {
  const form = await formCall([['image', SMALL]], {
    prompt: 'Make it blue',
    safe_mode: 'false',
    output_format: 'webp',
    colour: 'red',
  })
  const response = await call({}, form)
  expect(response.headers.get('content-type')).toBe('image/webp')
  expect(await spent()).toBe(0.04)
})

test('several pictures are sent in their order; those beyond the included cost more', async () => {
  const wide = await plain(300, 256)
  const response = await call({ model: undefined, images: [base64(SMALL), base64(wide)] }, { route: MULTI })
  expect(response.status).toBe(200)
  const form = await formCall(
    [
      ['images', wide],
      ['images', SMALL],
      ['images', SMALL],
    ],
    { prompt: 'Join them' },
  )
  expect((await call({}, { route: MULTI, ...form })).status).toBe(200)
  const sizes = await Promise.all(
    studio.seen.map(async (seen) => {
      const { files } = await sentForm(seen)
      expect(files.every(({ name }) => name === 'image[]')).toBe(true)
      return Promise.all(files.map(async ({ file }) => (await sharp(await file.bytes()).metadata()).width))
    }),
  )
  expect(sizes).toEqual([
    [256, 300],
    [300, 256, 256],
  ])
  expect(await spent()).toBe(0.04 + 0.01 + 0.04 + 0.02)
})

test('more pictures than the model takes are refused, none too', async () => {
  const image = base64(SMALL)
  for (const images of [[], Array(4).fill(image), Array(17).fill('aGk=')]) {
    const response = await call({ model: undefined, images }, { route: MULTI })
    expect(response.status).toBe(400)
    expect((await response.json()).issues[0].path[0]).toBe('images')
  }
  const two = await call({ model: undefined, modelId: 'single', images: [image, image] }, { route: MULTI })
  expect(two.status).toBe(400)
  const form = await formCall(
    Array.from({ length: 17 }, () => ['images', SMALL]),
    { prompt: 'Join them' },
  )
  expect((await call({}, { route: MULTI, ...form })).status).toBe(400)
})

const bomb = () =>
  sharp({ create: { width: 8_000, height: 4_200, channels: 3, background: 'black' } })
    .png()
    .toBuffer()

test.each<[string, () => Promise<Uint8Array> | Uint8Array, number, string]>([
  ['too few pixels', () => plain(255, 256), 400, 'IMAGE_TOO_SMALL'],
  ['a bomb', bomb, 422, 'IMAGE_TOO_LARGE'],
  ['half a file', async () => SMALL.subarray(0, SMALL.length / 2), 400, 'CORRUPTED_IMAGE'],
  [
    'one kind in the frame of another',
    async () => Buffer.concat([Buffer.from('RIFF0000WEBP'), SMALL]),
    400,
    'CORRUPTED_IMAGE',
  ],
  ['text', () => Buffer.from('not a picture at all'), 400, 'INVALID_REQUEST'],
  ['a drawing of markup', () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 400, 'INVALID_REQUEST'],
  ['more than 25 MB', () => new Uint8Array(25_000_001), 413, 'PAYLOAD_TOO_LARGE'],
])('%s: refused in JSON and as a form, and free', async (_, make, status, code) => {
  const bytes = await make()
  const asForm = await formCall([['image', bytes]], { prompt: 'Make it blue' })
  for (const response of [await call({ image: base64(bytes) }), await call({}, asForm)]) {
    expect([response.status, (await response.json()).code]).toEqual([status, code])
  }
  expect(studio.seen).toEqual([])
  expect(await spent()).toBe(0)
})

test.each<[string, Record<string, unknown>, string | undefined]>([
  ['no picture', {}, 'image'],
  ['an empty one', { image: '' }, 'image'],
  ['what is no base64', { image: 'héllo!' }, 'image'],
  ['an address inside the machine', { image: 'http://127.0.0.1:9/a.png' }, 'image'],
  ['a file of the machine', { image: 'file:///etc/passwd' }, 'image'],
  ['no prompt', { prompt: undefined, image: base64(SMALL) }, 'prompt'],
  ['a longer prompt than the model’s', { prompt: 'a'.repeat(201), image: base64(SMALL) }, 'prompt'],
  ['an unknown ratio', { aspect_ratio: '5:4', image: base64(SMALL) }, 'aspect_ratio'],
  ['a ratio of other models', { aspect_ratio: '9:16', image: base64(SMALL) }, 'aspect_ratio'],
  ['a foreign resolution', { resolution: '4K', image: base64(SMALL) }, 'resolution'],
  ['a foreign quality', { quality: 'medium', image: base64(SMALL) }, 'quality'],
  ['an unknown format', { output_format: 'gif', image: base64(SMALL) }, 'output_format'],
  ['two models', { model: 'retouch', modelId: 'single', image: base64(SMALL) }, 'modelId'],
  ['an unknown field', { mask: base64(SMALL), image: base64(SMALL) }, undefined],
])('%s: 400 that says where, and free', async (_, body, field) => {
  const response = await call(body)
  const said = (await response.json()) as { code: string; issues: { path: string[] }[] }
  expect([response.status, said.code]).toEqual([400, 'INVALID_REQUEST'])
  if (field) expect(said.issues[0]!.path[0]).toBe(field)
  expect(studio.seen).toEqual([])
  expect(await spent()).toBe(0)
})

test('what the model refuses is 422, what it cannot do 500; both are free', async () => {
  studio.answer = (_, response) => replyJson(response, { error: { code: 'content_policy_violation' } }, 400)
  expect(await (await call({ image: base64(SMALL) })).json()).toMatchObject({ code: 'CONTENT_POLICY_VIOLATION' })
  studio.answer = (_, response) => replyJson(response, {}, 501)
  const failed = await call({ image: base64(SMALL) })
  expect([failed.status, (await failed.json()).code]).toEqual([500, 'IMAGE_EDIT_ERROR'])
  studio.answer = (_, response) => replyJson(response, inOpenAiStyle(Buffer.from('no picture')))
  expect((await (await call({ image: base64(SMALL) })).json()).code).toBe('IMAGE_EDIT_ERROR')
  expect(await spent()).toBe(0)
})

test('no credentials, another type, a foreign model', async () => {
  expect((await call({}, { headers: { authorization: undefined } })).status).toBe(402)
  expect((await call({}, { headers: { 'content-type': 'text/plain' } })).status).toBe(415)
  expect((await call({ model: 'nobody', image: base64(SMALL) })).status).toBe(404)
  expect(await (await call({ model: 'atlas', image: base64(SMALL) })).json()).toMatchObject({ code: 'INVALID_MODEL' })
  expect((await call({}, await formCall([['file', SMALL]], { prompt: 'x' }))).status).toBe(400)
})
