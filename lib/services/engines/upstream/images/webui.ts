import 'server-only'
import type { ImageEngine, InputImage } from '@/lib/services/engines/engine'
import { cannot, imageOf, jsonPost, MAX_IMAGE_REPLY_BYTES, objectOf } from '@/lib/services/engines/upstream/bodies'
import type { UpstreamClient } from '@/lib/services/engines/upstream/http-client'

const STRENGTH = { edit: 0.65, fill: 1 }
const MIN_HOLE = 0.0005
const FILL_WITH_NOISE = 2

/**
 * Makes pictures on a Stable Diffusion WebUI, or a compatible server, by its `/sdapi/v1`. A model's `upstreamModel` is
 * the name of a checkpoint, of an upscaler for models that enlarge, or of a model of the `rembg` extension.
 */
export function webuiImageEngine(calls: UpstreamClient): ImageEngine {
  const ask = async (path: string, body: object, signal: AbortSignal) =>
    objectOf(await calls.post(jsonPost(path, body, MAX_IMAGE_REPLY_BYTES), signal))
  const first = ({ images }: { images?: unknown }) => imageOf(Array.isArray(images) ? images[0] : undefined)
  return {
    async paint({ model, prompt, negativePrompt, width, height, steps, cfgScale, seed }, signal) {
      const body = {
        ...common(model, prompt),
        negative_prompt: negativePrompt,
        width,
        height,
        steps,
        cfg_scale: cfgScale,
      }
      return first(await ask('/sdapi/v1/txt2img', { ...body, seed: seed ?? -1 }, signal))
    },
    async edit({ model, prompt, images, size }, signal) {
      const [image, ...others] = images as [InputImage, ...InputImage[]]
      if (others.length > 0) return cannot('combine images')
      const hasHole = image.clearShare > MIN_HOLE
      const body = {
        ...common(model, prompt),
        width: size?.width ?? image.width,
        height: size?.height ?? image.height,
        init_images: [base64(image)],
        denoising_strength: hasHole ? STRENGTH.fill : STRENGTH.edit,
        // Of a mask with transparency the server takes that, clear as black; what is black is to be painted here.
        ...(hasHole && { inpainting_fill: FILL_WITH_NOISE, mask: base64(image), inpainting_mask_invert: 1 }),
        seed: -1,
      }
      return first(await ask('/sdapi/v1/img2img', body, signal))
    },
    async upscale({ model, image, factor }, signal) {
      const body = { image: base64(image), upscaling_resize: factor, upscaler_1: model }
      return imageOf((await ask('/sdapi/v1/extra-single-image', body, signal)).image)
    },
    async cutOut({ model, image }, signal) {
      return imageOf((await ask('/rembg', { input_image: base64(image), model }, signal)).image)
    },
  }
}

function common(model: string, prompt: string) {
  return {
    prompt,
    batch_size: 1,
    n_iter: 1,
    send_images: true,
    save_images: false,
    override_settings: { sd_model_checkpoint: model },
    override_settings_restore_afterwards: false,
  }
}

const base64 = ({ bytes }: InputImage) => Buffer.from(bytes).toString('base64')
