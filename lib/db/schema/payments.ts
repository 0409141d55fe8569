import { sql } from 'drizzle-orm'
import { bigint, boolean, check, index, integer, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { money, NOTHING, time } from '@/lib/db/schema/columns'

/**
 * One payment of a wallet to us: the row stands before the money moves, and its key is unique, so a payment is credited
 * at least once and at most once.
 */
export const payments = pgTable(
  'payment',
  {
    id: uuid('id').primaryKey(),
    /** Of the payment's own contents, however it was spelled: EVM network:asset:from:nonce, Solana network:message hash. */
    key: text('key').notNull().unique(),
    /** CAIP-2. */
    network: text('network').notNull(),
    /** EVM lower-case, Solana as given. */
    payer: text('payer').notNull(),
    /** Base units of USDC: 6 decimals. */
    amount: bigint('amount', { mode: 'bigint' }).notNull(),
    /** The signed payload, to settle or look for again; nothing for a transfer that was found on chain. */
    payload: jsonb('payload'),
    state: text('state', { enum: ['received', 'settling', 'unknown', 'confirming', 'credited', 'failed', 'reversed'] })
      .notNull()
      .default('received'),
    /** May still admit one request of the route that it was sent to; see docs/adr. */
    mayServe: boolean('may_serve').notNull().default(false),
    /** Not unique: some facilitators settle several payments in one transaction. */
    transaction: text('transaction'),
    /** Why it failed, in a facilitator's or chain's code. */
    reason: text('reason'),
    /** The chain itself can no longer take the payment: EVM `validBefore`, in Unix seconds; Solana the last block height. */
    deadAfter: bigint('dead_after', { mode: 'bigint' }),
    /** Who works on it, until then. */
    leaseUntil: time('lease_until'),
    attempts: integer('attempts').notNull().default(0),
    nextCheckAt: time('next_check_at').notNull().defaultNow(),
    /** The balance that the first answer told; a repeat tells the same. */
    balanceAfter: money('balance_after'),
    creditedAt: time('credited_at'),
    /** The chain will not take it back any more. */
    isFinal: boolean('is_final').notNull().default(false),
    /** Where it was found: the block's number, on Solana the slot; and how often in a row it was gone from there. */
    block: bigint('block', { mode: 'bigint' }),
    misses: integer('misses').notNull().default(0),
    /** How often the chain took it back after it was credited, and what could not be taken back the last time. */
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
