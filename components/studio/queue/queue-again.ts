import { soundModelsQuery } from '@/components/studio/audio/models'
import type { KeptBack } from '@/components/studio/generation-store'
import { queueFilm } from '@/components/studio/queue/queue-film'
import { queueSound } from '@/components/studio/queue/queue-sound'
import { deleteCreations } from '@/components/studio/store'
import { videoModelsQuery } from '@/components/studio/video/models'
import { showToast } from '@/components/ui/toast'
import { queryClient } from '@/lib/browser/queries'
import type { Generation } from '@/lib/browser/storage/generations'
import { t } from '@/lib/i18n/t'

/** Queues the same once more, at the price of today; what there is of the last try makes room for it. */
export async function queueAgain(creation: Generation): Promise<void> {
  const kept = await again(creation).catch(() => 'unreachable' as const)
  if (kept === undefined) return await deleteCreations([creation.id])
  if (kept === 'unreachable') return showToast({ text: t('The service could not be reached.') })
  if (kept === 'gone') return showToast({ text: t('This model is no longer available.') })
  if (kept.why === 'failure') showToast({ text: kept.failure.message })
}

async function again(creation: Generation): Promise<KeptBack | undefined | 'gone'> {
  const find = <M extends { id: string }>(models: M[]) => models.find(({ id }) => id === creation.modelId)
  if (creation.task === 'music') {
    const model = find(await queryClient().ensureQueryData(soundModelsQuery()))
    return model ? await queueSound(model, creation) : 'gone'
  }
  const model = find(await queryClient().ensureQueryData(videoModelsQuery()))
  return model ? await queueFilm(model, creation) : 'gone'
}
