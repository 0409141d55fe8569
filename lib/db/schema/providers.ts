import { boolean, doublePrecision, jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import { bytea, time } from '@/lib/db/schema/columns'

/** Model servers that the operator connected in the page or with a command. Validated when they are read. */
export const providers = pgTable('provider', {
  name: text('name').primaryKey(),
  preset: text('preset'),
  definition: jsonb('definition').notNull(),
  /** Encrypted with a secret of this installation; only its last four characters are shown. */
  key: bytea('key'),
  keyLast4: text('key_last4'),
  models: jsonb('models').notNull(),
  marginPercent: doublePrecision('margin_percent').notNull(),
  isPaused: boolean('is_paused').notNull().default(false),
  createdAt: time('created_at').notNull().defaultNow(),
  updatedAt: time('updated_at').notNull().defaultNow(),
})
