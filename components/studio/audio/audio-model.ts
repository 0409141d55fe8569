import { canHearLive } from '@/components/studio/audio/live'
import { definedSettings, type MediaForm } from '@/components/studio/media-form'
import { count, modelListQuery, strings } from '@/components/studio/models'
import { text } from '@/lib/browser/api'
import { type ModelSpec, type NamedModel, unavailableMessage } from '@/lib/browser/models'
import type { CreationSettings, Generation } from '@/lib/browser/storage/generations'
import { SPEECH_TYPES } from '@/lib/contract/audio'
import { MAX_SPEED, MIN_SPEED } from '@/lib/contract/limits'
import { type Price, perMillion, perUnit } from '@/lib/contract/money'
import { t } from '@/lib/i18n/t'

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

/** Returns the settings that apply to a model, with its defaults for what was not chosen. */
export function audioSettings(model: AudioModel, settings: CreationSettings): CreationSettings {
  const { lyrics, lengths, voices, voice, speed } = model
  const writesLyrics = (model.writesLyrics && settings.writesLyrics === true) || undefined
  return definedSettings({
    writesLyrics,
    lyrics: lyrics && !writesLyrics ? textIn(settings.lyrics) : undefined,
    seconds: lengths && lengthOf(lengths, settings.seconds),
    voice: voices.find((one) => one === settings.voice) ?? voice,
    speed: speed && within(settings.speed, speed),
    language: model.takesLanguage ? textIn(settings.language) : undefined,
    isInstrumental: (model.canBeInstrumental && settings.isInstrumental === true) || undefined,
    isLoop: (model.canLoop && settings.isLoop === true) || undefined,
  })
}

const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** Says why a form cannot be queued by what its model states, so that it is not sent to be refused. */
export function audioProblem(
  model: AudioModel,
  { prompt, settings }: Pick<MediaForm, 'prompt' | 'settings'>,
): string | undefined {
  if (model.isOffline) return unavailableMessage(model)
  const written = prompt.trim().length
  if (written === 0) return isReading(model) ? t('Enter some text.') : t('Describe the sound.')
  if (written < model.prompt.min)
    return t('Enter at least {least} characters for this model.', { least: model.prompt.min })
  if (prompt.length > model.prompt.max)
    return t('This model accepts up to {most} characters.', { most: model.prompt.max })
  const { lyrics = '', writesLyrics } = audioSettings(model, settings)
  if (model.lyrics?.isRequired && lyrics === '' && writesLyrics !== true) return t('This model needs lyrics.')
  if (String(lyrics).length > (model.lyrics?.max ?? Number.POSITIVE_INFINITY)) {
    return t('The lyrics are too long for this model.')
  }
  return undefined
}

/** Tells whether a model reads texts aloud: it has voices, and nothing is sung. */
export const isReading = ({ voices, lyrics }: AudioModel): boolean => voices.length > 0 && !lyrics

function lengthOf(lengths: Lengths, chosen: unknown): number {
  if ('options' in lengths) return lengths.options.find((one) => one === chosen) ?? lengths.usual
  return within(chosen, lengths)
}

function within(chosen: unknown, { min, max, usual }: { min: number; max: number; usual: number }): number {
  return typeof chosen === 'number' && Number.isFinite(chosen) ? Math.min(max, Math.max(min, chosen)) : usual
}

/** Media types by format; Opus comes in Ogg. */
export const SPEECH_MEDIA: Record<string, string> = { ...SPEECH_TYPES, opus: 'audio/ogg' }

// A whole file has to be ready within two minutes; a longer text is requested as a stream.
const WHOLE_CHARACTERS = 600

// The service checks the name of a recording, too.
const ENDINGS: Record<string, string> = {
  'audio/wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/aac': 'aac',
  'audio/ogg': 'ogg',
  'audio/flac': 'flac',
  'audio/mp4': 'm4a',
  'audio/webm': 'webm',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
}

type AudioPrompt = Pick<Generation, 'modelId' | 'prompt' | 'settings'>

/** Returns the body of `POST /audio/speech`. A stream is charged as far as it came, a whole file when it is made. */
export function speechBody({ modelId, prompt, settings }: AudioPrompt): Record<string, unknown> {
  const { format, voice, speed } = settings
  const isStream = canHearLive(String(format)) || prompt.length > WHOLE_CHARACTERS
  return {
    model: modelId,
    input: prompt,
    response_format: format,
    streaming: isStream,
    voice,
    speed: speed === 1 ? undefined : speed,
  }
}

export const isAcceptedAudio = (mediaType: string): boolean => Object.hasOwn(ENDINGS, mediaType)

export function transcriptionForm({ modelId, settings }: AudioPrompt, recording: Blob): FormData {
  const { language, hasTimes } = settings
  const form = new FormData()
  form.set('file', new File([recording], `recording.${ENDINGS[recording.type] ?? 'wav'}`, { type: recording.type }))
  form.set('model', modelId)
  form.set('response_format', 'json')
  form.set('timestamps', String(hasTimes === true))
  if (typeof language === 'string' && language !== '') form.set('language', language)
  return form
}

/** Returns the body of `POST /audio/quote`; undefined while the price depends on characters and there are none. */
export function audioQuoteBody(model: AudioModel, { prompt, settings }: Pick<AudioPrompt, 'prompt' | 'settings'>) {
  if (model.isByCharacter && prompt.length === 0) return undefined
  return {
    model: model.id,
    duration_seconds: model.lengths && (settings.seconds ?? model.lengths.usual),
    character_count: model.isByCharacter ? prompt.length : undefined,
  }
}

const AUDIO_FIELDS: Record<string, string> = {
  lyrics: 'lyrics_prompt',
  writesLyrics: 'lyrics_optimizer',
  seconds: 'duration_seconds',
  isInstrumental: 'force_instrumental',
  isLoop: 'loop',
  voice: 'voice',
  language: 'language_code',
  speed: 'speed',
}

/** Returns the body of `POST /audio/queue`: only what was chosen, for a field that a model does not take is refused. */
export function audioBody({ modelId, prompt, settings }: AudioPrompt): Record<string, unknown> {
  const fields = Object.entries(AUDIO_FIELDS).flatMap(([name, field]) => {
    const value: CreationSettings[string] | undefined = settings[name]
    return value === undefined || value === '' || value === false ? [] : [[field, value] as const]
  })
  return { model: modelId, prompt, ...Object.fromEntries(fields) }
}
