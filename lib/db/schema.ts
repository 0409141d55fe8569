import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
  customType,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'

const bytea = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => 'bytea' })
/** Nano-dollars. Typed as bigint on both drivers; raw SQL must cast to text, since their raw types differ. */
const money = (name: string) => bigint(name, { mode: 'bigint' })
/** As SQL, because drizzle-kit cannot write a bigint into its snapshots. */
const NOTHING = sql`0`
const time = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

export const CURRENCIES = ['DIEM', 'BUNDLED_CREDITS', 'USD'] as const

/** Who pays: an account of keys, a wallet, or a sandbox guest. */
export const accounts = pgTable('account', {
  id: uuid('id').primaryKey(),
  kind: text('kind', { enum: ['account', 'wallet', 'guest'] }).notNull(),
  /** A wallet's address; nothing for the others. */
  ref: text('ref').unique(),
  name: text('name').notNull().default(''),
  status: text('status', { enum: ['active', 'disabled', 'inactive'] })
    .notNull()
    .default('active'),
  /** May use models whose `access` is `pro`. */
  isPro: boolean('is_pro').notNull().default(false),
  /** Multiplies the rate limits of the account's tier. */
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
    /** What was spent since `periodStart`, and what open holds set aside. USD counts bundled credits too. */
    periodStart: time('period_start').notNull().defaultNow(),
    spentUsd: money('spent_usd').notNull().default(NOTHING),
    spentDiem: money('spent_diem').notNull().default(NOTHING),
    heldUsd: money('held_usd').notNull().default(NOTHING),
    heldDiem: money('held_diem').notNull().default(NOTHING),
    /** Spent and held when a limit was last changed: a limit may be set below what is gone already. Kept by a trigger. */
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

/** Browser sessions: a same-origin cookie, of which only the hash is kept. */
export const sessions = pgTable(
  'session',
  {
    id: uuid('id').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    hash: bytea('hash').notNull(),
    kind: text('kind', { enum: ['guest', 'wallet', 'account'] }).notNull(),
    /** Which browser opened it, in words for the list of sessions. */
    browser: text('browser').notNull().default(''),
    createdAt: time('created_at').notNull().defaultNow(),
    expiresAt: time('expires_at').notNull(),
    revokedAt: time('revoked_at'),
  },
  (t) => [uniqueIndex('session_hash').on(t.hash), index('session_account').on(t.accountId)],
)

/** What an account has in one currency: the rolled-up sum of its entries, and what open holds set aside. */
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

/** One event that moved money; its entries add up to zero. */
export const transactions = pgTable(
  'txn',
  {
    id: uuid('id').primaryKey(),
    kind: text('kind', { enum: ['credit', 'charge', 'write_off', 'refund', 'grant', 'expire', 'reversal'] }).notNull(),
    /** Makes it happen once: `hold:<id>`, `topup:<key>`, `admin:<uuid>`. */
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
    /** The account's posted balance after this entry; none for the house, whose sum would be one hot row. */
    balanceAfter: money('balance_after'),
    /** Order of writing. The entries of one balance are written under its lock, so theirs is also the order of commits. */
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

/** Credit set aside while work runs. Ends once: captured or released. */
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
    /** What was taken of `amount`, and what a second debit took beyond it. Their sum is the charge. */
    captured: money('captured'),
    excess: money('excess').notNull().default(NOTHING),
    /** Cost of what was delivered so far: what a sweep captures when the process died. */
    checkpoint: money('checkpoint').notNull().default(NOTHING),
    checkpointUsage: jsonb('checkpoint_usage'),
    /** Why it was released, or `expired` when a sweep ended it. */
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

/** What a charge was for: one row a request, its priced lines inside. Reports read it; money is in `entry`. */
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
    /** Counted by us because the engine did not say. */
    isEstimated: boolean('is_estimated').notNull().default(false),
    at: time('at').notNull().defaultNow(),
  },
  // The history is walked in this order from any line on.
  (t) => [index('usage_walk').on(t.accountId, t.at, t.txnId), index('usage_request').on(t.requestId)],
)

/** Proofs of a wallet that were used: each (address, nonce) counts once. Rows are dropped when the proof is too old anyway. */
export const signInNonces = pgTable(
  'sign_in_nonce',
  {
    /** As signed: EVM lower-case, Solana as given. `web3-key` for the tokens of key generation. */
    address: text('address').notNull(),
    nonce: text('nonce').notNull(),
    /** SHA-256 of the signed text. */
    messageHash: bytea('message_hash').notNull(),
    expiresAt: time('expires_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.address, t.nonce] }), index('sign_in_nonce_expiry').on(t.expiresAt)],
)

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

/** The daily credit of staked tokens: what an account was given for one UTC day. */
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

/** Characters that people made. Those that ship stand in files; see lib/characters. */
export const characters = pgTable(
  'character',
  {
    id: uuid('id').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    /** Made from the first name; links to it stay good when the name changes. */
    slug: text('slug').notNull().unique(),
    name: text('name').notNull(),
    description: text('description'),
    prompt: text('prompt').notNull(),
    /** What it says first in a new chat; may be empty. */
    greeting: text('greeting').notNull().default(''),
    /** `[{role, content}]`: example messages before the chat. */
    context: jsonb('context').notNull().default([]),
    tags: text('tags').array().notNull().default([]),
    categories: text('categories').array().notNull().default([]),
    modelId: text('model_id'),
    isAdult: boolean('is_adult').notNull().default(false),
    isWebEnabled: boolean('is_web_enabled').notNull().default(false),
    replacesServicePrompt: boolean('replaces_service_prompt').notNull().default(false),
    visibility: text('visibility', { enum: ['draft', 'published'] })
      .notNull()
      .default('draft'),
    picture: bytea('picture'),
    createdAt: time('created_at').notNull().defaultNow(),
    updatedAt: time('updated_at').notNull().defaultNow(),
  },
  (t) => [
    index('character_account').on(t.accountId, t.createdAt),
    index('character_published').on(t.createdAt).where(sql`visibility = 'published'`),
    check('character_picture', sql`octet_length(${t.picture}) <= 262144`),
  ],
)

/** Ratings, of characters that ship too: their ids are in no table. */
export const characterReviews = pgTable(
  'character_review',
  {
    id: uuid('id').primaryKey(),
    characterId: uuid('character_id').notNull(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    rating: smallint('rating').notNull(),
    message: text('message'),
    createdAt: time('created_at').notNull().defaultNow(),
  },
  (t) => [
    uniqueIndex('character_review_once').on(t.characterId, t.accountId),
    index('character_review_newest').on(t.characterId, t.createdAt),
    index('character_review_account').on(t.accountId),
    check('character_review_rating', sql`${t.rating} between 1 and 5`),
  ],
)

/** Who has chatted with a character, each account once. */
export const characterUses = pgTable(
  'character_use',
  {
    characterId: uuid('character_id').notNull(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    at: time('at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.characterId, t.accountId] })],
)

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

/**
 * Replies of the JSON-RPC proxy by the caller's own key, for a day. Without a status the first call is still under way. No
 * foreign key here and in the next two: what they note goes away by itself, and one unknown account must not fail the
 * others of its statement.
 */
export const rpcReplies = pgTable(
  'rpc_reply',
  {
    accountId: uuid('account_id').notNull(),
    key: text('key').notNull(),
    /** SHA-256 of the network and the body. */
    fingerprint: bytea('fingerprint').notNull(),
    /** Who runs the call: only that claim may keep or drop the row. */
    claim: uuid('claim').notNull(),
    /** Until then nobody else runs it. */
    leaseUntil: time('lease_until').notNull(),
    expiresAt: time('expires_at').notNull(),
    requestId: text('request_id').notNull(),
    status: smallint('status'),
    body: bytea('body'),
    /** The body is compressed. */
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

/** How many rows and bytes of bodies an account has in `rpc_reply`: always the sum of its rows. */
export const rpcReplyTotals = pgTable(
  'rpc_reply_total',
  {
    accountId: uuid('account_id').primaryKey(),
    keys: integer('keys').notNull(),
    bytes: bigint('bytes', { mode: 'number' }).notNull(),
  },
  (t) => [check('rpc_reply_total_range', sql`${t.keys} >= 0 and ${t.bytes} >= 0`)],
)

/** Credits of the JSON-RPC proxy that an account used, by the hour that they were used in. */
export const rpcCredits = pgTable(
  'rpc_credits',
  {
    accountId: uuid('account_id').notNull(),
    hour: time('hour').notNull(),
    credits: bigint('credits', { mode: 'number' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.accountId, t.hour] }), index('rpc_credits_hour').on(t.hour)],
)

/**
 * Chats that are shared by link, as ciphertext: the key is in the part of the link that browsers do not send. A row goes
 * when its time is over, or when someone shows the secret that the sharing browser keeps.
 */
export const shares = pgTable(
  'share',
  {
    id: text('id').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    /** SHA-256 of what takes it back. */
    secretHash: bytea('secret_hash').notNull(),
    body: bytea('body').notNull(),
    createdAt: time('created_at').notNull().defaultNow(),
    expiresAt: time('expires_at').notNull(),
  },
  (t) => [
    index('share_account').on(t.accountId, t.createdAt),
    index('share_expiry').on(t.expiresAt),
    check('share_body', sql`octet_length(${t.body}) <= 2097152`),
  ],
)

/** Facts about this installation, such as that the first admin key was shown. */
export const installation = pgTable('installation', {
  key: text('key').primaryKey(),
  value: text('value').notNull(),
  at: time('at').notNull().defaultNow(),
})

/** Work that outlives its request. Its money is held, captured and released by the functions of migrations/0009_jobs.sql. */
export const jobs = pgTable(
  'job',
  {
    id: uuid('id').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    kind: text('kind').notNull(),
    modelId: text('model_id').notNull(),
    state: text('state', { enum: ['queued', 'running', 'done', 'failed', 'cancelled'] })
      .notNull()
      .default('queued'),
    /** What to do. Forgotten when the job ends: it holds what somebody wrote. */
    input: jsonb('input'),
    /** Or where it is kept when it is long. */
    inputId: uuid('input_id'),
    /** What the engine calls the work that it has begun: another process goes on with it. */
    ref: jsonb('ref'),
    /** Nothing for work that is free. */
    holdId: uuid('hold_id'),
    price: money('price').notNull(),
    /** What the charge is for, as `usage_record` keeps it. */
    usage: jsonb('usage').notNull(),
    /** Who runs it, until then: only that lease may end it. */
    lease: uuid('lease'),
    leaseUntil: time('lease_until'),
    attempts: integer('attempts').notNull().default(0),
    notBefore: time('not_before').notNull().defaultNow(),
    deadline: time('deadline').notNull(),
    mediaId: uuid('media_id'),
    mediaType: text('media_type'),
    mediaBytes: bigint('media_bytes', { mode: 'number' }),
    /** `{reason, message}`: why it failed, fit to be shown. */
    failure: jsonb('failure'),
    createdAt: time('created_at').notNull().defaultNow(),
    startedAt: time('started_at'),
    finishedAt: time('finished_at'),
  },
  (t) => [
    index('job_live').on(t.createdAt).where(sql`state in ('queued', 'running')`),
    index('job_live_account').on(t.accountId).where(sql`state in ('queued', 'running')`),
    index('job_done').on(t.modelId, t.finishedAt).where(sql`state = 'done'`),
    index('job_kept').on(t.finishedAt).where(sql`media_id is not null`),
    index('job_ended').on(t.finishedAt).where(sql`finished_at is not null`),
    check('job_lease', sql`(${t.state} = 'running') = (${t.lease} is not null)`),
    check('job_finished', sql`(${t.state} in ('queued', 'running')) = (${t.finishedAt} is null)`),
    check('job_media', sql`${t.mediaId} is null or ${t.state} = 'done'`),
  ],
)

/** Files of jobs, in pieces, where processes on several machines share a database. */
export const jobMedia = pgTable(
  'job_media',
  {
    mediaId: uuid('media_id').notNull(),
    n: integer('n').notNull(),
    bytes: bytea('bytes').notNull(),
    at: time('at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ columns: [t.mediaId, t.n] }),
    check('job_media_piece', sql`octet_length(${t.bytes}) <= 1048576`),
  ],
)
