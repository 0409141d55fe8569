import { doublePrecision, index, integer, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { money, time } from '@/lib/db/schema/columns'

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

export const counters = pgTable('counter', {
  key: text('key').primaryKey(),
  used: money('used').notNull(),
  expiresAt: time('expires_at').notNull(),
})

/** Slots of requests under way: `holders` has each process's slots and the end of its lease. Unlogged: see 0011. */
export const concurrencyLeases = pgTable('concurrency_lease', {
  name: text('name').primaryKey(),
  placesLimit: integer('places_limit').notNull(),
  holders: jsonb('holders').notNull(),
  expiresAt: time('expires_at').notNull(),
})

export const failedRequests = pgTable('failed_request', {
  caller: text('caller').primaryKey(),
  failedAt: doublePrecision('failed_at').array().notNull(),
  blockedUntil: doublePrecision('blocked_until').notNull(),
  expiresAt: time('expires_at').notNull(),
})
