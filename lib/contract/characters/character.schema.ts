import { z } from 'zod'
import { cleanLabel, cleanLine, cleanText, LIMITS, SORTS } from '@/lib/contract/characters/character'

const moment = z.iso.datetime()
const total = z.int().min(0)

export const Character = z.object({
  id: z.uuid().describe('Permanent ID of the character.'),
  slug: z.string().describe('Slug of the character, used in URLs and in `character_slug`.'),
  name: z.string().describe('Name of the character.'),
  description: z.string().nullable().describe('Description of the character.'),
  author: z.string().describe('Author of the character.'),
  adult: z.boolean().describe('`true` for adult content.'),
  featured: z.boolean().describe('`true` if the operator features the character.'),
  webEnabled: z.boolean().describe('`true` if the character searches the web.'),
  modelId: z.string().describe('ID of the model that the character was created with. Other models can play it.'),
  photoUrl: z.string().nullable().describe("URL of the character's image."),
  shareUrl: z.string().nullable().describe("URL of the character's page."),
  tags: z.array(z.string()).describe('Tags of the character.'),
  stats: z
    .object({
      averageRating: z.number().describe('Average rating.'),
      imports: total.describe('Number of chats started with the character.'),
      ratingCount: total.describe('Number of ratings.'),
      ratingSum: total.describe('Sum of all ratings.'),
      userRating: z.number().nullable().describe('Rating by the caller.'),
    })
    .describe('Ratings and usage of the character.'),
  createdAt: moment.describe('Creation time.'),
  updatedAt: moment.describe('Time of the last update.'),
})

export type Character = z.output<typeof Character>

export const CharacterList = z.object({
  object: z.literal('list'),
  data: z.array(Character).describe('List of characters.'),
})
export type CharacterList = z.output<typeof CharacterList>

export const CharacterReply = z.object({
  object: z.literal('character'),
  data: Character.describe('Requested character.'),
})
export const CharacterReview = z.object({
  id: z.string().describe('ID of the rating.'),
  characterId: z.string().describe('ID of the character.'),
  rating: z.int().min(1).max(5).describe('Rating from 1 to 5.'),
  message: z.string().nullable().describe('Comment.'),
  locale: z.string().nullable().describe('Language of the comment.'),
  username: z.string().describe('Generated name of the reviewer.'),
  userAvatarUrl: z.string().nullable().describe('Always `null`.'),
  isOwner: z.boolean().describe("`true` if the rating is the caller's own."),
  createdAt: moment.describe('Creation time.'),
})
export type CharacterReview = z.output<typeof CharacterReview>

export const CharacterReviews = z.object({
  object: z.literal('list'),
  data: z.array(CharacterReview).describe('Ratings, newest first.'),
  pagination: z
    .object({
      page: total.describe('Page number, from 1.'),
      pageSize: total.describe('Number of rows per page.'),
      total: total.describe('Total number of rows.'),
      totalPages: total.describe('Total number of pages.'),
    })
    .describe('Position of this page in the list.'),
  summary: z
    .object({
      averageRating: z.number().describe('Average rating.'),
      totalReviews: total.describe('Number of ratings.'),
    })
    .describe('Summary of all ratings.'),
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
  // Choice of the owner, which `modelId` resolves.
  chosenModelId: string | null
}

export type CharacterProfile = Character & {
  greeting: string
  openers: string[]
  presetModelId: string | null
  // Bytes of UTF-8 that the character adds to each question, which the caller pays for.
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
  .pipe(filled.refine((name) => !name.includes(','), 'must not contain a comma'))
const labels = (most: number) =>
  z
    .array(label)
    .max(most, `must be at most ${most}`)
    .transform((all) => [...new Set(all)])

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

/** Query of `GET /characters`. Lists are comma-separated. Source: API contract, characters.md. */
export const CharacterQuery = z.object({
  search: line(200).default('').describe('Search in names and descriptions.'),
  categories: list(100, cleanLabel).describe('Comma-separated categories. Matches any of them.'),
  tags: list(100, cleanLabel).describe('Comma-separated tags. Matches any of them.'),
  modelId: list(200, cleanLine).describe('Filters by the model of the character.'),
  isAdult: flag.describe('Filters by adult content.'),
  isPro: flag.describe('Filters by models of the Pro tier.'),
  isWebEnabled: flag.describe('Filters by web search.'),
  limit: count(1, 50, 100).describe('Maximum number of characters.'),
  offset: count(0, 0).describe('Number of characters to skip.'),
  sortBy: z
    .enum(SORTS, `must be one of ${SORTS.join(', ')}`)
    .default('imports')
    .describe('Sort field.'),
  sortOrder: z.enum(['asc', 'desc'], 'must be asc or desc').default('desc').describe('Sort order.'),
})
export type CharacterQuery = z.output<typeof CharacterQuery>

export const GalleryQuery = CharacterQuery.extend({
  slugs: z
    .string()
    .transform((given) => given.split(',').filter(isSlugLike))
    .pipe(z.array(z.string()).max(100, 'must be at most 100'))
    .optional(),
})
export type GalleryQuery = z.output<typeof GalleryQuery>

export const ReviewQuery = z.object({
  page: count(1, 1).describe('Page number, from 1.'),
  pageSize: count(1, 20, 100).describe('Number of rows per page.'),
})
export type ReviewQuery = z.output<typeof ReviewQuery>

export const ExportQuery = z.object({
  format: z.enum(['json', 'png'], 'must be json or png').default('json'),
  spec: z.enum(['v2', 'v3'], 'must be v2 or v3').default('v3'),
})
