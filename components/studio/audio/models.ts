import { queryOptions } from '@tanstack/react-query'
import { API_ROOT, fetchJson, isRecord, text } from '@/lib/browser/api'
import { type Availability, availabilityOf } from '@/lib/browser/availability'
import { MAX_SPEED, MIN_SPEED } from '@/lib/contract/limits'
import { type Price, perMillion, perUnit } from '@/lib/contract/money'

/** What is known of every model of the studio. */
export type NamedModel = Availability & {
  id: string
  name: string
  description: string
  privacy: 'private' | 'anonymized'
  isBeta: boolean
  /** ISO date after which it is gone. */
  retiresAt?: string
}

/** A model that says a text. No price: it is free. */
export type SpeechModel = NamedModel & {
  voices: string[]
  /** What it writes, its own choice first. */
  formats: string[]
  /** Of a character. */
  price?: Price
}

/** A model that writes down what is said. No price: it is free. */
export type HearingModel = NamedModel & {
  /** Of a second. */
  price?: Price
}

/** A length in seconds: one of some, or anything between two. */
type Lengths = { options: number[]; usual: number } | { least: number; most: number; usual: number }

/** A model that makes sound in the queue: music, effects, long speech. What is absent cannot be chosen. */
export type SoundModel = NamedModel & {
  prompt: { least: number; most: number }
  lyrics?: { isRequired: boolean; most?: number }
  writesLyrics: boolean
  lengths?: Lengths
  voices: string[]
  voice?: string
  speed?: { least: number; most: number; usual: number }
  canBeInstrumental: boolean
  canLoop: boolean
  takesLanguage: boolean
  /** Its price is counted in characters of the prompt. */
  isByCharacter: boolean
}

/** Source: API contract, audio.md; where a model does not say. */
const PROMPT_CHARACTERS = { least: 10, most: 10_000 }
const SPEED = { least: MIN_SPEED, most: MAX_SPEED, usual: 1 }
const FRESH_MS = 300_000

export const speechModelsQuery = () => modelListQuery('tts', speechModel)
export const hearingModelsQuery = () => modelListQuery('asr', hearingModel)
export const soundModelsQuery = () => modelListQuery('music', soundModel)

/** The models of a type: those that serve before those that do not, the service's own choice first. */
export function modelListQuery<M extends NamedModel>(
  type: 'tts' | 'asr' | 'music' | 'video',
  read: (named: NamedModel, spec: Record<string, unknown>) => M,
) {
  return queryOptions({
    queryKey: ['models', type, 'studio'],
    queryFn: async ({ signal }): Promise<M[]> =>
      modelsIn(await fetchJson<unknown>(`${API_ROOT}/models?type=${type}`, { signal }), read),
    staleTime: FRESH_MS,
  })
}

/** Reads a reply of `GET /models`; what has no id is left out. Source: API contract, models.md. */
export function modelsIn<M extends NamedModel>(
  reply: unknown,
  read: (named: NamedModel, spec: Record<string, unknown>) => M,
): M[] {
  const data = isRecord(reply) && Array.isArray(reply.data) ? reply.data : []
  const found = data.filter(isRecord).flatMap((record) => {
    const spec = isRecord(record.model_spec) ? record.model_spec : {}
    const named = namedIn(record, spec)
    return named ? [{ rank: rankOf(named, spec), model: read(named, spec) }] : []
  })
  return found.toSorted((one, other) => one.rank - other.rank).map(({ model }) => model)
}

/** The one that was chosen last while it is there, else the first that serves. */
export const chosenOf = <M extends NamedModel>(models: readonly M[], wanted: string | undefined): M | undefined =>
  models.find(({ id }) => id === wanted) ?? models[0]

function namedIn(record: Record<string, unknown>, spec: Record<string, unknown>): NamedModel | undefined {
  const id = text(record.id)
  if (id === undefined) return undefined
  const deprecation = isRecord(spec.deprecation) ? spec.deprecation : {}
  const retiresAt = text(deprecation.removesAt) ?? text(deprecation.date)
  return {
    id,
    name: text(spec.name) ?? id,
    description: text(spec.description) ?? '',
    privacy: spec.privacy === 'private' ? 'private' : 'anonymized',
    ...availabilityOf(spec),
    isBeta: spec.betaModel === true,
    ...(retiresAt && { retiresAt }),
  }
}

const rankOf = ({ isOffline }: NamedModel, spec: Record<string, unknown>): number =>
  Number(isOffline) * 2 + Number(!strings(spec.traits).includes('default'))

export function speechModel(named: NamedModel, spec: Record<string, unknown>): SpeechModel {
  const price = priceOf(spec, 'input', perMillion)
  const own = text(spec.default_format)
  return {
    ...named,
    voices: strings(spec.voices),
    formats: [...new Set([...(own ? [own] : []), ...strings(spec.supported_formats)])],
    ...(price && { price }),
  }
}

export function hearingModel(named: NamedModel, spec: Record<string, unknown>): HearingModel {
  const price = priceOf(spec, 'per_audio_second', perUnit)
  return { ...named, ...(price && { price }) }
}

export function soundModel(named: NamedModel, spec: Record<string, unknown>): SoundModel {
  const voices = strings(spec.voices)
  const voice = text(spec.default_voice) ?? voices[0]
  const lengths = lengthsOf(spec)
  const mostLyrics = count(spec.lyrics_character_limit)
  return {
    ...named,
    prompt: {
      least: count(spec.min_prompt_length) ?? PROMPT_CHARACTERS.least,
      most: count(spec.prompt_character_limit) ?? PROMPT_CHARACTERS.most,
    },
    ...(spec.supports_lyrics === true && {
      lyrics: { isRequired: spec.lyrics_required === true, ...(mostLyrics && { most: mostLyrics }) },
    }),
    writesLyrics: spec.supports_lyrics_optimizer === true,
    ...(lengths && { lengths }),
    voices,
    ...(voice && { voice }),
    ...(spec.supports_speed === true && {
      speed: {
        least: count(spec.min_speed) ?? SPEED.least,
        most: count(spec.max_speed) ?? SPEED.most,
        usual: count(spec.default_speed) ?? SPEED.usual,
      },
    }),
    canBeInstrumental: spec.supports_force_instrumental === true,
    canLoop: spec.supports_loop === true,
    takesLanguage: spec.supports_language_code === true,
    isByCharacter: isRecord(spec.pricing) && isRecord(spec.pricing.per_thousand_characters),
  }
}

function lengthsOf(spec: Record<string, unknown>): Lengths | undefined {
  const options = Array.isArray(spec.duration_options) ? spec.duration_options.filter(Number.isFinite) : []
  const usual = count(spec.default_duration)
  if (options.length > 0) return { options, usual: usual ?? options[0] }
  const [least, most] = [count(spec.min_duration), count(spec.max_duration)]
  if (least === undefined && most === undefined && usual === undefined) return undefined
  // As the service reads it: without a longest, nothing is longer than usual.
  const from = least ?? 1
  const to = most ?? Math.max(usual ?? from, from)
  return { least: from, most: to, usual: usual ?? from }
}

export const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []

export const count = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined

function priceOf(spec: Record<string, unknown>, name: string, read: (dollars: number) => Price): Price | undefined {
  const price = isRecord(spec.pricing) ? spec.pricing[name] : undefined
  const dollars = isRecord(price) ? price.usd : undefined
  return typeof dollars === 'number' && dollars > 0 ? read(dollars) : undefined
}
