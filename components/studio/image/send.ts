import { imageSettings } from '@/components/studio/image/settings'
import type { Delivered, Sender, SendOptions } from '@/components/studio/sender'
import { API_ROOT, asReply, errorOf, postJson } from '@/lib/browser/api'
import type { ContentFacts, Generation } from '@/lib/browser/storage/generations'
import { ApiError } from '@/lib/contract/errors'
import type { GenerateResponse } from '@/lib/contract/images.schema'
import { t } from '@/lib/i18n/t'

/** Names of the wire. Source: API contract, images.md. */

const DEFAULT_FORMAT = 'webp'
// An edit needs a prompt, also where only what was erased is to be filled. Read by the model, so in English.
const FILL_PROMPT = 'Fill the transparent part with what fits around it.'

export const sendGenerate: Sender = async (generation, _inputs, { signal, headers }) => {
  const { modelId, prompt } = generation
  const settings = imageSettings(generation.settings)
  const format = settings.format ?? DEFAULT_FORMAT
  const body = {
    model: modelId,
    prompt,
    negative_prompt: settings.negativePrompt,
    width: settings.width,
    height: settings.height,
    aspect_ratio: settings.ratio,
    resolution: settings.resolution,
    quality: settings.quality,
    steps: settings.steps,
    cfg_scale: settings.cfgScale,
    seed: settings.seed,
    variants: settings.variants,
    format,
    style_preset: settings.style,
    safe_mode: !settings.isSafeModeOff,
    enhance_prompt: settings.rewritesPrompt,
  }
  const response = await postJson(`${API_ROOT}/image/generate`, body, signal, headers)
  const { images = [] } = asReply<GenerateResponse>(await response.json())
  const files = await Promise.all(
    images.map((image) => imageOf(blobOfBase64(image, `image/${format}`), generationName(generation))),
  )
  if (files.length === 0) throw new ApiError('INFERENCE_FAILED', t('The service returned no image.'))
  return delivered(files, response)
}

export const sendEdit: Sender = (generation, inputs, options) =>
  sendForm('image/edit', editForm(generation, inputs, 'image'), generation, options)

export const sendMultiEdit: Sender = (generation, inputs, options) =>
  sendForm('image/multi-edit', editForm(generation, inputs, 'images'), generation, options)

export const sendUpscale: Sender = (generation, inputs, options) => {
  const { factor = 2 } = imageSettings(generation.settings)
  const form = formOf(inputs, 'image', { model: generation.modelId, scale: factor })
  return sendForm('image/upscale', form, generation, options)
}

export const sendBackgroundRemove: Sender = (generation, inputs, options) =>
  sendForm('image/background-remove', formOf(inputs, 'image', {}), generation, options)

function editForm(generation: Generation, inputs: readonly Blob[], part: 'image' | 'images'): FormData {
  const settings = imageSettings(generation.settings)
  return formOf(inputs, part, {
    model: generation.modelId,
    prompt: generation.prompt || FILL_PROMPT,
    aspect_ratio: settings.ratio,
    resolution: settings.resolution,
    quality: settings.quality,
    output_format: settings.format,
    safe_mode: !settings.isSafeModeOff,
    enhance_prompt: settings.rewritesPrompt,
  })
}

type Fields = Readonly<Record<string, string | number | boolean | undefined>>

function formOf(files: readonly Blob[], part: string, fields: Fields): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined && value !== '') form.append(name, String(value))
  }
  files.forEach((file, at) => {
    form.append(part, file, `${part}-${at + 1}`)
  })
  return form
}

/** @throws ApiError when the service refuses. */
async function sendForm(
  path: string,
  form: FormData,
  generation: Generation,
  { signal, headers }: SendOptions,
): Promise<Delivered> {
  const response = await fetch(`${API_ROOT}/${path}`, { method: 'POST', headers, body: form, signal })
  if (!response.ok) throw await errorOf(response)
  return delivered([await imageOf(await response.blob(), generationName(generation))], response)
}

function delivered(files: Delivered['files'], { headers }: Response): Delivered {
  return {
    files,
    content: contentOf(headers),
    modelName: headers.get('x-service-model-name') ?? undefined,
  }
}

export function contentOf(headers: Headers): ContentFacts | undefined {
  const is = (name: string) => headers.get(name) === 'true' || undefined
  const enhanced = headers.get('x-service-enhanced-prompt')
  const facts: ContentFacts = {
    isBlurred: is('x-service-is-blurred'),
    isViolation: is('x-service-is-content-violation'),
    isAdultViolation: is('x-service-is-adult-model-content-violation'),
    hasMinor: is('x-service-contains-minor'),
    enhancedPrompt: enhanced ? decoded(enhanced) : undefined,
  }
  return Object.values(facts).some((fact) => fact !== undefined) ? facts : undefined
}

// A header may be cut; one that cannot be decoded stays as it is.
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

async function imageOf(data: Blob, name: string): Promise<Delivered['files'][number]> {
  const bitmap = await globalThis.createImageBitmap?.(data).catch(() => undefined)
  if (!bitmap) return { data, name }
  const { width, height } = bitmap
  bitmap.close()
  return { data, name, width, height }
}

function blobOfBase64(base64: string, type: string): Blob {
  return new Blob([Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))], { type })
}

const NAME_CHARS = 60

function generationName({ prompt, inputs, task, settings }: Generation): string {
  const name = prompt.trim().slice(0, NAME_CHARS)
  const from = inputs[0]?.name.replace(/\.\w{1,5}$/, '') ?? ''
  return name || `${from} ${task === 'upscale' ? `${imageSettings(settings).factor ?? 2}x` : 'cut out'}`.trim()
}
