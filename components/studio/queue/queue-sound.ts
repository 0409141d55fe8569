import type { SoundModel } from '@/components/studio/audio/models'
import { soundBody, soundQuoteBody } from '@/components/studio/audio/request'
import { soundSettings } from '@/components/studio/audio/settings'
import type { KeptBack, MakeOptions } from '@/components/studio/generation-store'
import type { MediaForm } from '@/components/studio/media-form'
import { type JobBodies, queue } from '@/components/studio/queue/queueing'

/** Queues a sound as a form has it, or as it was asked for before. */
export async function queueSound(
  model: SoundModel,
  { prompt, settings: wished }: Pick<MediaForm, 'prompt' | 'settings'>,
  options: MakeOptions = {},
): Promise<KeptBack | undefined> {
  const settings = soundSettings(model, wished)
  const asked = { modelId: model.id, prompt, settings }
  const bodies: JobBodies = {
    quote: soundQuoteBody(model, asked) ?? { model: model.id },
    queue: async () => soundBody(asked),
  }
  return await queue({ ...asked, kind: 'audio', task: 'music', modelName: model.name, inputs: [] }, bodies, options)
}
