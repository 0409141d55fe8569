import 'server-only'
import { z } from 'zod'
import {
  MAX_GENERATED_SECONDS,
  MAX_UPSTREAM_MODEL_CHARS,
  type OfferedModel,
  type ProviderVideo,
} from '@/lib/contract/providers'
import { ASPECT_RATIOS, RESOLUTIONS } from '@/lib/contract/video.schema'

/** Names of models that make videos, where a list has names only. */
export const FILMS =
  /\bsora\b|\bveo-|hunyuan-?video|ltx-?video|cogvideo|mochi-\d|\bkling|seedance|hailuo|\b(t|i|ti)2v\b|-to-video|video-diffusion/i

/** Source: platform.openai.com/docs/guides/video-generation. */
const SORA: ProviderVideo = { seconds: [4, 8, 12], aspectRatios: ['16:9', '9:16'], audio: 'always' }

/** Tells what the name of a video model says of it. */
export function videoOf(id: string): ProviderVideo {
  if (/\bsora-2\b/i.test(id)) return SORA
  if (/\bi2v\b|image-to-video/i.test(id)) return { modelType: 'image-to-video' }
  return /\bt2v\b|text-to-video/i.test(id) ? { modelType: 'text-to-video' } : {}
}

const Property = z.record(z.string(), z.unknown())
const InputSchema = z.object({
  properties: z.record(z.string(), Property),
  required: z.array(z.string()).optional().catch(undefined),
})
type InputSchema = z.output<typeof InputSchema>

const Schemas = z.record(z.string(), z.unknown())
const PredictionModel = z.object({
  owner: z.string().regex(/^[\w.-]+$/),
  name: z.string().regex(/^[\w.-]+$/),
  is_official: z.boolean().optional().catch(undefined),
  latest_version: z
    .object({
      id: z.string().optional().catch(undefined),
      created_at: z.string().optional().catch(undefined),
      openapi_schema: z
        .object({ components: z.object({ schemas: Schemas }) })
        .optional()
        .catch(undefined),
    })
    .nullish()
    .catch(undefined),
})

/** Other names that models have for the fields of a video, the usual one first. */
const LENGTH_NAMES = ['duration', 'seconds']
const IMAGE_NAMES = ['image', 'start_image', 'first_frame_image', 'input_image', 'input_reference']
const LAST_IMAGE_NAMES = ['last_frame_image', 'end_image', 'last_frame', 'last_image']

/**
 * Reads a video model of a predictions-style list, which has the schema of its input. One whose length cannot be chosen
 * is left out: its price could not be told.
 */
export function readPrediction(value: unknown): OfferedModel | 'omitted' | undefined {
  const model = PredictionModel.safeParse(value).data
  if (model === undefined) return undefined
  const { owner, name, is_official: isOfficial, latest_version: version } = model
  const schemas = version?.openapi_schema?.components.schemas ?? {}
  const input = InputSchema.safeParse(schemas.Input).data
  const video = input && videoOfSchema(input, schemas)
  const plain = `${owner}/${name}`
  // Only official models can be named without their version.
  const upstreamModel = isOfficial === false && version?.id !== undefined ? `${plain}:${version.id}` : plain
  if ((input && !video) || upstreamModel.length > MAX_UPSTREAM_MODEL_CHARS) return 'omitted'
  return { upstreamModel, name: plain, type: 'video', created: secondsOf(version?.created_at), video: video ?? {} }
}

function videoOfSchema(input: InputSchema, schemas: z.output<typeof Schemas>): ProviderVideo | undefined {
  const { properties, required = [] } = input
  const nameAmong = (names: string[]) => names.find((name) => Object.hasOwn(properties, name))
  const optionsOf = (name: string) => optionsIn(properties[name], schemas)
  const length = nameAmong(LENGTH_NAMES)
  const seconds = length === undefined ? [] : secondsIn(optionsOf(length), properties[length] ?? {})
  if (length === undefined || seconds.length === 0) return undefined
  const image = nameAmong(IMAGE_NAMES)
  const isImageNeeded = image !== undefined && required.includes(image)
  const names = { duration: length, image_url: image, end_image_url: nameAmong(LAST_IMAGE_NAMES) }
  const usual = [LENGTH_NAMES[0], IMAGE_NAMES[0], LAST_IMAGE_NAMES[0]]
  const differing = Object.entries(names).filter(([, name]) => name !== undefined && !usual.includes(name))
  const known = (allowed: readonly string[], options: unknown[]) =>
    options.filter((one): one is string => typeof one === 'string' && allowed.includes(one))
  return {
    ...(isImageNeeded && { modelType: 'image-to-video' as const }),
    ...(image === undefined && { modelType: 'text-to-video' as const }),
    seconds,
    aspectRatios: known(ASPECT_RATIOS, optionsOf('aspect_ratio')),
    resolutions: known(RESOLUTIONS, optionsOf('resolution')),
    ...(Object.hasOwn(properties, 'generate_audio') && { audio: 'optional' as const }),
    ...(differing.length > 0 && { inputNames: Object.fromEntries(differing) as Record<string, string> }),
  }
}

const REFERENCE = '#/components/schemas/'

/** The values of a property, which stand in it or in a schema that it refers to. */
function optionsIn(property: Record<string, unknown> | undefined, schemas: z.output<typeof Schemas>): unknown[] {
  if (property === undefined) return []
  if (Array.isArray(property.enum)) return property.enum
  const [first] = Array.isArray(property.allOf) ? property.allOf : [property]
  const reference = Property.safeParse(first).data?.$ref
  if (typeof reference !== 'string' || !reference.startsWith(REFERENCE)) return []
  const options = Property.safeParse(schemas[reference.slice(REFERENCE.length)]).data?.enum
  return Array.isArray(options) ? options : []
}

function secondsIn(options: unknown[], { minimum, maximum }: Record<string, unknown>): number[] {
  const isLength = (value: unknown): value is number =>
    Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_GENERATED_SECONDS
  const all = Array.from({ length: MAX_GENERATED_SECONDS }, (_, index) => index + 1)
  if (options.length > 0) return all.filter((length) => options.filter(isLength).includes(length))
  if (typeof minimum !== 'number' || typeof maximum !== 'number') return []
  return all.filter((length) => length >= minimum && length <= maximum)
}

/** Reads a date as a Unix time. */
export function secondsOf(date: string | undefined): number | undefined {
  const seconds = Math.floor(Date.parse(date ?? '') / 1_000)
  return seconds > 0 ? seconds : undefined
}
