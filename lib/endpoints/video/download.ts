import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import { getDb } from '@/lib/db/client'
import { isSignatureOf, signatureOf } from '@/lib/db/installation-secret'
import { config } from '@/lib/kernel/config'
import { mediaReply } from '@/lib/pipeline/job-routes'
import { jsonReply, type Reply } from '@/lib/pipeline/reply'
import type { JobFailure } from '@/lib/services/jobs/job'
import { mediaStore } from '@/lib/services/jobs/media-store'
import { findJob, type SeenJob } from '@/lib/services/jobs/queue'
import { forgetMedia } from '@/lib/services/jobs/sweep'
import { catalogue } from '@/lib/services/models/catalogue'

/**
 * Signed URLs: a job's id and our signature of it. They are valid for as long as the video is kept. Source: API
 * contract, video.md, `download_url`.
 */

const SECRET_NAME = 'video-download-secret'
const TOKEN = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([\w-]{43})$/

export const downloadUrl = async (jobId: string): Promise<string> =>
  `${config().origin}/api/downloads/${jobId}.${(await signatureOf(SECRET_NAME, jobId)).toString('base64url')}`

export async function downloadOf({ id, modelId }: SeenJob): Promise<string | undefined> {
  return catalogue().byId.get(modelId)?.video?.hasDownloadUrl ? downloadUrl(id) : undefined
}

/** @throws ApiError NOT_FOUND, MEDIA_NOT_FOUND before it is made, DOWNLOAD_EXPIRED afterwards. */
export async function sendDownload(token: unknown): Promise<Reply> {
  return mediaReply(await findVideoJob(token), false, { gone: expired })
}

/** Deletes the video, which ends its address. @throws ApiError as `sendDownload`. */
export async function revokeDownload(token: unknown): Promise<Reply> {
  const { id, media } = await findVideoJob(token)
  if (!media) throw expired()
  await forgetMedia(await getDb(), await mediaStore(), { id, media: media.id })
  return jsonReply({ success: true })
}

async function findVideoJob(token: unknown): Promise<SeenJob> {
  const job = await findJob('video', await jobIdOf(token))
  if (job?.state === 'queued' || job?.state === 'running') {
    throw new ApiError(
      'MEDIA_NOT_FOUND',
      'The video is not ready yet. POST /api/v1/video/retrieve returns its progress.',
    )
  }
  if (job?.state !== 'done') throw expired()
  return job
}

async function jobIdOf(token: unknown): Promise<string> {
  const [, id = '', signature = ''] = TOKEN.exec(String(token)) ?? []
  if (await isSignatureOf(SECRET_NAME, id, Buffer.from(signature, 'base64url'))) return id
  throw new ApiError('NOT_FOUND', 'There is nothing at this address. Use it exactly as the queue call answered it.')
}

const expired = (): ApiError =>
  new ApiError(
    'DOWNLOAD_EXPIRED',
    'The video does not exist: it was deleted, expired after 24 hours, or was never created.',
  )

/** A provider's refusal of content has a shape of its own. Source: API contract, README 7.1, E5. */
export function refuseVideo({ reason, message }: JobFailure): ApiError | undefined {
  if (reason !== 'content-policy') return undefined
  return new ApiError('CONTENT_POLICY_VIOLATION', message, {
    body: { error: { message, type: 'provider_content_policy', credits_refunded: true } },
  })
}
