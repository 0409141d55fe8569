import { canHearLive } from '@/components/studio/audio/live'
import type { SoundModel } from '@/components/studio/audio/models'
import type { CreationSettings, Generation } from '@/lib/browser/storage/generations'

/** What a file of each format is to a browser; Opus comes in Ogg. */
export const SPEECH_MEDIA: Record<string, string> = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
}

/** A file has to be made within two minutes when it is sent whole; a longer text is asked for as a stream. */
const WHOLE_CHARACTERS = 600

/** What the service takes a recording for: its name has to say so, too. */
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

type Asked = Pick<Generation, 'modelId' | 'prompt' | 'settings'>

/** Body of `POST /audio/speech`. A stream is charged as far as it came, a whole file when it is made. */
export function speechBody({ modelId, prompt, settings }: Asked): Record<string, unknown> {
  const { format, voice, speed } = settings
  const isStream = canHearLive(String(format)) || prompt.length > WHOLE_CHARACTERS
  return {
    model: modelId,
    input: prompt,
    response_format: format,
    streaming: isStream,
    ...(voice !== undefined && { voice }),
    ...(speed !== undefined && speed !== 1 && { speed }),
  }
}

/** Whether the service takes a recording as it is. */
export const isTaken = (mediaType: string): boolean => Object.hasOwn(ENDINGS, mediaType)

/** Form of `POST /audio/transcriptions`. */
export function transcriptionForm({ modelId, settings }: Asked, recording: Blob): FormData {
  const { language, hasTimes } = settings
  const form = new FormData()
  form.set('file', new File([recording], `recording.${ENDINGS[recording.type] ?? 'wav'}`, { type: recording.type }))
  form.set('model', modelId)
  form.set('response_format', 'json')
  form.set('timestamps', String(hasTimes === true))
  if (typeof language === 'string' && language !== '') form.set('language', language)
  return form
}

/** Body of `POST /audio/quote`; nothing while a price cannot be told: it goes by characters, and there are none. */
export function soundQuoteBody(model: SoundModel, { prompt, settings }: Pick<Asked, 'prompt' | 'settings'>) {
  if (model.isByCharacter && prompt.length === 0) return undefined
  return {
    model: model.id,
    ...(model.lengths && { duration_seconds: settings.seconds ?? model.lengths.usual }),
    ...(model.isByCharacter && { character_count: prompt.length }),
  }
}

/** The names of a form's choices on the wire. */
const SOUND_FIELDS: Record<string, string> = {
  lyrics: 'lyrics_prompt',
  writesLyrics: 'lyrics_optimizer',
  seconds: 'duration_seconds',
  isInstrumental: 'force_instrumental',
  isLoop: 'loop',
  voice: 'voice',
  language: 'language_code',
  speed: 'speed',
}

/** Body of `POST /audio/queue`: what was chosen and no more, for what a model does not take is refused. */
export function soundBody({ modelId, prompt, settings }: Asked): Record<string, unknown> {
  const fields = Object.entries(SOUND_FIELDS).flatMap(([name, field]) => {
    const value: CreationSettings[string] | undefined = settings[name]
    return value === undefined || value === '' || value === false ? [] : [[field, value] as const]
  })
  return { model: modelId, prompt, ...Object.fromEntries(fields) }
}
