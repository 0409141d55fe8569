import { sql } from 'drizzle-orm'
import { bigint, check, index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { accounts } from '@/lib/db/schema/accounts'
import { bytea, money, time } from '@/lib/db/schema/columns'

/** Work that outlives its request. The functions of migrations/0009_jobs.sql hold, capture and release its money. */
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
    input: jsonb('input'),
    inputId: uuid('input_id'),
    /** The provider's name for the work that has begun: the next attempt continues it. */
    ref: jsonb('ref'),
    holdId: uuid('hold_id'),
    price: money('price').notNull(),
    usage: jsonb('usage').notNull(),
    /** Fencing token of the worker: only that lease may end the job. */
    lease: uuid('lease'),
    leaseUntil: time('lease_until'),
    attempts: integer('attempts').notNull().default(0),
    notBefore: time('not_before').notNull().defaultNow(),
    deadline: time('deadline').notNull(),
    mediaId: uuid('media_id'),
    mediaType: text('media_type'),
    mediaBytes: bigint('media_bytes', { mode: 'number' }),
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
