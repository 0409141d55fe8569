import 'server-only'
import type { Usd } from '@/lib/contract/money'
import type { Database } from '@/lib/db/database'
import { log } from '@/lib/kernel/log'
import {
  type JobFailure,
  type JobKind,
  LEASE_SECONDS,
  MAX_ALL_LIVE_JOBS,
  MAX_ATTEMPTS,
  MAX_LIVE_JOBS,
  MAX_RUNNING_JOBS,
  RETENTION_MS,
} from '@/lib/services/jobs/job'
import type { MediaStore } from '@/lib/services/jobs/media-store'
import type { Charge } from '@/lib/services/ledger/hold'
import { toUsage } from '@/lib/services/ledger/statements'

// Calls of the SQL functions of migrations/0009_jobs.sql.

export type QueueRow = {
  id: string
  account: string
  key?: string
  kind: JobKind
  model: string
  input: string | null
  inputId?: string
  price: Usd
  usage: unknown
  request: string
  /** Of the request's hold, with the price reserved. */
  lease?: string
  lifeSeconds: number
}

export type QueueOutcome = 'queued' | 'full' | 'busy' | 'gone'

export type JobRow = {
  id: string
  accountId: string
  kind: JobKind
  modelId: string
  input: string
  inputId: string | null
  ref: unknown
  lease: string
  attempts: number
  deadline: string
}

export async function insertJob(database: Database, row: QueueRow): Promise<QueueOutcome> {
  const [answer] = await database.query<{ outcome: QueueOutcome }>('select queue_job($1::jsonb, $2, $3) as outcome', [
    JSON.stringify({ ...row, price: row.price.toString() }),
    MAX_LIVE_JOBS,
    MAX_ALL_LIVE_JOBS,
  ])
  if (!answer) throw new Error('the database gave no answer for a job')
  return answer.outcome
}

export async function claimJob(database: Database, kinds: readonly JobKind[]): Promise<JobRow | undefined> {
  const [row] = await database.query<JobRow>(
    `select id::text, account_id::text as "accountId", kind, model_id as "modelId", input #>> '{}' as input, input_id::text as "inputId",
       ref, lease::text, attempts::int, to_char(deadline at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as deadline
     from claim_job($1::text[], $2, $3, $4)`,
    [kinds, MAX_RUNNING_JOBS, MAX_ATTEMPTS, LEASE_SECONDS],
  )
  return row
}

export type Lease = { id: string; lease: string }

export async function renewLeases(database: Database, leases: Lease[]): Promise<Set<string>> {
  const rows = await database.query<{ id: string }>('select id::text from renew_jobs($1::jsonb, $2)', [
    JSON.stringify(leases),
    LEASE_SECONDS,
  ])
  return new Set(rows.map(({ id }) => id))
}

export async function noteRef(database: Database, { id, lease }: Lease, ref: unknown): Promise<boolean> {
  const rows = await database.query('update job set ref = $3::jsonb where id = $1 and lease = $2 returning 1', [
    id,
    lease,
    JSON.stringify(ref),
  ])
  return rows.length > 0
}

export type End = { media: { id: string; type: string; bytes: number }; charge?: Charge } | { failure: JobFailure }

/** @returns false when the lease was lost: then nothing has changed. */
export async function endJob(database: Database, { id, lease }: Lease, end: End): Promise<boolean> {
  if ('charge' in end && end.charge) await lowerPrice(database, { id, lease }, end.charge)
  const [row] = await database.query<{ is_ended: boolean }>(
    'select end_job($1::uuid, $2::uuid, $3::jsonb, $4::jsonb) as is_ended',
    [
      id,
      lease,
      'media' in end ? JSON.stringify(end.media) : null,
      'failure' in end ? JSON.stringify(storable(end.failure)) : null,
    ],
  )
  return row?.is_ended === true
}

async function lowerPrice(database: Database, { id, lease }: Lease, charge: Charge): Promise<void> {
  await database.query(
    'update job set price = $3::bigint, usage = $4::jsonb where id = $1 and lease = $2 and price > $3',
    [id, lease, charge.amount.toString(), JSON.stringify(toUsage(charge))],
  )
}

const storable = ({ reason, message }: JobFailure): JobFailure => ({
  reason,
  message: message.replace(/\p{Cc}/gu, ' ').toWellFormed(),
})

