import 'server-only'
import { JOB_RETENTION_MS } from '@/lib/contract/jobs'
import type { Database } from '@/lib/db/database'
import { log } from '@/lib/kernel/log'
import { MAX_ATTEMPTS } from '@/lib/services/jobs/job'
import type { MediaStore } from '@/lib/services/jobs/media-store'

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
    [new Date(now - JOB_RETENTION_MS).toISOString()],
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
