import type { ModelEntry } from '@/lib/services/models/entry'

type Entry<T extends ModelEntry['type']> = Extract<ModelEntry, { type: T }>

export type MusicPart = Pick<
  Entry<'music'>,
  | 'supports_lyrics'
  | 'lyrics_required'
  | 'lyrics_character_limit'
  | 'supports_lyrics_optimizer'
  | 'supports_force_instrumental'
  | 'supports_loop'
  | 'supports_language_code'
  | 'supports_speed'
  | 'min_speed'
  | 'max_speed'
  | 'voices'
  | 'default_voice'
  | 'duration_options'
  | 'min_duration'
  | 'max_duration'
  | 'default_duration'
  | 'min_prompt_length'
  | 'prompt_character_limit'
  | 'supported_formats'
  | 'default_format'
  | 'pricing'
  | 'inputNames'
>

export type VideoPart = NonNullable<Entry<'video'>['constraints']> &
  Pick<Entry<'video'>, 'price' | 'inputNames' | 'consent'> & { hasDownloadUrl?: boolean }

/** What models that work in the queue can do. */
export type JobParts = { music?: MusicPart; video?: VideoPart }

/** Of a video model whose file does not say: it takes a prompt, and nothing can be chosen. */
const PLAIN_VIDEO = {
  model_type: 'text-to-video',
  aspect_ratios: [],
  resolutions: [],
  durations: [],
  audio: false,
  audio_configurable: false,
} satisfies VideoPart

/** The fields of models that work in the queue. */
export function jobParts(entry: ModelEntry): JobParts {
  if (entry.type === 'music') return { music: entry }
  if (entry.type !== 'video') return {}
  const { constraints = PLAIN_VIDEO, price, inputNames, consent, hasDownloadUrl } = entry
  return { video: { ...constraints, price, inputNames, consent, hasDownloadUrl } }
}
