import type { KeptBack, MakeOptions } from '@/components/studio/generation-store'
import { type JobBodies, queue } from '@/components/studio/queue/queueing'
import { readDataUrl } from '@/components/studio/video/frames'
import type { VideoModel } from '@/components/studio/video/models'
import { filmBody, filmQuoteBody } from '@/components/studio/video/request'
import { filmPictures, filmSettings } from '@/components/studio/video/settings'
import type { Generation } from '@/lib/browser/storage/generations'

/** Queues a film as a form has it, or as it was asked for before. Its pictures are sent as they are kept. */
export async function queueFilm(
  model: VideoModel,
  { prompt, settings: wished, inputs: given }: Pick<Generation, 'prompt' | 'settings' | 'inputs'>,
  options: MakeOptions = {},
): Promise<KeptBack | undefined> {
  const settings = filmSettings(model, wished)
  const inputs = filmPictures(model, given)
  const asked = { modelId: model.id, prompt, settings }
  const bodies: JobBodies = {
    quote: filmQuoteBody(model.id, settings),
    queue: async (files) => filmBody(asked, await Promise.all(files.map(readDataUrl))),
  }
  return await queue({ ...asked, kind: 'video', task: 'video', modelName: model.name, inputs }, bodies, options)
}
