import 'server-only'
import { hex } from '@/lib/contract/ids'
import type { EditRequest, ImageEngine, InputImage, PaintRequest } from '@/lib/services/engines/engine'
import { EngineError } from '@/lib/services/engines/engine'
import { cannot, MAX_IMAGE_REPLY_BYTES, multipart } from '@/lib/services/engines/upstream/bodies'
import { garbageError } from '@/lib/services/engines/upstream/failures'
import { pause } from '@/lib/services/engines/upstream/http-client'
import { type JobCalls, jobCalls, type ProviderOptions } from '@/lib/services/engines/upstream/jobs/calls'
import { isWireObject, readUpTo, textOrUndefined, type WireObject } from '@/lib/services/engines/upstream/wire-value'

const POLL_MS = { first: 100, most: 1_000 }
const UPLOAD_MS = 30_000
const FORGET_MS = 5_000

/**
 * Makes pictures on a ComfyUI server: a graph is queued, its history is asked until the picture is there, and the file
 * is fetched. A model's `upstreamModel` is the file name of a checkpoint, or of an upscaler for models that enlarge.
 */
export function comfyImageEngine(options: ProviderOptions): ImageEngine {
  const calls = jobCalls(options)
  const { apiKey } = options

  async function withImage(image: InputImage, graph: (file: string) => Graph, signal: AbortSignal) {
    const base = calls.base()
    return drawn(calls, base, graph(await upload(base, image, apiKey, signal)), signal)
  }

  return {
    paint: (request, signal) => drawn(calls, calls.base(), paintGraph(request), signal),
    async edit(request, signal) {
      const [image, ...others] = request.images as [InputImage, ...InputImage[]]
      if (others.length > 0) return cannot('combine images')
      return withImage(image, (file) => repaintGraph(request, file), signal)
    },
    upscale: ({ model, image, factor }, signal) =>
      withImage(
        image,
        (file) => upscaleGraph({ model, file, width: image.width * factor, height: image.height * factor }),
        signal,
      ),
    cutOut: () => cannot('remove backgrounds'),
  }
}

async function drawn(calls: JobCalls, base: string, graph: Graph, signal: AbortSignal): Promise<Uint8Array> {
  const body = { prompt: graph, client_id: hex(16) }
  const id = textOrUndefined((await calls.json({ method: 'POST', url: `${base}/prompt`, body }, signal)).prompt_id)
  if (id === undefined) throw garbageError(new Error('The server gave the work no id'))
  try {
    const file = await fileOf(calls, base, id, signal)
    const tooLong = () => garbageError(new Error('The image is too large'))
    return await readUpTo(calls.bytes(`${base}/view?${file}`, signal), MAX_IMAGE_REPLY_BYTES, tooLong)
  } finally {
    // Nobody waits for the work any more: what still stands in the queue is taken out of it, and the history forgotten.
    void forget(calls, base, id)
  }
}

async function fileOf(calls: JobCalls, base: string, id: string, signal: AbortSignal): Promise<URLSearchParams> {
  for (let pauseMs = POLL_MS.first; ; pauseMs = Math.min(POLL_MS.most, pauseMs * 2)) {
    await pause(pauseMs, signal)
    const entry = (await calls.json({ method: 'GET', url: `${base}/history/${encodeURIComponent(id)}` }, signal))[id]
    if (!isWireObject(entry)) continue
    const file = firstFile(entry)
    if (file) return file
    const status = isWireObject(entry.status) ? entry.status : {}
    if (status.status_str === 'error' || status.completed === true) {
      throw new EngineError('failed', 'The image model failed. Try again.', {
        cause: new Error('The graph made no file'),
      })
    }
  }
}

function firstFile({ outputs }: WireObject): URLSearchParams | undefined {
  for (const output of Object.values(isWireObject(outputs) ? outputs : {})) {
    const images = isWireObject(output) && Array.isArray(output.images) ? output.images : []
    for (const image of images) {
      const name = isWireObject(image) ? textOrUndefined(image.filename) : undefined
      if (name === undefined) continue
      const { subfolder, type } = image as WireObject
      return new URLSearchParams({
        filename: name,
        subfolder: textOrUndefined(subfolder) ?? '',
        type: textOrUndefined(type) ?? 'output',
      })
    }
  }
  return undefined
}

