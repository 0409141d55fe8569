import 'server-only'
import type { VideoInput } from '@/lib/endpoints/video/media'
import { withMedia } from '@/lib/endpoints/video/media'
import { openAiInput, predictionInput } from '@/lib/endpoints/video/provider-input'
import { makeSlideshow } from '@/lib/endpoints/video/slideshow'
import { EngineError } from '@/lib/services/engines/engine'
import { EMBEDDED_ENGINE } from '@/lib/services/engines/registry'
import { jobProvider, jobStyle } from '@/lib/services/engines/upstream/jobs/provider'
import type { JobHandler } from '@/lib/services/jobs/job'
import { type Pace, runAtProvider, sniffed } from '@/lib/services/jobs/provider-run'
import { videoKind } from '@/lib/services/media/sniff'
import { catalogue } from '@/lib/services/models/catalogue'

/** Runs jobs of `/video/queue`: at their provider, or here for the film of pictures. */
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
      const isPrediction = jobStyle(engine) === 'predictions'
      return { model: upstreamModel, input: isPrediction ? predictionInput(input, names) : openAiInput(input, names) }
    }
    const bytes = await runAtProvider(provider, job, request, tools, pace)
    // Contract, video.md: what is retrieved is an MP4.
    return sniffed(bytes, (head) => (videoKind(head)?.mime === 'video/mp4' ? 'video/mp4' : undefined))
  }
}
