import { sql } from 'drizzle-orm'
import { bigint, boolean, check, index, integer, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { money, NOTHING, time } from '@/lib/db/schema/columns'

/**
 * One payment of a wallet: the row is written before the money moves and its key is unique, so a payment is credited
 * exactly once.
 */
export const payments = pgTable(
  'payment',
  {
    id: uuid('id').primaryKey(),
    /** Of the payment's own contents, however spelled: EVM network:asset:from:nonce, Solana network:message hash. */
    key: text('key').notNull().unique(),
    network: text('network').notNull(),
    payer: text('payer').notNull(),
    /** Base units of USDC: 6 decimals. */
    amount: bigint('amount', { mode: 'bigint' }).notNull(),
    /** The signed payload; null for a transfer that was found on chain. */
    payload: jsonb('payload'),
    state: text('state', { enum: ['received', 'settling', 'unknown', 'confirming', 'credited', 'failed', 'reversed'] })
      .notNull()
      .default('received'),
    mayServe: boolean('may_serve').notNull().default(false),
    transaction: text('transaction'),
    reason: text('reason'),
    /**
     * When the chain can no longer take the payment: EVM `validBefore` in Unix seconds, Solana the last block height.
     */
    deadAfter: bigint('dead_after', { mode: 'bigint' }),
    leaseUntil: time('lease_until'),
    attempts: integer('attempts').notNull().default(0),
    nextCheckAt: time('next_check_at').notNull().defaultNow(),
    balanceAfter: money('balance_after'),
    creditedAt: time('credited_at'),
    isFinal: boolean('is_final').notNull().default(false),
    /** The block's number, on Solana the slot; and how often in a row the payment was missing there. */
    block: bigint('block', { mode: 'bigint' }),
    misses: integer('misses').notNull().default(0),
    /**
     * Times that the chain took it back after it was credited, and the amount that could not be reversed the last time.
     */
    reversals: integer('reversals').notNull().default(0),
    writtenOff: money('written_off').notNull().default(NOTHING),
    createdAt: time('created_at').notNull().defaultNow(),
  },
  (t) => [
    index('payment_payer').on(t.payer, t.createdAt),
    index('payment_open')
      .on(t.nextCheckAt)
      .where(sql`state in ('received', 'settling', 'unknown', 'confirming') or (state = 'credited' and not is_final)`),
    index('payment_transaction').on(t.transaction),
    check('payment_amount', sql`${t.amount} > 0`),
  ],
)
