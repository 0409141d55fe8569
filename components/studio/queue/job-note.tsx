'use client'

import { Button } from '@/components/ui/button'
import type { Generation } from '@/lib/browser/storage/generations'
import { t } from '@/lib/i18n/t'

/** Of a job that the service could not serve for a while: it may be there by now. */
export function JobNote({ creation: { id, state, job } }: { creation: Generation }) {
  if (state !== 'failed' || !job) return null
  const look = async () => (await import('@/components/studio/jobs/follow')).lookAgain(id)
  return (
    <div className="flex flex-wrap items-center justify-between gap-2 px-3 pt-2 text-13 text-ink-2">
      <p className="min-w-0 flex-1 basis-40">
        {t('The service was unavailable for too long. The result may still be ready.')}
      </p>
      <Button onClick={() => void look()}>{t('Check again')}</Button>
    </div>
  )
}
