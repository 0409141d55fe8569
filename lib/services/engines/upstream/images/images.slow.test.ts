import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { EngineError, type ImageEngine, type InputImage } from '@/lib/services/engines/engine'
import { closeEngines, imageEngineOf, installEngines } from '@/lib/services/engines/registry'
import {
  inOpenAiStyle,
  plain,
  replyJson,
  scriptedStudio,
  withHole,
} from '@/lib/services/engines/upstream/testing/studio'

const studio = await scriptedStudio()
const IMAGE = await plain(64, 64)
const HOLE = await withHole(256, 256)
const signal = new AbortController().signal
const request = { model: 'dream.safetensors', prompt: 'A lagoon', width: 512, height: 768, isSafe: true }
const input: InputImage = { bytes: IMAGE, mime: 'image/png', width: 64, height: 64, clearShare: 0 }
const holed: InputImage = { bytes: HOLE, mime: 'image/png', width: 256, height: 256, clearShare: 0.06 }
const painters = {} as Record<'openai' | 'webui' | 'comfyui', ImageEngine>

beforeAll(async () => {
  const timeouts = { connectMs: 500, firstTokenMs: 2_000, idleMs: 2_000 }
  const engine = (imageStyle: 'openai' | 'webui' | 'comfyui', path = '') => ({
    baseUrls: [`${studio.origin}${path}`],
    timeouts,
    imageStyle,
  })
  const definitions = { openai: engine('openai', '/v1'), webui: engine('webui'), comfyui: engine('comfyui') }
  await installEngines(definitions, new Set())
  for (const name of ['openai', 'webui', 'comfyui'] as const) painters[name] = imageEngineOf(name)
})
afterAll(closeEngines)

const reasonOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'none',
    (error: unknown) => (error instanceof EngineError ? error.reason : String(error)),
  )

test('an engine that is gone is offline', () => {
  expect(() => imageEngineOf('nowhere')).toThrow(EngineError)
})

test('a WebUI paints: one picture, kept nowhere, by the checkpoint that the model names', async () => {
  studio.answer = (_, response) => replyJson(response, { images: [IMAGE.toString('base64')], info: '{}' })
  const made = await painters.webui.paint({ ...request, negativePrompt: 'fog', steps: 9, cfgScale: 4, seed: 3 }, signal)
  expect(Buffer.from(made)).toEqual(IMAGE)
  expect(studio.seen[0]).toMatchObject({
    path: '/sdapi/v1/txt2img',
    json: {
      prompt: 'A lagoon',
      negative_prompt: 'fog',
      width: 512,
      height: 768,
      steps: 9,
      cfg_scale: 4,
      seed: 3,
      batch_size: 1,
      save_images: false,
      override_settings: { sd_model_checkpoint: 'dream.safetensors' },
    },
  })
})

test('a WebUI changes a picture whole, or only where it is see-through', async () => {
  studio.answer = (_, response) =>
    replyJson(response, { images: [`data:image/png;base64,${IMAGE.toString('base64')}`] })
  await painters.webui.edit({ model: 'm', prompt: 'p', images: [input] }, signal)
  await painters.webui.edit({ model: 'm', prompt: 'p', images: [holed], size: { width: 512, height: 512 } }, signal)
  const [whole, hole] = studio.seen.map(({ json }) => json)
  expect(whole).toMatchObject({ width: 64, init_images: [IMAGE.toString('base64')], denoising_strength: 0.65 })
  expect(whole).not.toHaveProperty('mask')
  expect(hole).toMatchObject({
    width: 512,
    denoising_strength: 1,
    mask: HOLE.toString('base64'),
    inpainting_mask_invert: 1,
  })
  expect(await reasonOf(painters.webui.edit({ model: 'm', prompt: 'p', images: [input, input] }, signal))).toBe(
    'offline',
  )
})

test('a WebUI enlarges, and cuts out by its extension', async () => {
  studio.answer = (_, response) => replyJson(response, { image: IMAGE.toString('base64') })
  await painters.webui.upscale({ model: 'R-ESRGAN 4x+', image: input, factor: 4, creativity: 0 }, signal)
  await painters.webui.cutOut({ model: 'u2net', image: input }, signal)
  expect(studio.seen.map(({ path }) => path)).toEqual(['/sdapi/v1/extra-single-image', '/rembg'])
  expect(studio.seen[0]!.json).toMatchObject({ upscaling_resize: 4, upscaler_1: 'R-ESRGAN 4x+' })
})

