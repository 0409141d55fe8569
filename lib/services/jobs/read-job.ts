import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import { isUuid } from '@/lib/contract/ids'
import { getDb } from '@/lib/db/client'
import type { JobFailure, JobKind, JobState } from '@/lib/services/jobs/job'
import { catalogue } from '@/lib/services/models/catalogue'

const SAMPLE = 100

export type SeenJob = {
  id: string
  kind: JobKind
  modelId: string
  state: JobState
  media?: { id: string; type: string; bytes: number }
  failure?: JobFailure
  runningMs: number
}

type Row = {
  id: string
  kind: JobKind
  modelId: string
  state: JobState
  mediaId: string | null
  mediaType: string | null
  mediaBytes: string | null
  failure: JobFailure | null
  runningMs: number
}

/**
 * Reads a job of this account.
 * @throws ApiError REQUEST_ID_NOT_FOUND: an id that is unknown, another account's, of another kind, or of another model
 * than the caller names.
 */
export async function readJob(
  { accountId }: { accountId: string },
  kind: JobKind,
  { id, model }: { id: string; model?: string },
): Promise<SeenJob> {
  const [row] = isUuid(id) ? await select(kind, id, accountId) : []
  if (!row || (model !== undefined && !isNameOf(model, row))) {
    throw new ApiError(
      'REQUEST_ID_NOT_FOUND',
      'There is no job with this queue_id for this account and model. Send the queue_id and model that the queue call answered.',
    )
  }
  return seenJob(row)
}

export async function findJob(kind: JobKind, id: string): Promise<SeenJob | undefined> {
  const [row] = await select(kind, id)
  return row && seenJob(row)
}

function seenJob({ mediaId, mediaType, mediaBytes, failure, ...seen }: Row): SeenJob {
  return {
    ...seen,
    ...(mediaId !== null && { media: { id: mediaId, type: mediaType ?? '', bytes: Number(mediaBytes) } }),
    ...(failure !== null && { failure }),
  }
}

function isNameOf(name: string, { modelId, kind }: Row): boolean {
  if (name === modelId) return true
  const models = catalogue()
  return (models.traits(kind, Date.now()).get(name) ?? models.aliases(kind).get(name))?.id === modelId
}

async function select(kind: JobKind, id: string, accountId?: string): Promise<Row[]> {
  const { query } = await getDb()
  return query<Row>(
    `select id::text, kind, model_id as "modelId", state, media_id::text as "mediaId", media_type as "mediaType",
       media_bytes::text as "mediaBytes", failure,
       coalesce(extract(epoch from coalesce(finished_at, now()) - started_at) * 1000, 0)::int as "runningMs"
     from job where id = $1 and kind = $2 and ($3::uuid is null or account_id = $3)`,
    [id, kind, accountId ?? null],
  )
}

/** Returns the 80th percentile of a model's newest jobs in milliseconds; undefined before the first. */
export async function usualMs(modelId: string): Promise<number | undefined> {
  const { query } = await getDb()
  const [row] = await query<{ ms: number | null }>(
    `select (percentile_cont(0.8) within group (order by extract(epoch from d.finished_at - d.started_at)) * 1000)::int as ms
     from (select * from job where model_id = $1 and state = 'done' order by finished_at desc limit ${SAMPLE}) d`,
    [modelId],
  )
  return row?.ms ?? undefined
}
