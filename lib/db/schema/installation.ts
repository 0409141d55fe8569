import { pgTable, text } from 'drizzle-orm/pg-core'
import { time } from '@/lib/db/schema/columns'

/** Facts about this installation, such as that the first admin key was shown. */
export const installation = pgTable('installation', {
  key: text('key').primaryKey(),
  value: text('value').notNull(),
  at: time('at').notNull().defaultNow(),
})
