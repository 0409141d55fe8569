import 'server-only'
import { downloadUrl } from '@/lib/endpoints/video/download'
import { referenceSeconds } from '@/lib/endpoints/video/media'
import { type VideoOrder, videoCharge } from '@/lib/endpoints/video/quote'
import type { RequestContext } from '@/lib/kernel/request-context'
import { jsonReply, type Reply } from '@/lib/pipeline/reply'
import { queueing } from '@/lib/services/jobs/queue'
import type { Charge } from '@/lib/services/ledger/hold'
import type { Meter } from '@/lib/services/ledger/meter'

const intoQueue = queueing('video')

/** Queues a video at the price of its reference clips. @throws ApiError as `queueJob`, `referenceSeconds`. */
export async function queueVideo(
  order: VideoOrder,
  meter: Meter,
  context: RequestContext,
  signal: AbortSignal,
): Promise<string> {
  return intoQueue({ ...order, charge: await chargeOfClips(order, meter.hold, signal) }, meter, context)
}

// Where they cannot be measured the price stays that of the longest.
async function chargeOfClips(
  { model, input, charge }: VideoOrder,
  { accountId }: { accountId: string },
  signal: AbortSignal,
): Promise<Charge> {
  const clips = input.reference_video_urls ?? []
  if (model.video?.price?.perReferenceSecond === undefined || clips.length === 0) return charge
  const seconds = await referenceSeconds(clips, { accountId, signal })
  return seconds === undefined ? charge : videoCharge(model, input, seconds)
}

export async function renderQueued(queued: Promise<string>, { model }: VideoOrder): Promise<Reply> {
  const id = await queued
  const address = model.video?.hasDownloadUrl ? { download_url: await downloadUrl(id) } : {}
  return jsonReply({ model: model.id, queue_id: id, ...address })
}
