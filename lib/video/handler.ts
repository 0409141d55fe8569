import 'server-only'
import { EngineError } from '@/lib/engines/engine'
import { EMBEDDED_ENGINE } from '@/lib/engines/registry'
import { jobProvider, jobStyle } from '@/lib/engines/upstream/jobs/provider'
import type { JobHandler } from '@/lib/jobs/job'
import { type Pace, runAtProvider } from '@/lib/jobs/provider-run'
import { sniffed } from '@/lib/jobs/sniffed'
import { videoKind } from '@/lib/media/sniff'
import { catalogue } from '@/lib/models/catalogue'
import { withMedia } from '@/lib/video/media'
import { openAiInput, predictionInput } from '@/lib/video/provider-input'
import type { VideoInput } from '@/lib/video/quote'
import { makeSlideshow } from '@/lib/video/slideshow'

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