test.each(['openai', 'webui'] as const)(
  '%s: what is no answer is a failure, and what is refused says so',
  async (style) => {
    const asked = () => reasonOf(painters[style].paint(request, signal))
    studio.answer = (_, response) => replyJson(response, { images: [], data: [] })
    expect(await asked()).toBe('failed')
    studio.answer = (_, response) => replyJson(response, { images: ['%%'], data: [{ b64_json: '%%' }] })
    expect(await asked()).toBe('failed')
    studio.answer = (_, response) => response.end('<html>')
    expect(await asked()).toBe('failed')
    studio.answer = (_, response) => replyJson(response, { detail: 'wrong' }, 422)
    expect(await asked()).toBe('invalid-request')
    studio.answer = (_, response) => replyJson(response, {}, 503)
    expect(await asked()).toBe('offline')
  },
)

function comfy(
  result: unknown = { outputs: { save: { images: [{ filename: 'a.png', subfolder: '', type: 'temp' }] } } },
) {
  let looks = 0
  studio.answer = ({ method, path }, response) => {
    if (path === '/prompt') return replyJson(response, { prompt_id: 'abc' })
    if (path === '/upload/image') return replyJson(response, { name: 'up.png', subfolder: '', type: 'temp' })
    if (path.startsWith('/view?')) return response.end(IMAGE)
    if (method === 'GET' && path === '/history/abc') return replyJson(response, ++looks < 2 ? {} : { abc: result })
    return replyJson(response, {})
  }
}
const graphs = () => studio.seen.flatMap(({ path, json }) => (path === '/prompt' ? [json?.prompt as object] : []))

test('a ComfyUI queues a graph, is asked until the picture is there, and forgets it', async () => {
  comfy()
  const made = await painters.comfyui.paint({ ...request, seed: -1 }, signal)
  expect(Buffer.from(made)).toEqual(IMAGE)
  expect(graphs()[0]).toMatchObject({
    checkpoint: { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: 'dream.safetensors' } },
    latent: { inputs: { width: 512, height: 768, batch_size: 1 } },
    sampler: { inputs: { seed: 2 ** 48 - 1, denoise: 1 } },
  })
  await expect.poll(() => studio.seen.filter(({ path }) => path === '/queue' || path === '/history').length).toBe(2)
})

test('a ComfyUI gets pictures as files, to change and to enlarge', async () => {
  comfy()
  await painters.comfyui.edit({ model: 'm', prompt: 'p', images: [input] }, signal)
  comfy()
  await painters.comfyui.edit({ model: 'm', prompt: 'p', images: [holed] }, signal)
  comfy()
  await painters.comfyui.upscale({ model: '4x.pth', image: input, factor: 2, creativity: 0 }, signal)
  const [whole, hole, large] = graphs()
  expect(whole).toMatchObject({ load: { inputs: { image: 'up.png [temp]' } }, latent: { class_type: 'VAEEncode' } })
  expect(hole).toMatchObject({ latent: { class_type: 'VAEEncodeForInpaint' } })
  expect(large).toMatchObject({
    enlarger: { inputs: { model_name: '4x.pth' } },
    scaled: { inputs: { width: 128, height: 128 } },
  })
  expect(await reasonOf(painters.comfyui.cutOut({ model: 'm', image: input }, signal))).toBe('offline')
})

test('a ComfyUI whose graph fails, that gives no id, or that refuses', async () => {
  comfy({ status: { status_str: 'error', completed: false }, outputs: {} })
  expect(await reasonOf(painters.comfyui.paint(request, signal))).toBe('failed')
  studio.answer = (_, response) => replyJson(response, {})
  expect(await reasonOf(painters.comfyui.paint(request, signal))).toBe('failed')
  studio.answer = (_, response) => replyJson(response, { error: { message: 'no such node' } }, 400)
  expect(await reasonOf(painters.comfyui.paint(request, signal))).toBe('invalid-request')
})

test('whoever leaves while a ComfyUI works takes the work out of its queue', async () => {
  studio.answer = ({ path }, response) => replyJson(response, path === '/prompt' ? { prompt_id: 'abc' } : {})
  const abort = new AbortController()
  const painting = painters.comfyui.paint(request, abort.signal)
  await expect.poll(() => studio.seen.some(({ path }) => path === '/history/abc')).toBe(true)
  abort.abort(new Error('left'))
  await expect(painting).rejects.toThrow('left')
  await expect.poll(() => studio.seen.find(({ path }) => path === '/queue')?.json).toEqual({ delete: ['abc'] })
})

test('an OpenAI-compatible server gets several pictures under the name of a list', async () => {
  studio.answer = (_, response) => replyJson(response, inOpenAiStyle(IMAGE))
  await painters.openai.edit({ model: 'm', prompt: 'p', images: [input, holed] }, signal)
  expect(studio.seen[0]!.path).toBe('/v1/images/edits')
  expect(studio.seen[0]!.raw.toString('latin1').match(/name="image\[\]"/g)).toHaveLength(2)
})

beforeEach(() => {
  studio.answer = () => undefined
})
