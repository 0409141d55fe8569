import { z } from 'zod'
import { MEDIA_ROLES } from '@/lib/contract/media-roles'
import type { ModelEntry } from '@/lib/services/models/entry'
import type { Model } from '@/lib/services/models/model'

type Entry<T extends ModelEntry['type']> = Extract<ModelEntry, { type: T }>

const MAX_USD = 1_000
const MAX_NAMES = 50
const MAX_POLICY_CHARACTERS = 20_000
const dollars = z.number().positive().max(MAX_USD)

/** What a provider calls a field of the request: `{"image_url": "first_frame"}`. Fields that it does not know are left out. */
const inputNames = z
  .record(z.string().min(1).max(64), z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'is no name of a field'))
  .refine((names) => Object.keys(names).length <= MAX_NAMES)

/** What a models file says of a model that works in the queue, beside what `/models` shows. */
export const JOB_FIELDS = { inputNames: inputNames.optional() }

/** What a caller has to confirm before a model takes media of these roles, which may show faces. */
const consent = z.strictObject({
  /** Its name in the request's `consents`. */
  flow: z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'is no name: letters, digits, _ and -'),
  version: z.string().min(1).max(64),
  text: z.string().min(1).max(MAX_POLICY_CHARACTERS),
  url: z.url({ protocol: /^https?$/ }),
  roles: z
    .array(z.enum(MEDIA_ROLES))
    .min(1)
    .default([...MEDIA_ROLES]),
})

/** The same of a video model, whose price `/models` does not show: it is quoted. Dollars. No `price`: free. */
export const VIDEO_FIELDS = {
  ...JOB_FIELDS,
  price: z
    .strictObject({
      perSecond: dollars.optional(),
      perGeneration: dollars.optional(),
      /** By resolution, in place of `perSecond`. */
      resolutions: z.record(z.string().min(1).max(20), dollars).optional(),
      /** On top, for each second of the reference clips together. */
      perReferenceSecond: dollars.optional(),
    })
    .refine(
      (price) => price.perSecond ?? price.perGeneration ?? Object.keys(price.resolutions ?? {})[0],
      'needs `perSecond`, `perGeneration` or `resolutions`; a free model has no `price` at all',
    )
    .optional(),
  consent: consent.optional(),
  /** Its films are fetched at an address that is its own credentials. */
  hasDownloadUrl: z.boolean().default(false),
}

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
export function jobParts(entry: ModelEntry): Pick<Model, 'music' | 'video'> {
  if (entry.type === 'music') return { music: entry }
  if (entry.type !== 'video') return {}
  const { constraints = PLAIN_VIDEO, price, inputNames, consent, hasDownloadUrl } = entry
  return { video: { ...constraints, price, inputNames, consent, hasDownloadUrl } }
}
