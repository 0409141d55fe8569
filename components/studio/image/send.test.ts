import { afterEach, expect, test, vi } from 'vitest'
import {
  contentOf,
  sendBackgroundRemove,
  sendEdit,
  sendGenerate,
  sendMultiEdit,
  sendUpscale,
} from '@/components/studio/image/send'
import type { Generation } from '@/lib/browser/storage/generations'

const fetched = vi.fn<typeof fetch>()
vi.stubGlobal('fetch', fetched)
afterEach(() => fetched.mockReset())

const PIXELS = 'iVBORw0KGgo='
const NAME = 'generate-image-0123456789abcdef01234567'
const options = { signal: new AbortController().signal, headers: { 'x-service-request-name': NAME } }

const generation = (changes: Partial<Generation>): Generation => ({
  id: 'c',
  kind: 'image',
  task: 'generate',
  modelId: 'painter',
  modelName: 'Painter',
  prompt: 'A lagoon at dawn',
  settings: {},
  inputs: [],
  results: [],
  state: 'running',
  createdAt: 1,
  ...changes,
})

/** What was asked: where, with which headers, and the body. */
function asked() {
  const [path, init] = fetched.mock.calls[0] ?? []
  return { path, headers: new Headers(init?.headers), body: init?.body }
}

test('a picture is asked for by the names of the wire, and comes as bytes of its format', async () => {
  fetched.mockResolvedValue(
    Response.json(
      { id: 'x', images: [PIXELS, PIXELS] },
      { headers: { 'x-service-model-name': 'Painter 2', 'x-service-is-content-violation': 'false' } },
    ),
  )
  const settings = { ratio: '16:9', variants: 2, negativePrompt: 'people', seed: 0, cfgScale: 6, isSafeModeOff: true }
  const delivered = await sendGenerate(generation({ settings }), [], options)
  const { path, headers, body } = asked()
  expect(path).toBe('/api/v1/image/generate')
  expect(headers.get('x-service-request-name')).toBe(NAME)
  expect(JSON.parse(String(body))).toEqual({
    model: 'painter',
    prompt: 'A lagoon at dawn',
    negative_prompt: 'people',
    aspect_ratio: '16:9',
    cfg_scale: 6,
    seed: 0,
    variants: 2,
    format: 'webp',
    safe_mode: false,
  })
  expect(delivered.modelName).toBe('Painter 2')
  expect(delivered.content).toBeUndefined()
  expect(delivered.files.map(({ data, name }) => [data.type, data.size, name])).toEqual([
    ['image/webp', 8, 'A lagoon at dawn'],
    ['image/webp', 8, 'A lagoon at dawn'],
  ])
})

test('an answer without pictures is a failure', async () => {
  fetched.mockResolvedValue(Response.json({ id: 'x' }))
  await expect(sendGenerate(generation({}), [], options)).rejects.toMatchObject({ code: 'INFERENCE_FAILED' })
})

test('pictures that are worked on go as parts of a form, in their order', async () => {
  const inputs = [new Blob(['one'], { type: 'image/png' }), new Blob(['two'], { type: 'image/webp' })]
  const answer = () =>
    new Response(new Blob(['done'], { type: 'image/png' }), { headers: { 'content-type': 'image/png' } })
  const form = async () => {
    const data = asked().body as FormData
    const texts = [...data].map(async ([name, value]) => [name, typeof value === 'string' ? value : await value.text()])
    return { path: asked().path, fields: await Promise.all(texts) }
  }
  fetched.mockResolvedValueOnce(answer())
  await sendUpscale(
    generation({ task: 'upscale', modelId: 'esrgan', settings: { factor: 4 }, prompt: '' }),
    [inputs[0]!],
    options,
  )
  expect(await form()).toEqual({
    path: '/api/v1/image/upscale',
    fields: [
      ['model', 'esrgan'],
      ['scale', '4'],
      ['image', 'one'],
    ],
  })
  fetched.mockReset().mockResolvedValueOnce(answer())
  await sendMultiEdit(
    generation({ task: 'multi-edit', settings: { resolution: '2K', format: 'jpeg' } }),
    inputs,
    options,
  )
  expect(await form()).toEqual({
    path: '/api/v1/image/multi-edit',
    fields: [
      ['model', 'painter'],
      ['prompt', 'A lagoon at dawn'],
      ['resolution', '2K'],
      ['output_format', 'jpeg'],
      ['safe_mode', 'true'],
      ['images', 'one'],
      ['images', 'two'],
    ],
  })
  fetched.mockReset().mockResolvedValueOnce(answer())
  await sendEdit(generation({ task: 'edit', modelId: '' }), [inputs[0]!], options)
  expect((await form()).fields.map(([name]) => name)).toEqual(['prompt', 'safe_mode', 'image'])
  fetched.mockReset().mockResolvedValueOnce(answer())
  const cut = await sendBackgroundRemove(
    generation({ task: 'background-remove', modelId: '', prompt: '' }),
    [inputs[0]!],
    options,
  )
  expect((await form()).path).toBe('/api/v1/image/background-remove')
  expect(await cut.files[0]?.data.text()).toBe('done')
})

test('a refusal is thrown as the service says it', async () => {
  fetched.mockResolvedValue(
    Response.json({ error: 'The image is too small.', code: 'IMAGE_TOO_SMALL' }, { status: 400 }),
  )
  const refused = sendUpscale(generation({ task: 'upscale' }), [new Blob(['x'])], options)
  await expect(refused).rejects.toMatchObject({ code: 'IMAGE_TOO_SMALL', message: 'The image is too small.' })
})

test('what the headers say of the content is kept, and nothing where they say nothing', () => {
  expect(contentOf(new Headers({ 'x-service-is-blurred': 'false' }))).toBeUndefined()
  expect(
    contentOf(
      new Headers({
        'x-service-is-blurred': 'true',
        'x-service-is-content-violation': 'true',
        'x-service-contains-minor': 'true',
        'x-service-enhanced-prompt': 'Ein%20See%20%E2%80%93%20still',
      }),
    ),
  ).toEqual({ isBlurred: true, isViolation: true, hasMinor: true, enhancedPrompt: 'Ein See – still' })
  expect(contentOf(new Headers({ 'x-service-enhanced-prompt': '100%' }))).toEqual({ enhancedPrompt: '100%' })
})
