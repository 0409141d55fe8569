import type { SoundModel } from '@/components/studio/audio/models'
import type { MediaForm } from '@/components/studio/media-form'
import { unavailableWords } from '@/lib/browser/availability'
import type { CreationSettings } from '@/lib/browser/storage/generations'
import { t } from '@/lib/i18n/t'

/** What of the choices says something for this model; what it needs and was not chosen, as it does it by itself. */
export function soundSettings(model: SoundModel, settings: CreationSettings): CreationSettings {
  const { lyrics, writesLyrics, lengths, voices, voice, speed } = model
  const isWritten = writesLyrics && settings.writesLyrics === true
  const chosenVoice = voices.find((one) => one === settings.voice) ?? voice
  return {
    ...(isWritten && { writesLyrics: true }),
    ...(lyrics && !isWritten && typeof settings.lyrics === 'string' && { lyrics: settings.lyrics }),
    ...(lengths && { seconds: lengthOf(lengths, settings.seconds) }),
    ...(chosenVoice !== undefined && { voice: chosenVoice }),
    ...(speed && { speed: within(settings.speed, speed) }),
    ...(model.takesLanguage && typeof settings.language === 'string' && { language: settings.language }),
    ...(model.canBeInstrumental && settings.isInstrumental === true && { isInstrumental: true }),
    ...(model.canLoop && settings.isLoop === true && { isLoop: true }),
  }
}

/** Why it cannot be queued as it is: what the model says already is never sent to be refused. Nothing when it can be. */
export function soundProblem(
  model: SoundModel,
  { prompt, settings }: Pick<MediaForm, 'prompt' | 'settings'>,
): string | undefined {
  if (model.isOffline) return unavailableWords(model)
  const written = prompt.trim().length
  if (written === 0) return isReading(model) ? t('Enter some text.') : t('Describe the sound.')
  if (written < model.prompt.least)
    return t('Enter at least {least} characters for this model.', { least: model.prompt.least })
  if (prompt.length > model.prompt.most)
    return t('This model accepts up to {most} characters.', { most: model.prompt.most })
  const { lyrics = '', writesLyrics } = soundSettings(model, settings)
  if (model.lyrics?.isRequired && lyrics === '' && writesLyrics !== true) return t('This model needs lyrics.')
  if (String(lyrics).length > (model.lyrics?.most ?? Number.POSITIVE_INFINITY)) {
    return t('The lyrics are too long for this model.')
  }
  return undefined
}

/** Whether a model reads texts aloud: it has voices, and nothing is sung. */
export const isReading = ({ voices, lyrics }: SoundModel): boolean => voices.length > 0 && !lyrics

function lengthOf(lengths: NonNullable<SoundModel['lengths']>, wished: unknown): number {
  if ('options' in lengths) return lengths.options.find((one) => one === wished) ?? lengths.usual
  return within(wished, lengths)
}

function within(wished: unknown, { least, most, usual }: { least: number; most: number; usual: number }): number {
  return typeof wished === 'number' && Number.isFinite(wished) ? Math.min(most, Math.max(least, wished)) : usual
}
