import type { EditRequest, PaintRequest } from '@/lib/services/engines/engine'

/** A graph of ComfyUI in its API form: nodes by id; an input is a value, or a node's id and the number of its output. */
export type Graph = Record<string, { class_type: string; inputs: Record<string, unknown> }>

const DEFAULTS = { steps: 20, cfg: 7, sampler_name: 'euler', scheduler: 'normal' }
const EDIT_STRENGTH = 0.65
const MAX_SEED = 2 ** 48

/** Text to picture, with the nodes that every installation has. */
export function paintGraph({ model, prompt, negativePrompt, width, height, ...more }: PaintRequest): Graph {
  return {
    ...texts(model, prompt, negativePrompt),
    latent: { class_type: 'EmptyLatentImage', inputs: { width, height, batch_size: 1 } },
    ...sampling({ steps: more.steps, cfg: more.cfgScale, seed: more.seed, denoise: 1 }),
  }
}

/** A picture painted over: what is see-through anew, or else all of it with its outlines kept. */
export function repaintGraph({ model, prompt, images, size }: EditRequest, file: string): Graph {
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

/** Enlarges by the enlarger's own factor, and scales what it made to the size that was asked for. */
export function upscaleGraph(request: { model: string; file: string; width: number; height: number }): Graph {
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

/** As a file of the kind that the server throws away itself. */
const save = (node: string) => ({ class_type: 'PreviewImage', inputs: { images: [node, 0] } })
