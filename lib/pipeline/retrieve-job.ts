import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import { newId } from '@/lib/contract/ids'
import { RetrieveRequest } from '@/lib/contract/jobs.schema'
import { ZERO } from '@/lib/contract/money'
import { getDb } from '@/lib/db/client'
import { log } from '@/lib/kernel/log'
import { json } from '@/lib/pipeline/body'
import type { RouteHandler } from '@/lib/pipeline/endpoint'
import { type MeteredStages, metered } from '@/lib/pipeline/metered'
import { jsonReply, type Reply } from '@/lib/pipeline/reply'
import { failedJob } from '@/lib/services/jobs/failure'
import type { JobFailure, JobKind } from '@/lib/services/jobs/job'
import { MediaGone } from '@/lib/services/jobs/media-rows'
import { mediaStore } from '@/lib/services/jobs/media-store'
import { readJob, type SeenJob, usualMs } from '@/lib/services/jobs/read-job'
import { forgetMedia } from '@/lib/services/jobs/sweep'
import { limitRetrieve } from '@/lib/services/limits/rate-limit'

type Options = {
  kind: JobKind
  /** What four of five jobs take, as long as none of the model has ended. */
  usualMs: number
  /** Headers of a result beside its type and length. */
  headersOf?: (job: SeenJob) => Record<string, string>
  /** Where the result of a job is fetched instead, if not here. */
  addressOf?: (job: SeenJob) => Promise<string | undefined>
  /** How a failed job is answered; without it as any other error. */
  refuse?: (failure: JobFailure) => ApiError | undefined
}

type Work = { job: SeenJob; deletes: boolean }

/** `POST …/retrieve`: how far a job is, or what it made. Free. Source: API contract, audio.md and video.md. */
export function retrieving(options: Options): RouteHandler {
  const stages: MeteredStages<RetrieveRequest, Work, Work> = {
    parse: json(RetrieveRequest),
    async price({ deletes, ...named }, caller, { facts }) {
      const job = await readJob(caller, options.kind, named)
      facts.modelId = job.modelId
      return { requestId: newId('retrieve'), amount: ZERO, work: { job, deletes } }
    },
    async enter(_, caller, context) {
      await limitRetrieve(context, caller)
      return { leave: () => {} }
    },
    run: (work) => work,
    respond: (work) => replyOf(work, options),
  }
  return metered(stages)
}

async function replyOf({ job, deletes }: Work, options: Options): Promise<Reply> {
  switch (job.state) {
    case 'queued':
    case 'running':
      return jsonReply({ status: 'PROCESSING', ...(await timesOf(job, options)) })
    case 'failed':
      throw failureReply(job, options)
    case 'cancelled':
      throw new ApiError('MEDIA_NOT_FOUND', 'This job was cancelled before it made anything. Nothing was charged.')
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
  const known = failure ?? { reason: 'failed', message: 'The work failed.' }
  return refuse?.(known) ?? failedJob(known)
}

/** The file that a job made. The first piece is waited for, so that one that is gone has its status. */
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
        log().warn({ job: job.id, error: String(error) }, 'a result could not be removed yet'),
      )
    },
  }
}

type Piece = Uint8Array<ArrayBuffer>

/** A file that is removed while it is read breaks the reply: one that merely ended would look whole. */
async function* following(first: IteratorResult<Piece>, pieces: AsyncIterator<Piece>, bytes: number) {
  let sent = 0
  for (let next = first; !next.done; next = await pieces.next()) {
    sent += next.value.length
    yield next.value
  }
  if (sent !== bytes) throw new MediaGone(`${sent} of ${bytes} bytes`)
}

const mediaGone = (): ApiError =>
  new ApiError('MEDIA_NOT_FOUND', 'The result is gone: it was deleted, or waited for more than 24 hours.')
