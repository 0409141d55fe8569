import { index, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { money, time } from '@/lib/db/schema/columns'

/** The latest refusals for a caller's rate-limit log. */
export const rateLimitBreaches = pgTable(
  'rate_limit_breach',
  {
    id: uuid('id').primaryKey(),
    accountId: uuid('account_id').notNull(),
    keyId: uuid('key_id'),
    modelId: text('model_id').notNull(),
    tier: text('tier').notNull(),
    type: text('type').notNull(),
    at: time('at').notNull().defaultNow(),
  },
  (t) => [index('breach_account').on(t.accountId, t.at)],
)

/** Counters that several processes share when there is no Redis: windows of requests and tokens, taken in blocks. */
export const counters = pgTable('counter', {
  key: text('key').primaryKey(),
  used: money('used').notNull(),
  expiresAt: time('expires_at').notNull(),
})
