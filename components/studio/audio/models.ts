import { count, modelListQuery, strings } from '@/components/studio/models'
import { text } from '@/lib/browser/api'
import type { ModelSpec, NamedModel } from '@/lib/browser/models'
import { MAX_SPEED, MIN_SPEED } from '@/lib/contract/limits'
import { type Price, perMillion, perUnit } from '@/lib/contract/money'

/** Without a price it is free. */
export type SpeechModel = NamedModel & {
  voices: string[]
  /** The model's own choice first. */
  formats: string[]
  /** Of a character. */
  price?: Price
}

/** Without a price it is free. */
export type TranscriptionModel = NamedModel & {
  /** Of a second. */
  price?: Price
}

// Seconds.
type Lengths = { options: number[]; usual: number } | { min: number; max: number; usual: number }

/** A model for jobs: music, effects, long speech. What is absent cannot be chosen. */
export type AudioModel = NamedModel & {
  prompt: { min: number; max: number }
  lyrics?: { isRequired: boolean; max?: number }
  writesLyrics: boolean
  lengths?: Lengths
  voices: string[]
  voice?: string
  speed?: { min: number; max: number; usual: number }
  canBeInstrumental: boolean
  canLoop: boolean
  takesLanguage: boolean
  isByCharacter: boolean
}

// Source: API contract, audio.md; where a model does not say.
const PROMPT_CHARACTERS = { least: 10, most: 10_000 }
const SPEED = { least: MIN_SPEED, most: MAX_SPEED, usual: 1 }

export const speechModelsQuery = () => modelListQuery('tts', speechModel)
export const transcriptionModelsQuery = () => modelListQuery('asr', transcriptionModel)
export const audioModelsQuery = () => modelListQuery('music', audioModel)

export function speechModel(named: NamedModel, spec: ModelSpec<'tts'>): SpeechModel {
  const own = text(spec.default_format)
  return {
    ...named,
    voices: strings(spec.voices),
    formats: [...new Set([...(own ? [own] : []), ...strings(spec.supported_formats)])],
    price: priceOf(spec.pricing?.input, perMillion),
  }
}

export function transcriptionModel(named: NamedModel, spec: ModelSpec<'asr'>): TranscriptionModel {
  return { ...named, price: priceOf(spec.pricing?.per_audio_second, perUnit) }
}

export function audioModel(named: NamedModel, spec: ModelSpec<'music'>): AudioModel {
  const voices = strings(spec.voices)
  return {
    ...named,
    prompt: {
      min: count(spec.min_prompt_length) ?? PROMPT_CHARACTERS.least,
      max: count(spec.prompt_character_limit) ?? PROMPT_CHARACTERS.most,
    },
    lyrics:
      spec.supports_lyrics === true
        ? { isRequired: spec.lyrics_required === true, max: count(spec.lyrics_character_limit) || undefined }
        : undefined,
    writesLyrics: spec.supports_lyrics_optimizer === true,
    lengths: lengthsOf(spec),
    voices,
    voice: text(spec.default_voice) ?? voices[0],
    speed:
      spec.supports_speed === true
        ? {
            min: count(spec.min_speed) ?? SPEED.least,
            max: count(spec.max_speed) ?? SPEED.most,
            usual: count(spec.default_speed) ?? SPEED.usual,
          }
        : undefined,
    canBeInstrumental: spec.supports_force_instrumental === true,
    canLoop: spec.supports_loop === true,
    takesLanguage: spec.supports_language_code === true,
    isByCharacter: spec.pricing?.per_thousand_characters !== undefined,
  }
}

function lengthsOf(spec: ModelSpec<'music'>): Lengths | undefined {
  const options = spec.duration_options ?? []
  const usual = count(spec.default_duration)
  const [first] = options
  if (first !== undefined) return { options, usual: usual ?? first }
  const [min, max] = [count(spec.min_duration), count(spec.max_duration)]
  if (min === undefined && max === undefined && usual === undefined) return undefined
  // As the service reads it: without a longest, nothing is longer than usual.
  const from = min ?? 1
  const to = max ?? Math.max(usual ?? from, from)
  return { min: from, max: to, usual: usual ?? from }
}

function priceOf(price: { usd?: number } | undefined, read: (dollars: number) => Price): Price | undefined {
  return price?.usd ? read(price.usd) : undefined
}
