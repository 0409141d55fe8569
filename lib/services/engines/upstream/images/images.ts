import 'server-only'
import { safeFetch } from '@/lib/kernel/safe-fetch/safe-fetch'
import type { ImageEngine, InputImage } from '@/lib/services/engines/engine'
import { imageOf, jsonPost, MAX_IMAGE_REPLY_BYTES, multipart, objectOf } from '@/lib/services/engines/upstream/bodies'
import { garbageError, UpstreamError } from '@/lib/services/engines/upstream/failures'
import type { UpstreamClient } from '@/lib/services/engines/upstream/http-client'
import { isWireObject } from '@/lib/services/engines/upstream/wire-value'

const MAX_FETCHED_BYTES = 48_000_000

/**
 * Makes pictures on an OpenAI-compatible server. Uncommon fields are sent first, and left out in a second try where the
 * server refuses them. Upscaling and background removal are asked for as this service's own API has them.
 */
export function upstreamImageEngine(calls: UpstreamClient): ImageEngine {
  const json = (path: string, body: object, accept?: string) => jsonPost(path, body, MAX_IMAGE_REPLY_BYTES, accept)
  return {
    async paint({ model, prompt, width, height, quality, isSafe, ...more }, signal) {
      const plain = { model, prompt, n: 1, size: `${width}x${height}`, quality }
      const full = {
        ...plain,
        response_format: 'b64_json',
        negative_prompt: more.negativePrompt,
        steps: more.steps,
        cfg_scale: more.cfgScale,
        seed: more.seed,
        moderation: isSafe ? undefined : 'low',
      }
      const ask = async (body: object) => calls.post(json('/images/generations', body), signal)
      return imageIn(
        await orPlain(
          () => ask(full),
          () => ask(plain),
        ),
        signal,
      )
    },
    async edit({ model, prompt, images, size, quality }, signal) {
      const plain: [string, string][] = [
        ['model', model],
        ['prompt', prompt],
        ['n', '1'],
        ...(size ? [['size', `${size.width}x${size.height}`] as [string, string]] : []),
        ...(quality ? [['quality', quality] as [string, string]] : []),
      ]
      const ask = async (fields: [string, string][]) => {
        const form = multipart(fields, filesOf(images))
        const accept = 'application/json'
        return calls.post({ path: '/images/edits', accept, maxReplyBytes: MAX_IMAGE_REPLY_BYTES, ...form }, signal)
      }
      const reply = await orPlain(
        () => ask([...plain, ['response_format', 'b64_json']]),
        () => ask(plain),
      )
      return imageIn(reply, signal)
    },
    async upscale({ model, image, factor, creativity }, signal) {
      const body = { model, image: Buffer.from(image.bytes).toString('base64'), scale: factor, creativity }
      return calls.post(json('/image/upscale', body, 'image/*'), signal)
    },
    async cutOut({ image }, signal) {
      const body = { image: Buffer.from(image.bytes).toString('base64') }
      return calls.post(json('/image/background-remove', body, 'image/*'), signal)
    },
  }
}

async function orPlain(full: () => Promise<Buffer>, plain: () => Promise<Buffer>): Promise<Buffer> {
  try {
    return await full()
  } catch (error) {
    if (error instanceof UpstreamError && error.reason === 'invalid-request') return plain()
    throw error
  }
}

function filesOf(images: InputImage[]) {
  return images.map(({ bytes, mime }, index) => ({
    // One picture is sent as every server knows it, several as those do that take several.
    name: images.length === 1 ? 'image' : 'image[]',
    bytes,
    fileName: `image-${index + 1}.${mime === 'image/png' ? 'png' : 'jpg'}`,
    type: mime,
  }))
}

async function imageIn(reply: Buffer, signal: AbortSignal): Promise<Uint8Array> {
  const { data } = objectOf(reply)
  const first: unknown = Array.isArray(data) ? data[0] : undefined
  if (!isWireObject(first)) throw garbageError(new Error('The reply has no image'))
  const { b64_json: inline, url } = first
  if (typeof inline === 'string' && inline !== '') return imageOf(inline)
  if (typeof url !== 'string') throw garbageError(new Error('The reply has no image'))
  if (/^data:/i.test(url)) return imageOf(url)
  const fetched = await safeFetch(url, { maxBytes: MAX_FETCHED_BYTES, signal }).catch((error: unknown) => {
    throw signal.aborted ? signal.reason : garbageError(error)
  })
  return fetched.bytes
}
