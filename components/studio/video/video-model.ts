import { definedSettings, type MediaForm } from '@/components/studio/media-form'
import { count, modelListQuery, type NamedModel, strings } from '@/components/studio/models'
import { isRecord } from '@/lib/browser/api'
import { unavailableWords } from '@/lib/browser/availability'
import type { CreationFile, CreationSettings, Generation } from '@/lib/browser/storage/generations'
import { DEFAULT_VIDEO_PROMPT_CHARS } from '@/lib/contract/limits'
import { t } from '@/lib/i18n/t'

/** A model that makes films. An empty list: it cannot be chosen. */
export type VideoModel = NamedModel & {
  /** What it needs beside words. `video`: it says no more than that it makes films. */
  from: 'text' | 'picture' | 'video'
  durations: string[]
  aspectRatios: string[]
  resolutions: string[]
  hasSound: boolean
  canChooseSound: boolean
  maxPromptChars: number
}

const FROM: Record<string, VideoModel['from']> = { 'text-to-video': 'text', 'image-to-video': 'picture' }

export const videoModelsQuery = () => modelListQuery('video', videoModel)

export function videoModel(named: NamedModel, spec: Record<string, unknown>): VideoModel {
  const can = isRecord(spec.constraints) ? spec.constraints : {}
  return {
    ...named,
    from: FROM[String(can.model_type)] ?? 'video',
    durations: strings(can.durations),
    aspectRatios: strings(can.aspect_ratios),
    resolutions: strings(can.resolutions),
    hasSound: can.audio === true,
    canChooseSound: can.audio_configurable === true,
    maxPromptChars: count(can.prompt_character_limit) ?? DEFAULT_VIDEO_PROMPT_CHARS,
  }
}

/** A film begins with one picture and ends with another. */
export const MAX_IMAGES = 2

/** What of the choices says something for this model; what it needs and was not chosen, as it names it first. */
export function videoSettings(model: VideoModel, settings: CreationSettings): CreationSettings {
  const { durations, aspectRatios, resolutions, hasSound, canChooseSound } = model
  const { negativePrompt } = settings
  return definedSettings({
    duration: optionOf(durations, settings.duration),
    aspectRatio: optionOf(aspectRatios, settings.aspectRatio),
    resolution: optionOf(resolutions, settings.resolution),
    hasSound: canChooseSound ? (typeof settings.hasSound === 'boolean' ? settings.hasSound : hasSound) : undefined,
    negativePrompt: typeof negativePrompt === 'string' ? negativePrompt : undefined,
  })
}

/** Why it cannot be queued as it is: what the model says already is never sent to be refused. Nothing when it can be. */
export function videoProblem(
  model: VideoModel,
  { prompt, settings, inputs }: Pick<MediaForm, 'prompt' | 'settings' | 'inputs'>,
): string | undefined {
  if (model.isOffline) return unavailableWords(model)
  if (model.from === 'picture' && inputs.length === 0) return t('Choose a start image.')
  if (prompt.trim() === '') return t('Enter a script.')
  const most = { most: model.maxPromptChars }
  if (prompt.length > model.maxPromptChars) return t('This model accepts up to {most} characters.', most)
  return String(settings.negativePrompt ?? '').length > model.maxPromptChars
    ? t('The negative prompt is too long for this model.')
    : undefined
}

/** The pictures that a model takes of those that were chosen. */
export const videoImages = (model: VideoModel, inputs: readonly CreationFile[]): CreationFile[] =>
  model.from === 'text' ? [] : inputs.slice(0, MAX_IMAGES)

/** What was chosen for where a model has it, else what it names first. */
function optionOf(options: readonly string[], chosen: unknown): string | undefined {
  return options.find((option) => option === chosen) ?? options[0]
}

/** Of a model that offers no lengths: it makes what it makes. */
const ANY_LENGTH = 'Auto'

/** The choices as `videoSettings` fits them to a model, by the names of the wire. */
function choicesOf({ duration, aspectRatio, resolution, hasSound }: CreationSettings): Record<string, unknown> {
  return {
    duration: duration ?? ANY_LENGTH,
    aspect_ratio: aspectRatio,
    resolution,
    audio: hasSound,
  }
}

/** Body of `POST /video/quote`: what of the form decides the price. */
export const videoQuoteBody = (model: string, settings: CreationSettings): Record<string, unknown> => ({
  model,
  ...choicesOf(settings),
})

/** Body of `POST /video/queue`. @param pictures the first picture and the last as data URLs, where there are some. */
export function videoBody(
  { modelId, prompt, settings }: Pick<Generation, 'modelId' | 'prompt' | 'settings'>,
  [first, last]: readonly string[],
): Record<string, unknown> {
  return {
    model: modelId,
    prompt,
    ...choicesOf(settings),
    negative_prompt: settings.negativePrompt || undefined,
    image_url: first,
    end_image_url: last,
  }
}
