import { useEffect, useRef, useState } from 'react'
import type { Outcome } from '@/components/history/archive/jobs'
import type { ArchiveJob } from '@/components/history/archive/work'
import { announce } from '@/components/ui/announcer'
import { t } from '@/lib/i18n/t'

export type Progress = { done: number; of: number }

/** Runs one job of the archive at a time. Leaving the sheet stops it. */
export function useJob(onBusy: (isBusy: boolean) => void) {
  const [progress, setProgress] = useState<Progress>()
  const running = useRef<{ stop: () => void }>(undefined)
  useEffect(() => () => running.current?.stop(), [])
  const run = async (job: ArchiveJob): Promise<Outcome> => {
    const { runArchiveJob } = await import('@/components/history/archive/jobs')
    setProgress({ done: 0, of: 1 })
    onBusy(true)
    announce(t('Started'))
    const { outcome, stop } = runArchiveJob(job, (done, of) => setProgress({ done, of }))
    running.current = { stop }
    const ended = await outcome
    running.current = undefined
    setProgress(undefined)
    onBusy(false)
    announce(ended.kind === 'failed' ? t(ended.message) : t('Finished'))
    return ended
  }
  return { progress, run, stop: () => running.current?.stop() }
}
