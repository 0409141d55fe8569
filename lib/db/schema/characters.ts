import { sql } from 'drizzle-orm'
import {
  boolean,
  check,
  index,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import { accounts } from '@/lib/db/schema/accounts'
import { bytea, time } from '@/lib/db/schema/columns'

/** Characters that people made. Those that ship stand in files; see lib/services/characters. */
export const characters = pgTable(
  'character',
  {
    id: uuid('id').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    /** Made from the first name; links to it stay good when the name changes. */
    slug: text('slug').notNull().unique(),
    name: text('name').notNull(),
    description: text('description'),
    prompt: text('prompt').notNull(),
    /** What it says first in a new chat; may be empty. */
    greeting: text('greeting').notNull().default(''),
    /** `[{role, content}]`: example messages before the chat. */
    context: jsonb('context').notNull().default([]),
    tags: text('tags').array().notNull().default([]),
    categories: text('categories').array().notNull().default([]),
    modelId: text('model_id'),
    isAdult: boolean('is_adult').notNull().default(false),
    isWebEnabled: boolean('is_web_enabled').notNull().default(false),
    replacesServicePrompt: boolean('replaces_service_prompt').notNull().default(false),
    visibility: text('visibility', { enum: ['draft', 'published'] })
      .notNull()
      .default('draft'),
    picture: bytea('picture'),
    createdAt: time('created_at').notNull().defaultNow(),
    updatedAt: time('updated_at').notNull().defaultNow(),
  },
  (t) => [
    index('character_account').on(t.accountId, t.createdAt),
    index('character_published').on(t.createdAt).where(sql`visibility = 'published'`),
    check('character_picture', sql`octet_length(${t.picture}) <= 262144`),
  ],
)

/** Ratings, of characters that ship too: their ids are in no table. */
export const characterReviews = pgTable(
  'character_review',
  {
    id: uuid('id').primaryKey(),
    characterId: uuid('character_id').notNull(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    rating: smallint('rating').notNull(),
    message: text('message'),
    createdAt: time('created_at').notNull().defaultNow(),
  },
  (t) => [
    uniqueIndex('character_review_once').on(t.characterId, t.accountId),
    index('character_review_newest').on(t.characterId, t.createdAt),
    index('character_review_account').on(t.accountId),
    check('character_review_rating', sql`${t.rating} between 1 and 5`),
  ],
)

/** Who has chatted with a character, each account once. */
export const characterUses = pgTable(
  'character_use',
  {
    characterId: uuid('character_id').notNull(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    at: time('at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.characterId, t.accountId] })],
)