// Returns a job to the queue, from `delayMs` on. `isCounted`: the attempt counts; that of a draining process does not.
export async function returnJob(
  database: Database,
  { id, lease }: Lease,
  { delayMs, isCounted }: { delayMs: number; isCounted: boolean },
): Promise<void> {
  await database.query(
    `update job set state = 'queued', lease = null, lease_until = null, attempts = attempts - $3::int,
       not_before = now() + make_interval(secs => $4::float8)
     where id = $1 and lease = $2`,
    [id, lease, isCounted ? 0 : 1, delayMs / 1_000],
  )
}

export async function dropLeases(database: Database): Promise<void> {
  await database.query(`update job set lease_until = now() - interval '1 second' where state = 'running'`)
}

export async function cancelJob(database: Database, id: string): Promise<boolean> {
  const [row] = await database.query<{ is_cancelled: boolean }>('select cancel_job($1::uuid) as is_cancelled', [id])
  return row?.is_cancelled === true
}

export async function stateOf(database: Database, id: string): Promise<string | undefined> {
  const [row] = await database.query<{ state: string }>('select state from job where id = $1', [id])
  return row?.state
}

async function dropLateJobs(database: Database, max: number): Promise<number> {
  const [row] = await database.query<{ dropped: number }>('select drop_late_jobs($1, $2) as dropped', [
    MAX_ATTEMPTS,
    max,
  ])
  return row?.dropped ?? 0
}

const BATCH = 100
const MAX_INPUT_BATCHES = 1_000
const REMEMBERED_DAYS = 30
const LEFTOVER_MS = 3 * 3_600_000

/**
 * Fails jobs that nobody will finish, and forgets what was kept long enough. Every process runs it; it is idempotent.
 */
export async function sweepJobs(database: Database, store: MediaStore, now = Date.now()): Promise<void> {
  const dropped = await dropLateJobs(database, BATCH)
  if (dropped > 0) log().warn({ dropped }, 'jobs without an end were given up and refunded')
  await forgetResults(database, store, now)
  await forgetInputs(database, store)
  await forgetLeftovers(database, store, now)
  await database.query(
    `delete from job where id in (
       select id from job where finished_at < now() - make_interval(days => ${REMEMBERED_DAYS})
         and media_id is null and input_id is null limit ${BATCH})`,
  )
}

async function forgetResults(database: Database, store: MediaStore, now: number): Promise<void> {
  const rows = await database.query<{ id: string; media: string }>(
    `select id::text, media_id::text as media from job
     where media_id is not null and finished_at < $1::timestamptz limit ${BATCH}`,
    [new Date(now - RETENTION_MS).toISOString()],
  )
  for (const { id, media } of rows) await forgetMedia(database, store, { id, media })
}

// Removes the file first: while the row names it, whoever fails in between tries again.
export async function forgetMedia(
  database: Database,
  store: MediaStore,
  { id, media }: { id: string; media: string },
): Promise<void> {
  await store.remove(media)
  await database.query('update job set media_id = null, media_type = null, media_bytes = null where id = $1', [id])
}

async function forgetInputs(database: Database, store: MediaStore): Promise<void> {
  for (let batch = 0; batch < MAX_INPUT_BATCHES; batch++) {
    const rows = await database.query<{ id: string; input: string }>(
      `select id::text, input_id::text as input from job
       where input_id is not null and finished_at is not null limit ${BATCH}`,
    )
    for (const { input } of rows) await store.remove(input)
    await database.query('update job set input_id = null where id = any($1::uuid[])', [rows.map(({ id }) => id)])
    if (rows.length < BATCH) return
  }
}

async function forgetLeftovers(database: Database, store: MediaStore, now: number): Promise<void> {
  const old = (await store.olderThan(new Date(now - LEFTOVER_MS))).slice(0, BATCH * 10)
  if (old.length === 0) return
  const named = await database.query<{ id: string }>(
    `select unnest(array[media_id, input_id])::text as id from job
     where media_id = any($1::uuid[]) or input_id = any($1::uuid[])`,
    [old],
  )
  const isNamed = new Set(named.map(({ id }) => id))
  for (const id of old) if (!isNamed.has(id)) await store.remove(id)
}
