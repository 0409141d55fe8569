import { pgTable, text } from 'drizzle-orm/pg-core'
import { time } from '@/lib/db/schema/columns'

export const installation = pgTable('installation', {
  key: text('key').primaryKey(),
  value: text('value').notNull(),
  at: time('at').notNull().defaultNow(),
})
