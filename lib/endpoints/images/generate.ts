import 'server-only'
import { ApiError, invalidField } from '@/lib/contract/errors'
import {
  type GenerateRequest,
  type GenerateResponse,
  type GenerationsRequest,
  type PictureFormat,
  styled,
} from '@/lib/contract/images.schema'
import { MAX_GENERATED_SIDE, MIN_GENERATED_SIDE } from '@/lib/contract/limits'
import { type Enhancement, enhanced, enhancementFor, enhancementLines } from '@/lib/endpoints/images/enhance-prompt'
import { blackImage, type ImageFile, withinDeadline, writeImage } from '@/lib/endpoints/images/image-io'
import { nearestRatio, ratioOf, type Size, sizeOfRatio, sizeWithin } from '@/lib/endpoints/images/sizes'
import { type Caller, type RequestContext, requestIdOf } from '@/lib/kernel/request-context'
import type { Quote } from '@/lib/pipeline/metered'
import { instanceHeader, jsonReply, type Reply } from '@/lib/pipeline/reply'
import { EngineError, type PaintRequest } from '@/lib/services/engines/engine'
import { imageEngineOf } from '@/lib/services/engines/registry'
import { type Meter, type PricedUnits, priceOf } from '@/lib/services/ledger/meter'
import { dataUrlOf } from '@/lib/services/media/data-url'
import type { MemoryReservation } from '@/lib/services/media/memory-budget'
import type { Model } from '@/lib/services/models/model'
import { resolveModel } from '@/lib/services/models/resolve'
import { type ImagePart, imageRate, type Quality } from '@/lib/services/models/type-parts'

const DEFAULT_SIDE = 1_024

export type GenerateWork = {
  requestId: string
  model: Model
  /** Without the words of a style. */
  paint: Omit<PaintRequest, 'model'>
  style?: string
  variants: number
  format: PictureFormat
  lines: (images: number) => PricedUnits[]
  enhancement?: Enhancement
  describes: boolean
  isBinary: boolean
  /** The request as it came, for the reply that repeats it. */
  request: unknown
  createdAt: number
}

export function quoteGenerate(body: GenerateRequest, caller: Caller, context: RequestContext): Quote<GenerateWork> {
  const model = resolveModel(body.model, { type: 'image', caller, context })
  // Every model of the type has it.
  const can = model.image as ImagePart
  assertPrompt(body.prompt, can, model, 'prompt')
  assertPrompt(body.negative_prompt ?? '', can, model, 'negative_prompt')
  if (body.style_references?.length) throw invalidField(['style_references'], `cannot be used with ${model.id}`)
  const { resolution, ...size } = sizeFor(body, can, model)
  const quality = qualityOf(body.quality, can, model)
  return quoted(caller, context, {
    model,
    tier: { resolution, quality },
    paint: {
      ...size,
      prompt: body.prompt,
      negativePrompt: body.negative_prompt,
      quality,
      steps: stepsOf(body.steps, can, model),
      cfgScale: body.cfg_scale,
      seed: body.seed,
      isSafe: body.safe_mode,
    },
    style: body.style_preset,
    variants: body.variants ?? body.n ?? 1,
    format: body.format,
    enhancement: body.enhance_prompt ? enhancementFor(caller) : undefined,
    describes: body.embed_exif_metadata,
    isBinary: body.return_binary,
    request: body,
  })
}

type Wanted = Omit<GenerateWork, 'requestId' | 'lines' | 'createdAt'> & {
  tier: { resolution?: string; quality?: Quality }
}

function quoted(caller: Caller, context: RequestContext, { tier, ...wanted }: Wanted): Quote<GenerateWork> {
  const { model, variants, enhancement } = wanted
  const rate = imageRate(model.image?.prices, tier)
  const lines = (images: number): PricedUnits[] =>
    rate ? [{ sku: `${model.id}-image-unit`, units: images, price: rate }] : []
  const requestId = requestIdOf(context, caller, 'generate-image')
  const work = { ...wanted, requestId, lines, createdAt: context.startedAt }
  const amount = priceOf([...lines(variants), ...(enhancement ? enhancementLines() : [])])
  return { requestId, model, amount, work }
}

export function assertPrompt(text: string, can: { promptCharacterLimit: number }, { id }: Model, field: string): void {
  const max = can.promptCharacterLimit
  if (text.length > max) throw invalidField([field], `must be at most ${max} characters for ${id}`)
}

