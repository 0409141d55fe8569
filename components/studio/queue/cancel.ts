import { announce } from '@/components/ui/announcer'
import { showToast } from '@/components/ui/toast'
import { failureOf } from '@/lib/browser/failure'
import { refreshMoney } from '@/lib/browser/refresh-money'
import type { Generation } from '@/lib/browser/storage/generations'
import { t } from '@/lib/i18n/t'

/** Ends a job: what was set aside for it comes back. One that was ready by then is kept. */
export async function cancel({ id }: Pick<Generation, 'id'>): Promise<void> {
  const { cancelJob } = await import('@/components/studio/jobs/follow')
  try {
    const isCancelled = await cancelJob(id)
    const words = isCancelled
      ? t('Cancelled. Nothing was charged.')
      : t('Generation had already finished. The result is saved.')
    announce(words)
    if (!isCancelled) showToast({ text: words })
    refreshMoney()
  } catch (error) {
    showToast({ text: t('Could not cancel: {reason}', { reason: failureOf(error).message }) })
  }
}
