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

export const characters = pgTable(
  'character',
  {
    id: uuid('id').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    slug: text('slug').notNull().unique(),
    name: text('name').notNull(),
    description: text('description'),
    prompt: text('prompt').notNull(),
    greeting: text('greeting').notNull().default(''),
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
