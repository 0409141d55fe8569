import type { MediaForm } from '@/components/studio/media-form'
import type { VideoModel } from '@/components/studio/video/models'
import { unavailableWords } from '@/lib/browser/availability'
import type { CreationFile, CreationSettings } from '@/lib/browser/storage/generations'
import { t } from '@/lib/i18n/t'

/** A film begins with one picture and ends with another. */
export const MOST_PICTURES = 2

/** What of the choices says something for this model; what it needs and was not chosen, as it names it first. */
export function filmSettings(model: VideoModel, settings: CreationSettings): CreationSettings {
  const { durations, aspectRatios, resolutions, hasSound, canChooseSound } = model
  const duration = optionOf(durations, settings.duration)
  const aspectRatio = optionOf(aspectRatios, settings.aspectRatio)
  const resolution = optionOf(resolutions, settings.resolution)
  const sound = typeof settings.hasSound === 'boolean' ? settings.hasSound : hasSound
  return {
    ...(duration !== undefined && { duration }),
    ...(aspectRatio !== undefined && { aspectRatio }),
    ...(resolution !== undefined && { resolution }),
    ...(canChooseSound && { hasSound: sound }),
    ...(typeof settings.negativePrompt === 'string' && { negativePrompt: settings.negativePrompt }),
  }
}

/** Why it cannot be queued as it is: what the model says already is never sent to be refused. Nothing when it can be. */
export function filmProblem(
  model: VideoModel,
  { prompt, settings, inputs }: Pick<MediaForm, 'prompt' | 'settings' | 'inputs'>,
): string | undefined {
  if (model.isOffline) return unavailableWords(model)
  if (model.from === 'picture' && inputs.length === 0) return t('Choose a start image.')
  if (prompt.trim() === '') return t('Enter a script.')
  const most = { most: model.mostPrompt }
  if (prompt.length > model.mostPrompt) return t('This model accepts up to {most} characters.', most)
  return String(settings.negativePrompt ?? '').length > model.mostPrompt
    ? t('The negative prompt is too long for this model.')
    : undefined
}

/** The pictures that a model takes of those that were chosen. */
export const filmPictures = (model: VideoModel, inputs: readonly CreationFile[]): CreationFile[] =>
  model.from === 'text' ? [] : inputs.slice(0, MOST_PICTURES)

/** What was wished for where a model has it, else what it names first. */
function optionOf(options: readonly string[], wished: unknown): string | undefined {
  return options.find((option) => option === wished) ?? options[0]
}
