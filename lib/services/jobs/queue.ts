import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import { isUuid, uuid } from '@/lib/contract/ids'
import { getDb } from '@/lib/db/client'
import { config } from '@/lib/kernel/config'
import { perProcess } from '@/lib/kernel/per-process'
import type { RequestContext } from '@/lib/kernel/request-context'
import { JOB_LIFE_SECONDS, type JobFailure, type JobKind, type JobState, MAX_LIVE_JOBS } from '@/lib/services/jobs/job'
import { mediaStore } from '@/lib/services/jobs/media-store'
import { cancelJob, insertJob } from '@/lib/services/jobs/statements'
import { transfer } from '@/lib/services/ledger/ledger'
import type { Charge, Hold } from '@/lib/services/ledger/ledger-types'
import type { Meter } from '@/lib/services/ledger/meter'
import { ledgerUnavailable } from '@/lib/services/ledger/refusal'
import { toUsage } from '@/lib/services/ledger/statements'
import { catalogue } from '@/lib/services/models/catalogue'
import type { Model } from '@/lib/services/models/model'

// A longer input (images inside it) is kept as a file: a row is read whenever its job is looked at.
const MAX_ROW_CHARACTERS = 16_384
const MAX_INPUT_BYTES = 64 * 1024 * 1024
const FULL_RETRY_SECONDS = 10
const STORE_RETRY_SECONDS = 60

export type Order = {
  kind: JobKind
  modelId: string
  input: unknown
  hold: Hold
  charge: Charge
}

/**
 * Queues work and holds its price, which the request holds, for as long as the work may live, in one transaction.
 * @returns the job's id.
 * @throws ApiError RATE_LIMIT_EXCEEDED when the account has too many live jobs, SERVICE_UNAVAILABLE when the service
 * has, or has no room for results; and as `hold`.
 */
export async function queueJob({ kind, modelId, input, hold, charge }: Order): Promise<string> {
  await assertCapacity()
  const id = uuid()
  const stored = await keepInput(input)
  const { accountId, keyId, requestId } = hold
  const { amount } = charge
  const database = await getDb()
  const row = {
    id,
    account: accountId,
    key: keyId,
    kind,
    model: modelId,
    ...stored,
    price: amount,
    usage: toUsage(charge),
    request: requestId,
    lifeSeconds: JOB_LIFE_SECONDS,
  }
  const insert = (lease?: string) => insertJob(database, { ...row, lease })
  const queueing = amount > 0n ? transfer(hold, amount, insert, (outcome) => outcome === 'queued') : insert()
  const outcome = await queueing.catch(async (error: unknown) => {
    // It may have been written before its answer was lost, and nobody would ever hear of this id.
    const isUndone = await cancelJob(database, id).then(
      () => true,
      () => false,
    )
    throw isUndone ? ledgerUnavailable(error) : maybeQueued(error)
  })
  if (outcome !== 'queued' && stored.inputId) await (await mediaStore()).remove(stored.inputId)
  switch (outcome) {
    case 'queued':
      wakeWorkers()
      return id
    case 'full':
      throw new ApiError(
        'RATE_LIMIT_EXCEEDED',
        `${MAX_LIVE_JOBS} jobs of this account are queued or running. Wait for one to finish.`,
        { retryAfterSeconds: FULL_RETRY_SECONDS },
      )
    case 'busy':
      throw new ApiError('SERVICE_UNAVAILABLE', 'The queue is full. Try again in a moment.', {
        retryAfterSeconds: FULL_RETRY_SECONDS,
      })
    default:
      throw ledgerUnavailable(new Error(`the lease of hold ${hold.id} has ended`))
  }
}

function maybeQueued(cause: unknown): ApiError {
  const message =
    'The queue could not be reached, so it is unknown whether the job was accepted. If it was, it runs and is charged. Check your usage in a few minutes before you send it again.'
  return new ApiError('SERVICE_UNAVAILABLE', message, { cause, retryAfterSeconds: STORE_RETRY_SECONDS })
}

async function assertCapacity(): Promise<void> {
  const { query } = await getDb()
  const [row] = await query<{ bytes: string }>(
    'select coalesce(sum(media_bytes), 0)::text as bytes from job where media_id is not null',
  )
  if (Number(row?.bytes ?? 0) < config().jobMediaBytes) return
  throw new ApiError('SERVICE_UNAVAILABLE', 'The storage for results is full. Try again later.', {
    retryAfterSeconds: STORE_RETRY_SECONDS,
  })
}

async function keepInput(input: unknown): Promise<{ input: string | null; inputId?: string }> {
  const text = JSON.stringify(input)
  // As text: the database's JSON has no place for some characters that a caller's may hold.
  if (text.length <= MAX_ROW_CHARACTERS) return { input: text }
  const inputId = uuid()
  await (await mediaStore()).write(inputId, one(Buffer.from(text)), MAX_INPUT_BYTES)
  return { input: null, inputId }
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

type QueueOrder = { model: Model; input: unknown; charge: Charge }

export function queueing(kind: JobKind) {
  return async (order: QueueOrder, meter: Meter, { facts }: RequestContext): Promise<string> => {
    const { model, input, charge } = order
    try {
      return await queueJob({ kind, modelId: model.id, input, hold: meter.hold, charge })
    } catch (error) {
      // Contract, README 8.2: a 429 says whose limit it was. The queue's is the account's.
      if (error instanceof ApiError && error.code === 'RATE_LIMIT_EXCEEDED') facts.rateLimitType = 'user'
      throw error
    }
  }
}

const listeners = (): Set<() => void> => perProcess('job-wake', () => new Set())

function wakeWorkers(): void {
  for (const wake of listeners()) wake()
}

export function onWake(wake: () => void): () => void {
  listeners().add(wake)
  return () => void listeners().delete(wake)
}

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

type Row = Omit<SeenJob, 'media' | 'failure'> & {
  mediaId: string | null
  mediaType: string | null
  mediaBytes: string | null
  failure: JobFailure | null
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
