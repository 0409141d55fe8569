import 'server-only'
import { downloadUrl } from '@/lib/endpoints/video/download'
import { referenceSeconds, type VideoInput, withMedia } from '@/lib/endpoints/video/media'
import { secondsOf, sizeOf, type VideoOrder, videoCharge } from '@/lib/endpoints/video/quote'
import { makeSlideshow } from '@/lib/endpoints/video/slideshow'
import type { RequestContext } from '@/lib/kernel/request-context'
import { jsonReply, type Reply } from '@/lib/pipeline/reply'
import { EngineError } from '@/lib/services/engines/engine'
import { EMBEDDED_ENGINE, engineOptions } from '@/lib/services/engines/registry'
import { jobProvider } from '@/lib/services/engines/upstream/jobs/provider'
import type { JobHandler } from '@/lib/services/jobs/job'
import { type Pace, runAtProvider, sniffed } from '@/lib/services/jobs/provider-run'
import { queueing } from '@/lib/services/jobs/queue'
import type { Charge } from '@/lib/services/ledger/ledger-types'
import type { Meter } from '@/lib/services/ledger/meter'
import { videoKind } from '@/lib/services/media/sniff'
import { catalogue } from '@/lib/services/models/catalogue'

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

/** Runs jobs of `/video/queue`: at their provider, or here for the slideshow. */
export function videoHandler({ pace }: { pace?: Pace } = {}): JobHandler {
  return async (job, tools) => {
    const model = catalogue().byId.get(job.modelId)
    if (!model?.video) throw new EngineError('offline', 'The model is not available any more.')
    const { engine, upstreamModel, video } = model
    if (engine === EMBEDDED_ENGINE) return makeSlideshow(model, job, tools)
    const provider = jobProvider(engine)
    const request = async () => {
      // Written by `orderVideo`.
      const input = await withMedia(job.input as VideoInput, tools.signal)
      const names = video.inputNames ?? {}
      const isPrediction = engineOptions(engine)?.jobStyle === 'predictions'
      return { model: upstreamModel, input: isPrediction ? predictionInput(input, names) : openAiInput(input, names) }
    }
    const bytes = await runAtProvider(provider, job, request, tools, pace)
    // Contract, video.md: what is retrieved is an MP4.
    return sniffed(bytes, (head) => (videoKind(head)?.mime === 'video/mp4' ? 'video/mp4' : undefined))
  }
}

// Names of `POST /videos`: seconds as text, one size in pixels, one start image.
function openAiInput(input: VideoInput, names: Record<string, string>): Record<string, unknown> {
  const seconds = secondsOf(input.duration)
  return withoutUndefined({
    prompt: input.prompt,
    negative_prompt: input.negative_prompt,
    seconds: seconds === undefined ? undefined : String(seconds),
    size: sizeOf(input.aspect_ratio, input.resolution),
    input_reference: input.image_url === undefined ? undefined : { image_url: input.image_url },
    ...Object.fromEntries(Object.entries(names).map(([field, name]) => [name, fieldOf(input, field)])),
  })
}

// Names of most models at predictions-style providers.
const PREDICTION_NAMES: Record<string, string> = {
  prompt: 'prompt',
  negative_prompt: 'negative_prompt',
  duration: 'duration',
  aspect_ratio: 'aspect_ratio',
  resolution: 'resolution',
  audio: 'generate_audio',
  image_url: 'image',
  end_image_url: 'last_frame_image',
}

// The names of the models file win. A field that neither names is not sent.
function predictionInput(input: VideoInput, names: Record<string, string>): Record<string, unknown> {
  const fields: Record<string, unknown> = { ...input, duration: secondsOf(input.duration) }
  const named = Object.entries({ ...PREDICTION_NAMES, ...names })
  return withoutUndefined(Object.fromEntries(named.map(([field, name]) => [name, fields[field]])))
}

function fieldOf(input: VideoInput, field: string): unknown {
  return Object.hasOwn(input, field) ? (input as Record<string, unknown>)[field] : undefined
}

function withoutUndefined(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
