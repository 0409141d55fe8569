import {
  type AudioModel,
  audioBody,
  audioModelsQuery,
  audioQuoteBody,
  audioSettings,
} from '@/components/studio/audio/audio-model'
import { type GenerateOptions, type JobBodies, type NotSent, queue } from '@/components/studio/generation-store'
import {
  type VideoModel,
  videoBody,
  videoImages,
  videoModelsQuery,
  videoQuoteBody,
  videoSettings,
} from '@/components/studio/video/video-model'
import { showToast } from '@/components/ui/toast'
import { queryClient } from '@/lib/browser/queries'
import type { Generation } from '@/lib/browser/storage/generations'
import { t } from '@/lib/i18n/t'

export async function queueVideo(
  model: VideoModel,
  { prompt, settings: chosen, inputs: given }: Pick<Generation, 'prompt' | 'settings' | 'inputs'>,
  options?: GenerateOptions,
): Promise<NotSent | undefined> {
  const settings = videoSettings(model, chosen)
  const inputs = videoImages(model, given)
  const request = { modelId: model.id, prompt, settings }
  const bodies: JobBodies = {
    quote: videoQuoteBody(model.id, settings),
    queue: async (files) => videoBody(request, await Promise.all(files.map(readDataUrl))),
  }
  return await queue({ ...request, kind: 'video', task: 'video', modelName: model.name, inputs }, bodies, options)
}

function readDataUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(blob)
  })
}

export async function queueAudio(
  model: AudioModel,
  { prompt, settings: chosen }: Pick<Generation, 'prompt' | 'settings'>,
  options?: GenerateOptions,
): Promise<NotSent | undefined> {
  const settings = audioSettings(model, chosen)
  const request = { modelId: model.id, prompt, settings }
  const bodies: JobBodies = {
    quote: audioQuoteBody(model, request) ?? { model: model.id },
    queue: async () => audioBody(request),
  }
  return await queue({ ...request, kind: 'audio', task: 'music', modelName: model.name, inputs: [] }, bodies, options)
}

export async function requeue(generation: Generation): Promise<void> {
  const outcome = await retry(generation).catch(() => 'unreachable' as const)
  if (outcome === 'unreachable') return showToast({ text: t('The service could not be reached.') })
  if (outcome === 'gone') return showToast({ text: t('This model is no longer available.') })
  if (outcome?.why === 'failure') showToast({ text: outcome.failure.message })
}

async function retry(generation: Generation): Promise<NotSent | undefined | 'gone'> {
  const find = <M extends { id: string }>(models: M[]) => models.find(({ id }) => id === generation.modelId)
  const options = { replacesId: generation.id }
  if (generation.task === 'music') {
    const model = find(await queryClient().ensureQueryData(audioModelsQuery()))
    return model ? await queueAudio(model, generation, options) : 'gone'
  }
  const model = find(await queryClient().ensureQueryData(videoModelsQuery()))
  return model ? await queueVideo(model, generation, options) : 'gone'
}
