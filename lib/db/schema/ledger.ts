import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  unique,
  uuid,
} from 'drizzle-orm/pg-core'
import { accounts, apiKeys } from '@/lib/db/schema/accounts'
import { CURRENCIES, money, NOTHING, time } from '@/lib/db/schema/columns'

export const balances = pgTable(
  'balance',
  {
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    currency: text('currency', { enum: CURRENCIES }).notNull(),
    posted: money('posted').notNull().default(NOTHING),
    held: money('held').notNull().default(NOTHING),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.currency] }),
    check('balance_held', sql`${t.held} >= 0`),
    check('balance_available', sql`${t.posted} - ${t.held} >= 0`),
  ],
)

export const transactions = pgTable(
  'txn',
  {
    id: uuid('id').primaryKey(),
    kind: text('kind', { enum: ['credit', 'charge', 'write_off', 'refund', 'grant', 'expire', 'reversal'] }).notNull(),
    /** Makes it happen once: `charge:<id>`, `hold:<id>`, `topup:<key>`, `admin:<uuid>`. */
    idempotencyKey: text('idempotency_key').notNull().unique(),
    requestId: text('request_id'),
    reason: text('reason'),
    at: time('at').notNull().defaultNow(),
  },
  (t) => [index('txn_request').on(t.requestId)],
)

/** One leg. Never changed, never deleted. House legs carry no account: `house` names theirs. */
export const entries = pgTable(
  'entry',
  {
    txnId: uuid('txn_id')
      .notNull()
      .references(() => transactions.id),
    leg: smallint('leg').notNull(),
    accountId: uuid('account_id').references(() => accounts.id),
    house: text('house', { enum: ['revenue', 'clearing', 'promotion', 'write_off'] }),
    currency: text('currency', { enum: CURRENCIES }).notNull(),
    amount: money('amount').notNull(),
    /** The account's posted balance after this entry; null for the house, whose sum would be one hot row. */
    balanceAfter: money('balance_after'),
    /** Order of writing, which is also the order of commits for one balance: its entries are written under its lock. */
    seq: bigint('seq', { mode: 'bigint' }).generatedAlwaysAsIdentity(),
    at: time('at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ columns: [t.txnId, t.leg] }),
    index('entry_account').on(t.accountId, t.seq).where(sql`account_id is not null`),
    check('entry_amount', sql`${t.amount} <> 0`),
    check('entry_owner', sql`(${t.accountId} is null) <> (${t.house} is null)`),
  ],
)

export const holds = pgTable(
  'hold',
  {
    id: uuid('id').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    keyId: uuid('key_id').references(() => apiKeys.id),
    currency: text('currency', { enum: CURRENCIES }).notNull(),
    requestId: text('request_id').notNull(),
    amount: money('amount').notNull(),
    captured: money('captured'),
    excess: money('excess').notNull().default(NOTHING),
    /** Cost of what was delivered so far: what a sweep captures when the process died. */
    checkpoint: money('checkpoint').notNull().default(NOTHING),
    checkpointUsage: jsonb('checkpoint_usage'),
    endReason: text('end_reason'),
    endedAt: time('ended_at'),
    state: text('state', { enum: ['open', 'captured', 'released'] })
      .notNull()
      .default('open'),
    createdAt: time('created_at').notNull().defaultNow(),
    expiresAt: time('expires_at').notNull(),
  },
  (t) => [
    index('hold_open').on(t.expiresAt).where(sql`state = 'open'`),
    index('hold_account').on(t.accountId),
    check('hold_amount', sql`${t.amount} > 0`),
    check('hold_ended', sql`(${t.state} = 'open') = (${t.endedAt} is null)`),
    check('hold_captured', sql`${t.captured} is null or (${t.captured} > 0 and ${t.captured} <= ${t.amount})`),
    check('hold_state', sql`(${t.state} = 'captured') = (${t.captured} is not null)`),
  ],
)

/** A process that holds leases. One that has not been seen for a while is dead: its leases end. */
export const ledgerProcesses = pgTable('ledger_process', {
  id: uuid('id').primaryKey(),
  seenAt: time('seen_at').notNull().defaultNow(),
})

/** Credit of an account, and of the limits of a key, that one process may spend. Part of what is held. */
export const leases = pgTable(
  'lease',
  {
    id: uuid('id').primaryKey(),
    processId: uuid('process_id')
      .notNull()
      .references(() => ledgerProcesses.id),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    keyId: uuid('key_id').references(() => apiKeys.id),
    currency: text('currency', { enum: CURRENCIES }).notNull(),
    /** Leased and not charged yet. */
    amount: money('amount').notNull(),
    /** Another process needs the credit: the owner gives back what it does not use. */
    isRecalled: boolean('is_recalled').notNull().default(false),
  },
  (t) => [
    unique('lease_owner').on(t.processId, t.accountId, t.keyId, t.currency).nullsNotDistinct(),
    index('lease_account').on(t.accountId),
    check('lease_amount', sql`${t.amount} >= 0`),
  ],
)

/** What an open request has delivered so far: charged when its process dies. */
export const checkpoints = pgTable(
  'checkpoint',
  {
    /** Of the hold, and of the charge that it becomes. */
    id: uuid('id').primaryKey(),
    leaseId: uuid('lease_id')
      .notNull()
      .references(() => leases.id, { onDelete: 'cascade' }),
    requestId: text('request_id').notNull(),
    amount: money('amount').notNull(),
    usage: jsonb('usage'),
  },
  (t) => [index('checkpoint_lease').on(t.leaseId), index('checkpoint_request').on(t.requestId)],
)

/** One row per charged request, with its priced lines. Reports read it; money is in `entry`. */
export const usageRecords = pgTable(
  'usage_record',
  {
    txnId: uuid('txn_id')
      .primaryKey()
      .references(() => transactions.id),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    keyId: uuid('key_id'),
    currency: text('currency', { enum: CURRENCIES }).notNull(),
    requestId: text('request_id').notNull(),
    modelId: text('model_id'),
    modelType: text('model_type'),
    /** `[{sku, units, price (pico-dollars, text), amount (nano-dollars, text)}]`; amounts add up to the charge. */
    lines: jsonb('lines').notNull(),
    promptTokens: integer('prompt_tokens'),
    completionTokens: integer('completion_tokens'),
    durationMs: integer('duration_ms'),
    isEstimated: boolean('is_estimated').notNull().default(false),
    at: time('at').notNull().defaultNow(),
  },
  // The history is walked in this order from any line on.
  (t) => [index('usage_walk').on(t.accountId, t.at, t.txnId), index('usage_request').on(t.requestId)],
)

export const allowances = pgTable(
  'allowance',
  {
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    /** The UTC day, as YYYY-MM-DD. */
    day: text('day').notNull(),
    granted: money('granted').notNull(),
    at: time('at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.accountId, t.day] })],
)
