import { definedSettings, type MediaForm } from '@/components/studio/media-form'
import { count, modelListQuery } from '@/components/studio/models'
import { type ModelSpec, type NamedModel, unavailableMessage } from '@/lib/browser/models'
import type { CreationFile, CreationSettings, Generation } from '@/lib/browser/storage/generations'
import { DEFAULT_VIDEO_PROMPT_CHARS } from '@/lib/contract/limits'
import { t } from '@/lib/i18n/t'

/** An empty list cannot be chosen from. */
export type VideoModel = NamedModel & {
  /** Input besides text. `video`: the model says no more than that it makes videos. */
  from: 'text' | 'picture' | 'video'
  durations: string[]
  aspectRatios: string[]
  resolutions: string[]
  hasSound: boolean
  canChooseAudio: boolean
  maxPromptChars: number
}

const FROM: Record<string, VideoModel['from']> = { 'text-to-video': 'text', 'image-to-video': 'picture' }

export const videoModelsQuery = () => modelListQuery('video', videoModel)

export function videoModel(named: NamedModel, { constraints: can = {} }: ModelSpec<'video'>): VideoModel {
  return {
    ...named,
    from: FROM[String(can.model_type)] ?? 'video',
    durations: can.durations ?? [],
    aspectRatios: can.aspect_ratios ?? [],
    resolutions: can.resolutions ?? [],
    hasSound: can.audio === true,
    canChooseAudio: can.audio_configurable === true,
    maxPromptChars: count(can.prompt_character_limit) ?? DEFAULT_VIDEO_PROMPT_CHARS,
  }
}

export const MAX_IMAGES = 2

/** Returns the settings that apply to a model, with its defaults for what was not chosen. */
export function videoSettings(model: VideoModel, settings: CreationSettings): CreationSettings {
  const { durations, aspectRatios, resolutions, hasSound, canChooseAudio: canChooseSound } = model
  const { negativePrompt } = settings
  return definedSettings({
    duration: optionOf(durations, settings.duration),
    aspectRatio: optionOf(aspectRatios, settings.aspectRatio),
    resolution: optionOf(resolutions, settings.resolution),
    hasSound: canChooseSound ? (typeof settings.hasSound === 'boolean' ? settings.hasSound : hasSound) : undefined,
    negativePrompt: typeof negativePrompt === 'string' ? negativePrompt : undefined,
  })
}

/** Says why a form cannot be queued by what its model states, so that it is not sent to be refused. */
export function videoProblem(
  model: VideoModel,
  { prompt, settings, inputs }: Pick<MediaForm, 'prompt' | 'settings' | 'inputs'>,
): string | undefined {
  if (model.isOffline) return unavailableMessage(model)
  if (model.from === 'picture' && inputs.length === 0) return t('Choose a start image.')
  if (prompt.trim() === '') return t('Enter a script.')
  const promptLimit = { most: model.maxPromptChars }
  if (prompt.length > model.maxPromptChars) return t('This model accepts up to {most} characters.', promptLimit)
  return String(settings.negativePrompt ?? '').length > model.maxPromptChars
    ? t('The negative prompt is too long for this model.')
    : undefined
}

export const videoImages = (model: VideoModel, inputs: readonly CreationFile[]): CreationFile[] =>
  model.from === 'text' ? [] : inputs.slice(0, MAX_IMAGES)

function optionOf(options: readonly string[], chosen: unknown): string | undefined {
  return options.find((option) => option === chosen) ?? options[0]
}

const ANY_LENGTH = 'Auto'

function choicesOf({ duration, aspectRatio, resolution, hasSound }: CreationSettings): Record<string, unknown> {
  return { duration: duration ?? ANY_LENGTH, aspect_ratio: aspectRatio, resolution, audio: hasSound }
}

export const videoQuoteBody = (model: string, settings: CreationSettings): Record<string, unknown> => ({
  model,
  ...choicesOf(settings),
})

/** Returns the body of `POST /video/queue`. @param images first and last frame as data URLs. */
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