async function upload(base: string, { bytes, mime }: InputImage, apiKey: string | undefined, signal: AbortSignal) {
  const fileName = `lagoon-${hex(16)}.${mime === 'image/png' ? 'png' : 'jpg'}`
  const { contentType, body } = multipart([['type', 'temp']], [{ name: 'image', bytes, fileName, type: mime }])
  const response = await fetch(`${base}/upload/image`, {
    method: 'POST',
    headers: { 'content-type': contentType, ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }) },
    body: new Uint8Array(body),
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(UPLOAD_MS)]),
  }).catch((cause: unknown) => {
    if (signal.aborted) throw signal.reason
    throw new EngineError('offline', 'The model cannot be reached at the moment. Try again later.', { cause })
  })
  const reply: unknown = await response.json().catch(() => undefined)
  const name = response.ok && isWireObject(reply) ? textOrUndefined(reply.name) : undefined
  if (name === undefined) throw garbageError(new Error(`The server accepted no image: ${response.status}`))
  return `${name} [temp]`
}

async function forget(calls: JobCalls, base: string, id: string): Promise<void> {
  const late = AbortSignal.timeout(FORGET_MS)
  const body = { delete: [id] }
  for (const path of ['queue', 'history']) {
    await calls.json({ method: 'POST', url: `${base}/${path}`, body }, late).catch(() => undefined)
  }
}

/**
 * A graph of ComfyUI in its API form: nodes by id; an input is a value, or a node's id and the number of its output.
 */
type Graph = Record<string, { class_type: string; inputs: Record<string, unknown> }>

const DEFAULTS = { steps: 20, cfg: 7, sampler_name: 'euler', scheduler: 'normal' }
const EDIT_STRENGTH = 0.65
const MAX_SEED = 2 ** 48

function paintGraph({ model, prompt, negativePrompt, width, height, ...more }: PaintRequest): Graph {
  return {
    ...texts(model, prompt, negativePrompt),
    latent: { class_type: 'EmptyLatentImage', inputs: { width, height, batch_size: 1 } },
    ...sampling({ steps: more.steps, cfg: more.cfgScale, seed: more.seed, denoise: 1 }),
  }
}

function repaintGraph({ model, prompt, images, size }: EditRequest, file: string): Graph {
  const hasHole = (images[0]?.clearShare ?? 0) > 0
  const scaled = size && {
    class_type: 'ImageScale',
    inputs: { image: ['load', 0], upscale_method: 'lanczos', crop: 'center', ...size },
  }
  const pixels = scaled ? ['scaled', 0] : ['load', 0]
  return {
    ...texts(model, prompt, undefined),
    load: { class_type: 'LoadImage', inputs: { image: file } },
    ...(scaled && { scaled }),
    latent: hasHole
      ? {
          class_type: 'VAEEncodeForInpaint',
          inputs: { pixels, vae: ['checkpoint', 2], mask: ['load', 1], grow_mask_by: 6 },
        }
      : { class_type: 'VAEEncode', inputs: { pixels, vae: ['checkpoint', 2] } },
    ...sampling({ denoise: hasHole ? 1 : EDIT_STRENGTH }),
  }
}

function upscaleGraph(request: { model: string; file: string; width: number; height: number }): Graph {
  const { model, file, width, height } = request
  return {
    load: { class_type: 'LoadImage', inputs: { image: file } },
    enlarger: { class_type: 'UpscaleModelLoader', inputs: { model_name: model } },
    large: { class_type: 'ImageUpscaleWithModel', inputs: { upscale_model: ['enlarger', 0], image: ['load', 0] } },
    scaled: {
      class_type: 'ImageScale',
      inputs: { image: ['large', 0], upscale_method: 'lanczos', crop: 'disabled', width, height },
    },
    save: save('scaled'),
  }
}

function texts(model: string, prompt: string, negativePrompt = ''): Graph {
  const encoded = (text: string) => ({ class_type: 'CLIPTextEncode', inputs: { text, clip: ['checkpoint', 1] } })
  return {
    checkpoint: { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: model } },
    positive: encoded(prompt),
    negative: encoded(negativePrompt),
  }
}

function sampling(given: { steps?: number; cfg?: number; seed?: number; denoise: number }): Graph {
  const { steps = DEFAULTS.steps, cfg = DEFAULTS.cfg, seed = Math.floor(Math.random() * MAX_SEED), denoise } = given
  const inputs = {
    ...DEFAULTS,
    steps,
    cfg,
    // The server knows no negative seeds.
    seed: seed < 0 ? MAX_SEED + seed : seed,
    denoise,
    model: ['checkpoint', 0],
    positive: ['positive', 0],
    negative: ['negative', 0],
    latent_image: ['latent', 0],
  }
  return {
    sampler: { class_type: 'KSampler', inputs },
    decoded: { class_type: 'VAEDecode', inputs: { samples: ['sampler', 0], vae: ['checkpoint', 2] } },
    save: save('decoded'),
  }
}

const save = (node: string) => ({ class_type: 'PreviewImage', inputs: { images: [node, 0] } })
