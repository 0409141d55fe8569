import { sql } from 'drizzle-orm'
import { bigint, boolean, check, index, integer, pgTable, primaryKey, smallint, text, uuid } from 'drizzle-orm/pg-core'
import { bytea, money, time } from '@/lib/db/schema/columns'

/**
 * Replies of the JSON-RPC proxy by the caller's own key, for a day. Without a status the first call is still under way.
 * No foreign keys here and in the next two: one unknown account must not fail the others of its statement.
 */
export const rpcReplies = pgTable(
  'rpc_reply',
  {
    accountId: uuid('account_id').notNull(),
    key: text('key').notNull(),
    /** SHA-256 of the network and the body. */
    fingerprint: bytea('fingerprint').notNull(),
    claim: uuid('claim').notNull(),
    leaseUntil: time('lease_until').notNull(),
    expiresAt: time('expires_at').notNull(),
    requestId: text('request_id').notNull(),
    status: smallint('status'),
    body: bytea('body'),
    isPacked: boolean('is_packed').notNull().default(false),
    credits: integer('credits'),
    cost: money('cost'),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.key] }),
    index('rpc_reply_expiry').on(t.expiresAt),
    check(
      'rpc_reply_kept',
      sql`(${t.status} is null) = (${t.body} is null) and (${t.status} is null) = (${t.credits} is null) and (${t.status} is null) = (${t.cost} is null)`,
    ),
  ],
)

export const rpcReplyTotals = pgTable(
  'rpc_reply_total',
  {
    accountId: uuid('account_id').primaryKey(),
    keys: integer('keys').notNull(),
    bytes: bigint('bytes', { mode: 'number' }).notNull(),
  },
  (t) => [check('rpc_reply_total_range', sql`${t.keys} >= 0 and ${t.bytes} >= 0`)],
)

export const rpcCredits = pgTable(
  'rpc_credits',
  {
    accountId: uuid('account_id').notNull(),
    hour: time('hour').notNull(),
    credits: bigint('credits', { mode: 'number' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.accountId, t.hour] }), index('rpc_credits_hour').on(t.hour)],
)