// Returns pixels, and the resolution that they are priced by.
function sizeFor(body: GenerateRequest, can: ImagePart, model: Model): Size & { resolution?: string } {
  const { id } = model
  const { aspectRatios = [], resolutions = [], widthHeightDivisor: divisor } = can
  const { aspect_ratio: name, resolution = can.defaultResolution ?? resolutions[0] } = body
  if (resolution !== undefined && !resolutions.includes(resolution)) {
    const those = resolutions.length > 0 ? `use one of ${resolutions.join(', ')}` : 'set width and height instead'
    throw invalidField(['resolution'], `is not supported by ${id}; ${those}`)
  }
  const ratio = name === undefined ? undefined : ratioOf(name)
  if (aspectRatios.length > 0) {
    const chosen = name ?? can.defaultAspectRatio ?? (aspectRatios[0] as string)
    assertOffered('aspect_ratio', chosen, aspectRatios, model)
    return { ...sizeOfRatio(ratioOf(chosen) ?? 1, resolution), resolution }
  }
  if (name !== undefined && ratio === undefined) {
    throw invalidField(['aspect_ratio'], 'must be a ratio such as 16:9, of at most 8:1')
  }
  if (ratio !== undefined && body.width === undefined && body.height === undefined) {
    return { ...sizeWithin(ratio, MAX_GENERATED_SIDE, divisor), resolution }
  }
  const { width = DEFAULT_SIDE, height = DEFAULT_SIDE } = body
  for (const [field, length] of Object.entries({ width, height })) {
    if (length % divisor !== 0) throw invalidField([field], `must be a multiple of ${divisor} for ${id}`)
    if (length < MIN_GENERATED_SIDE) throw invalidField([field], `must be at least ${MIN_GENERATED_SIDE} for ${id}`)
  }
  return { width, height, resolution }
}

// Returns the size of a model that comes nearest.
function nearestSize(wanted: Size, can: ImagePart): Size & { resolution?: string } {
  const { aspectRatios = [], resolutions = [], widthHeightDivisor: divisor } = can
  const resolution = can.defaultResolution ?? resolutions[0]
  const name = nearestRatio(aspectRatios, wanted)
  if (name !== undefined) return { ...sizeOfRatio(ratioOf(name) ?? 1, resolution), resolution }
  const longest = Math.min(MAX_GENERATED_SIDE, Math.max(wanted.width, wanted.height))
  return { ...sizeWithin(wanted.width / wanted.height, longest, divisor), resolution }
}

/** @throws ApiError INVALID_REQUEST for a choice that a model does not have. */
export function assertOffered(field: string, choice: string, options: readonly string[], { id }: Model): void {
  if (!options.includes(choice)) {
    throw invalidField([field], `is not supported by ${id}; use one of ${options.join(', ')}`)
  }
}

/** Without qualities the field could change nothing. */
export function qualityOf(
  asked: Quality | undefined,
  { qualities = [], defaultQuality }: Pick<ImagePart, 'qualities' | 'defaultQuality'>,
  model: Model,
): Quality | undefined {
  if (qualities.length === 0) return undefined
  if (asked !== undefined) assertOffered('quality', asked, qualities, model)
  return asked ?? defaultQuality
}

function stepsOf(asked: number | undefined, { steps }: ImagePart, { id }: Model): number | undefined {
  if (steps.max === 1) return undefined
  if (asked === undefined) return steps.default
  if (asked <= steps.max) return asked
  throw invalidField(['steps'], `must be at most ${steps.max} for ${id}`)
}

const AUTO = '1024x1024'

/** Maps a request of the OpenAI convention to the same work. */
export function quoteGenerations(
  body: GenerationsRequest,
  caller: Caller,
  context: RequestContext,
): Quote<GenerateWork> {
  const model = named(body.model, caller, context)
  const can = model.image as ImagePart
  assertPrompt(body.prompt, can, model, 'prompt')
  const { size } = body
  const [width, height] = (size && size !== 'auto' ? size : AUTO).split('x').map(Number) as [number, number]
  const { resolution, ...nearest } = nearestSize({ width, height }, can)
  const quality = can.qualities?.length ? can.defaultQuality : undefined
  return quoted(caller, context, {
    model,
    tier: { resolution, quality },
    paint: {
      ...nearest,
      prompt: body.prompt,
      quality,
      steps: can.steps.max === 1 ? undefined : can.steps.default,
      isSafe: body.moderation !== 'low',
    },
    variants: 1,
    format: body.output_format,
    describes: false,
    isBinary: false,
    request: body,
  })
}

// An unknown name stands for the default: common clients name models of other services.
function named(name: string, caller: Caller, context: RequestContext): Model {
  try {
    return resolveModel(name, { type: 'image', caller, context })
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'MODEL_NOT_FOUND') throw error
    return resolveModel('default', { type: 'image', caller, context })
  }
}

// As an engine sends an image, as it goes out, and as text.
const COPIES = 4

// A blocked image is a black one.
type Made = ImageFile & { isBlocked: boolean }

export type Generated = {
  pictures: Made[]
  enhancedPrompt?: string
  /** Milliseconds. */
  timing: { preprocessing: number; inference: number }
}

