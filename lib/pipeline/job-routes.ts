import 'server-only'
import type { z } from 'zod'
import { ApiError } from '@/lib/contract/errors'
import { newId } from '@/lib/contract/ids'
import { CompleteRequest, RetrieveRequest } from '@/lib/contract/jobs.schema'
import { type Usd, usdNumber, ZERO } from '@/lib/contract/money'
import { getDb } from '@/lib/db/client'
import { log } from '@/lib/kernel/log'
import type { Caller, Facts, RequestContext } from '@/lib/kernel/request-context'
import { json } from '@/lib/pipeline/body'
import { type Entry, type MeteredStages, metered } from '@/lib/pipeline/metered'
import { jsonReply, type Reply } from '@/lib/pipeline/reply'
import type { Handle } from '@/lib/pipeline/route'
import type { JobFailure, JobKind } from '@/lib/services/jobs/job'
import { failedJob } from '@/lib/services/jobs/job'
import { MediaGone, mediaStore } from '@/lib/services/jobs/media-store'
import { readJob, type SeenJob, usualMs } from '@/lib/services/jobs/queue'
import { cancelJob } from '@/lib/services/jobs/statements'
import { forgetMedia } from '@/lib/services/jobs/sweep'
import { balancesOf } from '@/lib/services/ledger/ledger'
import { creditOf } from '@/lib/services/ledger/ledger-types'
import { limitAddress, limitRetrieve } from '@/lib/services/limits/limits'

type Options = {
  kind: JobKind
  usualMs: number
  headersOf?: (job: SeenJob) => Record<string, string>
  addressOf?: (job: SeenJob) => Promise<string | undefined>
  refuse?: (failure: JobFailure) => ApiError | undefined
}

/** Handles `POST …/quote`: prices a job without queueing it, for everyone. */
export function quoting<Body extends z.ZodType>(
  body: Body,
  quote: (body: z.output<Body>, context: RequestContext) => Usd,
  maxBytes: number,
): Handle {
  const parse = json(body, { maxBytes })
  return async (context, request) => {
    await limitAddress(context, 'default')
    return jsonReply({ quote: usdNumber(quote(await parse(context, request), context)) })
  }
}

type Work = { job: SeenJob; deletes: boolean }

export function retrieving(options: Options): Handle {
  const stages: MeteredStages<RetrieveRequest, Work, Work> = {
    parse: json(RetrieveRequest),
    async price({ deletes, ...named }, caller, { facts }) {
      const job = await readJob(caller, options.kind, named)
      facts.modelId = job.modelId
      return { requestId: newId('retrieve'), amount: ZERO, work: { job, deletes } }
    },
    enter: enterRetrieve,
    run: (work) => work,
    respond: (work) => replyOf(work, options),
  }
  return metered(stages)
}

async function enterRetrieve(_: unknown, caller: Caller, context: RequestContext): Promise<Entry> {
  await limitRetrieve(context, caller)
  return {}
}

async function replyOf({ job, deletes }: Work, options: Options): Promise<Reply> {
  switch (job.state) {
    case 'queued':
    case 'running':
      return jsonReply({ status: 'PROCESSING', ...(await timesOf(job, options)) })
    case 'failed':
      throw failureReply(job, options)
    case 'cancelled':
      throw new ApiError('MEDIA_NOT_FOUND', 'This job was cancelled before it produced a result. Nothing was charged.')
    case 'done': {
      const address = job.media && (await options.addressOf?.(job))
      if (address === undefined) return mediaReply(job, deletes, options)
      return jsonReply({ status: 'COMPLETED', ...(await timesOf(job, options)), download_url: address })
    }
  }
}

async function timesOf({ modelId, runningMs }: SeenJob, options: Options) {
  return { average_execution_time: (await usualMs(modelId)) ?? options.usualMs, execution_duration: runningMs }
}

function failureReply({ failure }: SeenJob, { refuse }: Options): ApiError {
  const known = failure ?? { reason: 'failed', message: 'The generation failed.' }
  return refuse?.(known) ?? failedJob(known)
}

/** Sends the file of a job. The first chunk is awaited, so that a missing file has its status. */
export async function mediaReply(
  job: SeenJob,
  deletes: boolean,
  { headersOf, gone = mediaGone }: Pick<Options, 'headersOf'> & { gone?: () => ApiError } = {},
): Promise<Reply> {
  const { media } = job
  if (!media) throw gone()
  const store = await mediaStore()
  const pieces = store.read(media.id)[Symbol.asyncIterator]()
  const first = await pieces.next().catch((error: unknown) => {
    throw error instanceof MediaGone ? gone() : error
  })
  return {
    body: following(first, pieces, media.bytes),
    contentType: media.type,
    headers: { 'Content-Length': String(media.bytes), 'Cache-Control': 'private, no-store', ...headersOf?.(job) },
    async onEnd(end) {
      await pieces.return?.()
      if (end !== 'finished' || !deletes) return
      // Who got the file wants it gone; what cannot be removed now goes with its day.
      await forgetMedia(await getDb(), store, { id: job.id, media: media.id }).catch((error: unknown) =>
        log().warn({ job: job.id, error: String(error) }, 'a job result could not be deleted yet'),
      )
    },
  }
}

type Piece = Uint8Array<ArrayBuffer>

/** Fails when the file is removed while it is read: a shortened reply would look whole. */
async function* following(first: IteratorResult<Piece>, pieces: AsyncIterator<Piece>, bytes: number) {
  let sent = 0
  for (let next = first; !next.done; next = await pieces.next()) {
    sent += next.value.length
    yield next.value
  }
  if (sent !== bytes) throw new MediaGone(`${sent} of ${bytes} bytes`)
}

const mediaGone = (): ApiError => new ApiError('MEDIA_NOT_FOUND', 'The result was deleted, or is older than 24 hours.')

/**
 * Handles `POST …/complete`: deletes the job's result, or cancels a job that has not ended and refunds it. Idempotent.
 */
export function completing(kind: JobKind): Handle {
  return metered<CompleteRequest, SeenJob, Promise<boolean>>({
    parse: json(CompleteRequest),
    async price(named, caller, { facts }) {
      const job = await readJob(caller, kind, named)
      facts.modelId = job.modelId
      return { requestId: newId('complete'), amount: ZERO, work: job }
    },
    enter: enterRetrieve,
    run: (job, { hold }, { facts }) => complete(job, hold, facts),
    respond: async (isDone) => jsonReply({ success: await isDone }),
  })
}

async function complete(job: SeenJob, owner: { accountId: string }, facts: Facts): Promise<boolean> {
  try {
    const database = await getDb()
    const isCancelled = (job.state === 'queued' || job.state === 'running') && (await cancelJob(database, job.id))
    // It may have ended between the look and the cancel.
    const { media } = isCancelled ? job : await readJob(owner, job.kind, { id: job.id })
    if (isCancelled) {
      const balances = await balancesOf(owner.accountId)
      Object.assign(facts, { balanceUsd: creditOf(balances), balanceDiem: balances.DIEM })
    }
    if (media) await forgetMedia(database, await mediaStore(), { id: job.id, media: media.id })
    return true
  } catch (error) {
    log().warn({ job: job.id, error: String(error) }, 'a job could not be completed')
    return false
  }
}
