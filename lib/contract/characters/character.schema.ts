import { z } from 'zod'
import { cleanLabel, cleanLine, cleanText, LIMITS, SORTS } from '@/lib/contract/characters/character'

const moment = z.iso.datetime()
const total = z.int().min(0)

/** A public character. Times are ISO 8601. */
export const Character = z.object({
  id: z.uuid().meta({ description: 'The character, for good.' }),
  slug: z.string().meta({ description: 'Its name in addresses and in `character_slug`.' }),
  name: z.string().meta({ description: 'Its name.' }),
  description: z.string().nullable().meta({ description: 'What it is like.' }),
  author: z.string().meta({ description: 'Who made it.' }),
  adult: z.boolean().meta({ description: 'Whether it is for adults.' }),
  featured: z.boolean().meta({ description: 'Whether the operator shows it first.' }),
  webEnabled: z.boolean().meta({ description: 'Whether it asks the web.' }),
  modelId: z.string().meta({ description: 'The model that it was made with. Another may play it.' }),
  photoUrl: z.string().nullable().meta({ description: 'Its picture.' }),
  shareUrl: z.string().nullable().meta({ description: 'Its page.' }),
  tags: z.array(z.string()).meta({ description: 'Words to find it by.' }),
  stats: z
    .object({
      averageRating: z.number().meta({ description: 'The mean of its ratings.' }),
      imports: total.meta({ description: 'How often it was begun with.' }),
      ratingCount: total.meta({ description: 'How many ratings there are.' }),
      ratingSum: total.meta({ description: 'Their sum.' }),
      userRating: z.number().nullable().meta({ description: "The caller's own." }),
    })
    .meta({ description: 'What others think of it.' }),
  createdAt: moment.meta({ description: 'When it was made.' }),
  updatedAt: moment.meta({ description: 'When it was last changed.' }),
})

export type Character = z.output<typeof Character>

export const CharacterList = z.object({
  object: z.literal('list'),
  data: z.array(Character).meta({ description: 'The characters.' }),
})
export type CharacterList = z.output<typeof CharacterList>

export const CharacterReply = z.object({
  object: z.literal('character'),
  data: Character.meta({ description: 'The character.' }),
})
export const CharacterReview = z.object({
  id: z.string().meta({ description: 'The rating.' }),
  characterId: z.string().meta({ description: 'The character.' }),
  rating: z.int().min(1).max(5).meta({ description: 'From 1 to 5.' }),
  message: z.string().nullable().meta({ description: 'What was said with it.' }),
  locale: z.string().nullable().meta({ description: 'Its language.' }),
  username: z.string().meta({ description: 'A name made up for who rated.' }),
  userAvatarUrl: z.string().nullable().meta({ description: 'Always `null`.' }),
  isOwner: z.boolean().meta({ description: 'Whether the caller gave it.' }),
  createdAt: moment.meta({ description: 'When it was made.' }),
})
export type CharacterReview = z.output<typeof CharacterReview>

export const CharacterReviews = z.object({
  object: z.literal('list'),
  data: z.array(CharacterReview).meta({ description: 'The ratings, newest first.' }),
  pagination: z
    .object({
      page: total.meta({ description: 'The page, from 1.' }),
      pageSize: total.meta({ description: 'Rows of a page.' }),
      total: total.meta({ description: 'Rows in all.' }),
      totalPages: total.meta({ description: 'Pages in all.' }),
    })
    .meta({ description: 'Where the list stands.' }),
  summary: z
    .object({
      averageRating: z.number().meta({ description: 'Their mean.' }),
      totalReviews: total.meta({ description: 'How many there are.' }),
    })
    .meta({ description: 'All of them together.' }),
})

export type CharacterMessage = { role: 'user' | 'assistant'; content: string }

export type Visibility = 'draft' | 'published'

export type OwnCharacter = Character & { visibility: Visibility; hasPicture: boolean }

export type FullCharacter = OwnCharacter & {
  prompt: string
  greeting: string
  context: CharacterMessage[]
  categories: string[]
  replacesServicePrompt: boolean
  /** The owner's choice; `modelId` is what that resolves to today. */
  chosenModelId: string | null
}

export type CharacterProfile = Character & {
  /** Its first message with names filled in; empty when it waits for the person. */
  greeting: string
  /** Suggested first messages, from its example conversation. */
  openers: string[]
  presetModelId: string | null
  /** Bytes of UTF-8 that it adds to each question: the caller pays for them. */
  promptBytes: number
  isOwn: boolean
  isShipped: boolean
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

/** The fields that a character's author writes; a characters file has the same under the same names. */
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
  /** A data URL of an image; `null` removes the picture. */
  picture: z
    .string()
    .max(Math.ceil((LIMITS.pictureBytes * 4) / 3) + 100, 'is too large')
    .nullable(),
}

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

/** Body of `PATCH /api/characters/{slug}`: missing fields stay. */
export const CharacterPatch = z.strictObject(ownFields).partial()
export type CharacterPatch = z.output<typeof CharacterPatch>

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
const list = (each: number, clean: (text: string) => string) =>
  z
    .string()
    .transform((given) => given.split(',').map(clean).filter(Boolean))
    .pipe(z.array(z.string().max(each, `must be at most ${each} characters each`)).max(20, 'must be at most 20'))
    .optional()

const isSlugLike = (text: string): boolean => /^[a-z0-9-]{1,80}$/.test(text)

export const LIST_PARAMETERS = ['categories', 'tags', 'modelId'] as const

/** Query of `GET /characters`, as text. A list has commas between its items. Source: API contract, characters.md. */
export const CharacterQuery = z.object({
  search: line(200).default('').meta({ description: 'Words of their names and descriptions.' }),
  categories: list(100, cleanLabel).meta({ description: 'Of any of these, with commas between.' }),
  tags: list(100, cleanLabel).meta({ description: 'With any of these, with commas between.' }),
  modelId: list(200, cleanLine).meta({ description: 'Made with this model.' }),
  isAdult: flag.meta({ description: 'For adults, or not.' }),
  isPro: flag.meta({ description: 'With models of the Pro tier, or not.' }),
  isWebEnabled: flag.meta({ description: 'Asking the web, or not.' }),
  limit: count(1, 50, 100).meta({ description: 'How many at most.' }),
  offset: count(0, 0).meta({ description: 'How many to pass over.' }),
  sortBy: z
    .enum(SORTS, `must be one of ${SORTS.join(', ')}`)
    .default('imports')
    .meta({ description: 'The order.' }),
  sortOrder: z.enum(['asc', 'desc'], 'must be asc or desc').default('desc').meta({ description: 'The direction.' }),
})
export type CharacterQuery = z.output<typeof CharacterQuery>

/** Query of `GET /api/characters`, which also finds favourites by name. */
export const GalleryQuery = CharacterQuery.extend({
  slugs: z
    .string()
    .transform((given) => given.split(',').filter(isSlugLike))
    .pipe(z.array(z.string()).max(100, 'must be at most 100'))
    .optional(),
})
export type GalleryQuery = z.output<typeof GalleryQuery>

export const ReviewQuery = z.object({
  page: count(1, 1).meta({ description: 'The page, from 1.' }),
  pageSize: count(1, 20, 100).meta({ description: 'Rows of a page.' }),
})
export type ReviewQuery = z.output<typeof ReviewQuery>

export const ExportQuery = z.object({
  format: z.enum(['json', 'png'], 'must be json or png').default('json'),
  spec: z.enum(['v2', 'v3'], 'must be v2 or v3').default('v3'),
})
