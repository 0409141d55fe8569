import { doublePrecision, index, integer, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
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

/** Counters that processes share when there is no Redis: windows of requests and tokens, taken in blocks. */
export const counters = pgTable('counter', {
  key: text('key').primaryKey(),
  used: money('used').notNull(),
  expiresAt: time('expires_at').notNull(),
})

/** Places for requests under way: `holders` has of each process its places and when its lease ends. Not logged: see 0011. */
export const concurrencyLeases = pgTable('concurrency_lease', {
  name: text('name').primaryKey(),
  placesLimit: integer('places_limit').notNull(),
  holders: jsonb('holders').notNull(),
  expiresAt: time('expires_at').notNull(),
})

/** The latest failed requests of a caller, in seconds of the database's clock, and until when it is blocked. */
export const failedRequests = pgTable('failed_request', {
  caller: text('caller').primaryKey(),
  failedAt: doublePrecision('failed_at').array().notNull(),
  blockedUntil: doublePrecision('blocked_until').notNull(),
  expiresAt: time('expires_at').notNull(),
})
