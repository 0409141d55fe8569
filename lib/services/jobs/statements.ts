import 'server-only'
import type { Usd } from '@/lib/contract/money'
import type { Database } from '@/lib/db/database'
import {
  type JobFailure,
  type JobKind,
  LEASE_SECONDS,
  MAX_ALL_LIVE_JOBS,
  MAX_ATTEMPTS,
  MAX_LIVE_JOBS,
  MAX_RUNNING_JOBS,
} from '@/lib/services/jobs/job'
import type { Charge } from '@/lib/services/ledger/ledger-types'
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
