import { z } from 'zod'
import { cleanLabel, cleanLine, cleanText, LIMITS, SORTS } from '@/lib/contract/characters/character'

/** A character as anybody sees it. Times are ISO 8601. */
export type Character = {
  /** A UUID. */
  id: string
  /** What `character_slug` takes. */
  slug: string
  name: string
  description: string | null
  /** Five characters that stand for whoever made it, the same for all characters of one account. */
  author: string
  adult: boolean
  featured: boolean
  webEnabled: boolean
  /** A suggestion; empty when the service has no text model. */
  modelId: string
  photoUrl: string | null
  shareUrl: string | null
  tags: string[]
  stats: {
    /** 0 while nobody has rated. */
    averageRating: number
    /** Accounts that have chatted with it. */
    imports: number
    ratingCount: number
    ratingSum: number
    /** The caller's own. */
    userRating: number | null
  }
  createdAt: string
  updatedAt: string
}

export type CharacterMessage = { role: 'user' | 'assistant'; content: string }

export type Visibility = 'draft' | 'published'

/** One of the caller's own, in a list. */
export type OwnCharacter = Character & { visibility: Visibility; hasPicture: boolean }

/** One of the caller's own, with all that stands in it. */
export type FullCharacter = OwnCharacter & {
  prompt: string
  greeting: string
  context: CharacterMessage[]
  categories: string[]
  replacesServicePrompt: boolean
  /** What its owner chose; `modelId` is what that comes to today. */
  chosenModelId: string | null
}

/** A character as its page shows it. */
export type CharacterProfile = Character & {
  /** What it says first; names are filled in. Empty when it waits for the person. */
  greeting: string
  /** What people may begin with: what was asked in its example talk. */
  openers: string[]
  /** The model that its maker chose, where the service has it; `modelId` is never empty. */
  presetModelId: string | null
  /** What it puts before each question, in bytes of UTF-8: the asker pays for it. */
  promptBytes: number
  /** The caller made it. */
  isOwn: boolean
  /** It came with the service. */
  isShipped: boolean
}

export type CharacterReview = {
  id: string
  characterId: string
  /** 1 to 5. */
  rating: number
  message: string | null
  locale: string | null
  username: string
  userAvatarUrl: string | null
  isOwner: boolean
  createdAt: string
}

const text = (most: number) => z.string().max(most, `must be at most ${most} characters`).transform(cleanText)
const line = (most: number) => z.string().max(most, `must be at most ${most} characters`).transform(cleanLine)
const filled = z.string().min(1, 'must not be empty')
const label = z
  .string()
  .max(LIMITS.label, `must be at most ${LIMITS.label} characters`)
  .transform(cleanLabel)
  .pipe(filled.refine((name) => !name.includes(','), 'must not hold a comma'))
const labels = (most: number) =>
  z
    .array(label)
    .max(most, `must be at most ${most}`)
    .transform((all) => [...new Set(all)])

/** The fields of a character that its maker writes; a characters file has the same under the same names. */
export const characterFields = {
  name: line(LIMITS.name).pipe(filled),
  description: text(LIMITS.description)
    .nullable()
    .transform((given) => given || null),
  prompt: text(LIMITS.prompt).pipe(filled),
  greeting: text(LIMITS.greeting),
  context: z
    .array(z.strictObject({ role: z.enum(['user', 'assistant']), content: text(LIMITS.contextMessage).pipe(filled) }))
    .max(LIMITS.contextMessages, `must be at most ${LIMITS.contextMessages}`),
  tags: labels(LIMITS.tags),
  categories: labels(LIMITS.categories),
  modelId: z.string().min(1).max(200).nullable(),
  webEnabled: z.boolean(),
  replacesServicePrompt: z.boolean(),
}

const ownFields = {
  ...characterFields,
  adult: z.boolean(),
  visibility: z.enum(['draft', 'published']),
  /** A data URL of an image; `null` takes the picture away. */
  picture: z
    .string()
    .max(Math.ceil((LIMITS.pictureBytes * 4) / 3) + 100, 'is too large')
    .nullable(),
}

