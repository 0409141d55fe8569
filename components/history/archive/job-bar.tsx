'use client'

import type { Progress } from '@/components/history/archive/use-job'
import { Button } from '@/components/ui/button'
import { t } from '@/lib/i18n/t'

type JobBarProps = { label: string; progress: Progress; onStop: () => void }

/** How far a job is, and the way to stop it. */
export function JobBar({ label, progress, onStop }: JobBarProps) {
  return (
    <div className="flex items-center gap-3 pt-3">
      <progress
        aria-label={label}
        value={progress.done}
        max={Math.max(1, progress.of)}
        className="h-1.5 min-w-0 flex-1 accent-accent"
      />
      <Button kind="plain" onClick={onStop}>
        {t('Stop')}
      </Button>
    </div>
  )
}