/** Generates the images. Each that is delivered is charged; a blocked one, or one that failed beside others, is not. */
export function runGenerate(
  work: GenerateWork,
  meter: Meter,
  _context: RequestContext,
  signal: AbortSignal,
): Promise<Generated> {
  const wording = { noun: 'The image', code: 'INFERENCE_FAILED' } as const
  return withinDeadline(meter, signal, wording, async (limited, memory) => {
    const { prompt } = work.paint
    const enhancedPrompt = work.enhancement && (await enhanced(work.enhancement, prompt, limited))
    const styledPrompt = styled(enhancedPrompt ?? prompt, work.paint.negativePrompt, work.style)
    const beganAt = performance.now()
    const tries = await Promise.allSettled(
      Array.from({ length: work.variants }, (_, variant) => makeOne(work, styledPrompt, variant, memory, limited)),
    )
    const images = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    for (const one of tries) if (images.length === 0 && one.status === 'rejected') throw one.reason
    const shown = images.filter(({ isBlocked }) => !isBlocked).length
    meter.readWith(() => {
      if (shown === 0) return undefined
      const lines = [...work.lines(shown), ...(enhancedPrompt === undefined ? [] : enhancementLines())]
      return { lines, modelId: work.model.id, modelType: 'IMAGE' }
    })
    const timing = { preprocessing: beganAt - work.createdAt, inference: performance.now() - beganAt }
    return { pictures: images, enhancedPrompt, timing }
  })
}

type PromptPair = { prompt: string; negativePrompt?: string }

async function makeOne(
  work: GenerateWork,
  styledPrompt: PromptPair,
  variant: number,
  memory: MemoryReservation,
  signal: AbortSignal,
): Promise<Made> {
  const { model, paint, format, describes } = work
  try {
    // The others would be the same picture again.
    const seed = variant === 0 ? paint.seed : undefined
    const bytes = await imageEngineOf(model.engine).paint(
      { ...paint, ...styledPrompt, seed, model: model.upstreamModel },
      signal,
    )
    memory.reserve(bytes.length * COPIES)
    const description = describes ? JSON.stringify({ prompt: paint.prompt, model: model.id, seed }) : undefined
    return { ...(await writeImage(bytes, { format, description }, signal)), isBlocked: false }
  } catch (error) {
    if (!(error instanceof EngineError) || error.reason !== 'content-policy') throw error
    return { ...(await blackImage(paint, format, signal)), isBlocked: true }
  }
}

const MAX_HEADER_CHARS = 6_000

/** Renders JSON, or the one image as a file. Source: API contract, images.md. */
export async function renderGenerate(output: Promise<Generated>, work: GenerateWork): Promise<Reply> {
  const made = await output
  const headers = headersOf(made)
  const [first] = made.pictures as [Made]
  if (work.isBinary) return { body: new Uint8Array(first.bytes), contentType: first.mime, headers }
  const { preprocessing, inference } = made.timing
  const reply: GenerateResponse = {
    id: work.requestId,
    images: made.pictures.map(({ bytes }) => base64(bytes)),
    timing: {
      inferenceDuration: Math.round(inference),
      inferencePreprocessingTime: Math.round(preprocessing),
      // Nothing waits here before it is sent to its model; a queue of the model's own counts as its work.
      inferenceQueueTime: 0,
      total: Math.round(inference) + Math.round(preprocessing),
    },
    request: work.request,
  }
  return jsonReply(reply, { headers, isCompressible: true })
}

/** Source: API contract, images.md. */
export async function renderGenerations(output: Promise<Generated>, work: GenerateWork): Promise<Reply> {
  const made = await output
  const { response_format: form } = work.request as GenerationsRequest
  const data = made.pictures.map(({ bytes, mime }) =>
    form === 'url' ? { url: dataUrlOf({ bytes, mime }) } : { b64_json: base64(bytes) },
  )
  const body = { created: Math.floor(Date.now() / 1000), data }
  return jsonReply(body, { headers: headersOf(made), isCompressible: true })
}

function headersOf({ pictures: images, enhancedPrompt }: Generated): Record<string, string> {
  return {
    'x-service-is-blurred': 'false',
    'x-service-is-content-violation': String(images.some(({ isBlocked }) => isBlocked)),
    'x-service-is-adult-model-content-violation': 'false',
    ...instanceHeader(),
    ...enhancedHeader(enhancedPrompt),
  }
}

/** Encodes as much of the rewritten prompt as a header holds. */
export function enhancedHeader(prompt: string | undefined): Record<string, string> {
  if (prompt === undefined) return {}
  let cut = ''
  // A half of a pair, which a model may write, cannot be encoded; a cut within a character could not be read.
  for (const character of prompt.toWellFormed()) {
    const encoded = encodeURIComponent(character)
    if (cut.length + encoded.length > MAX_HEADER_CHARS) break
    cut += encoded
  }
  return { 'x-service-enhanced-prompt': cut }
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')