/** Body of `POST /api/characters`. */
export const NewCharacter = z.strictObject({
  ...ownFields,
  description: ownFields.description.default(null),
  greeting: ownFields.greeting.default(''),
  context: ownFields.context.default([]),
  tags: ownFields.tags.default([]),
  categories: ownFields.categories.default([]),
  modelId: ownFields.modelId.default(null),
  webEnabled: ownFields.webEnabled.default(false),
  replacesServicePrompt: ownFields.replacesServicePrompt.default(false),
  adult: ownFields.adult.default(false),
  visibility: ownFields.visibility.default('draft'),
  picture: ownFields.picture.default(null),
})
export type NewCharacter = z.output<typeof NewCharacter>

/** Body of `PATCH /api/characters/{slug}`: what is missing stays. */
export const CharacterPatch = z.strictObject(ownFields).partial()
export type CharacterPatch = z.output<typeof CharacterPatch>

/** Body of `PUT /api/characters/{slug}/review`. */
export const NewReview = z.strictObject({
  rating: z.int('must be a whole number').min(1, 'must be at least 1').max(5, 'must be at most 5'),
  message: text(LIMITS.review)
    .nullable()
    .default(null)
    .transform((given) => given || null),
})
export type NewReview = z.output<typeof NewReview>

const count = (least: number, fallback: number, most = 999_999_999) =>
  z
    .string()
    .regex(/^\d{1,16}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(least, `must be at least ${least}`).max(most, `must be at most ${most}`))
    .default(fallback)
const flag = z
  .enum(['true', 'false'], 'must be true or false')
  .transform((given) => given === 'true')
  .optional()
/** Items with commas between them; empty ones do not count. */
const list = (each: number, clean: (text: string) => string) =>
  z
    .string()
    .transform((given) => given.split(',').map(clean).filter(Boolean))
    .pipe(z.array(z.string().max(each, `must be at most ${each} characters each`)).max(20, 'must be at most 20'))
    .optional()

const isSlugLike = (text: string): boolean => /^[a-z0-9-]{1,80}$/.test(text)

/** Parameters of `CharacterQuery` that may be given several times. */
export const LIST_PARAMETERS = ['categories', 'tags', 'modelId'] as const

/** Query of `GET /characters`, as text. A list has commas between its items. Source: API contract, characters.md. */
export const CharacterQuery = z.object({
  search: line(200).default(''),
  categories: list(100, cleanLabel),
  tags: list(100, cleanLabel),
  modelId: list(200, cleanLine),
  isAdult: flag,
  isPro: flag,
  isWebEnabled: flag,
  limit: count(1, 50, 100),
  offset: count(0, 0),
  sortBy: z.enum(SORTS, `must be one of ${SORTS.join(', ')}`).default('imports'),
  sortOrder: z.enum(['asc', 'desc'], 'must be asc or desc').default('desc'),
})
export type CharacterQuery = z.output<typeof CharacterQuery>

/** Query of `GET /api/characters`: the page's gallery asks for its favourites by name, too. */
export const GalleryQuery = CharacterQuery.extend({
  slugs: z
    .string()
    .transform((given) => given.split(',').filter(isSlugLike))
    .pipe(z.array(z.string()).max(100, 'must be at most 100'))
    .optional(),
})
export type GalleryQuery = z.output<typeof GalleryQuery>

/** Query of `GET /characters/{slug}/reviews`. */
export const ReviewQuery = z.object({ page: count(1, 1), pageSize: count(1, 20, 100) })
export type ReviewQuery = z.output<typeof ReviewQuery>

/** Query of `GET /api/characters/{slug}/export`. */
export const ExportQuery = z.object({
  format: z.enum(['json', 'png'], 'must be json or png').default('json'),
  spec: z.enum(['v2', 'v3'], 'must be v2 or v3').default('v3'),
})
