import { sql } from 'drizzle-orm'
import { boolean, check, index, integer, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { bytea, money, NOTHING, time } from '@/lib/db/schema/columns'

export const accounts = pgTable('account', {
  id: uuid('id').primaryKey(),
  kind: text('kind', { enum: ['account', 'wallet', 'guest'] }).notNull(),
  ref: text('ref').unique(),
  name: text('name').notNull().default(''),
  status: text('status', { enum: ['active', 'disabled', 'inactive'] })
    .notNull()
    .default('active'),
  isPro: boolean('is_pro').notNull().default(false),
  rateMultiplier: integer('rate_multiplier').notNull().default(1),
  createdAt: time('created_at').notNull().defaultNow(),
})

export const apiKeys = pgTable(
  'api_key',
  {
    id: uuid('id').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    type: text('type', { enum: ['ADMIN', 'INFERENCE'] }).notNull(),
    description: text('description').notNull().default(''),
    /** SHA-256 of the whole secret: 256 random bits need no slow hash. */
    hash: bytea('hash').notNull(),
    last6: text('last6').notNull(),
    modelPrivacy: text('model_privacy', { enum: ['ALL', 'PRIVATE_TEXT', 'PRIVATE_ONLY'] })
      .notNull()
      .default('ALL'),
    limitUsd: money('limit_usd'),
    limitDiem: money('limit_diem'),
    limitPeriod: text('limit_period', { enum: ['EPOCH', 'MONTH', 'LIFETIME'] })
      .notNull()
      .default('EPOCH'),
    /** Spent since `periodStart`, and set aside by leases and jobs. USD includes bundled credits. */
    periodStart: time('period_start').notNull().defaultNow(),
    spentUsd: money('spent_usd').notNull().default(NOTHING),
    spentDiem: money('spent_diem').notNull().default(NOTHING),
    heldUsd: money('held_usd').notNull().default(NOTHING),
    heldDiem: money('held_diem').notNull().default(NOTHING),
    /**
     * Spent and held when a limit was last changed: a limit may be set below what is gone already. Kept by a trigger.
     */
    floorUsd: money('floor_usd').notNull().default(NOTHING),
    floorDiem: money('floor_diem').notNull().default(NOTHING),
    rateMultiplier: integer('rate_multiplier').notNull().default(1),
    expiresAt: time('expires_at'),
    revokedAt: time('revoked_at'),
    lastUsedAt: time('last_used_at'),
    createdAt: time('created_at').notNull().defaultNow(),
  },
  (t) => [
    uniqueIndex('api_key_hash').on(t.hash),
    index('api_key_account').on(t.accountId),
    check('api_key_held', sql`${t.heldUsd} >= 0 and ${t.heldDiem} >= 0`),
  ],
)

export const sessions = pgTable(
  'session',
  {
    id: uuid('id').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    hash: bytea('hash').notNull(),
    kind: text('kind', { enum: ['guest', 'wallet', 'account'] }).notNull(),
    browser: text('browser').notNull().default(''),
    createdAt: time('created_at').notNull().defaultNow(),
    expiresAt: time('expires_at').notNull(),
    revokedAt: time('revoked_at'),
  },
  (t) => [uniqueIndex('session_hash').on(t.hash), index('session_account').on(t.accountId)],
)

export const signInNonces = pgTable(
  'sign_in_nonce',
  {
    /** As signed: EVM lower-case, Solana as given. `web3-key` for the tokens of key generation. */
    address: text('address').notNull(),
    nonce: text('nonce').notNull(),
    messageHash: bytea('message_hash').notNull(),
    expiresAt: time('expires_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.address, t.nonce] }), index('sign_in_nonce_expiry').on(t.expiresAt)],
)

export const installation = pgTable('installation', {
  key: text('key').primaryKey(),
  value: text('value').notNull(),
  at: time('at').notNull().defaultNow(),
})
