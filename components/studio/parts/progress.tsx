'use client'

import { useLiveQuery } from 'dexie-react-hooks'
import { stopMaking, useMaking } from '@/components/studio/generation-store'
import { useClock } from '@/components/studio/parts/use-clock'
import { typicalMs } from '@/components/studio/store'
import { Button } from '@/components/ui/button'
import { formatLength } from '@/lib/browser/files/limits'
import type { Generation } from '@/lib/browser/storage/generations'
import { formatNumber, t } from '@/lib/i18n/t'

type ProgressProps = {
  creation: Generation
  /** From 0 to 1, where the service says how far it is; left out, nobody knows. */
  share?: number | undefined
  /** Milliseconds that the service says such work takes; left out, what this device has seen. */
  usualMs?: number | undefined
  /** Left out: the page ends its own request. */
  onCancel?: () => void
}

/** How long it has been under way, and how long it usually takes; a bar that fills only where the service says how far it is. */
export function Progress({ creation, share, usualMs, onCancel }: ProgressProps) {
  const { id, kind, task, modelId, state, startedAt, createdAt } = creation
  const now = useClock(true)
  const known = useLiveQuery(() => typicalMs(kind, task, modelId), [kind, task, modelId])
  const isOurs = useMaking().includes(id)
  const usual = usualMs ?? known
  const cancel = onCancel ?? (isOurs ? () => stopMaking(id) : undefined)
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 p-3">
      <div className="min-w-0 flex-1 basis-32">
        <p className="text-13 text-ink-2 tabular-nums">
          <span className="font-mono text-12 text-ink">
            {formatLength(Math.max(0, now - (startedAt ?? createdAt)))}
          </span>{' '}
          {state === 'waiting' ? t('Queued') : usual !== undefined && usually(usual)}
        </p>
        <progress
          aria-label={t('Generating…')}
          {...(share !== undefined && { value: share, max: 1 })}
          className="mt-2 block h-1 w-full"
        />
      </div>
      {cancel && <Button onClick={cancel}>{t('Cancel')}</Button>}
    </div>
  )
}

function usually(ms: number): string {
  if (ms < 10_000) return t('usually {seconds} s', { seconds: formatNumber(Math.max(1, Math.round(ms / 1_000))) })
  return t('usually {length}', { length: formatLength(ms) })
}
