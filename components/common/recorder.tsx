'use client'

import { Check, X } from 'lucide-react'
import { useRecording } from '@/components/common/use-recording'
import { Button, IconButton } from '@/components/ui/button'
import { formatLength } from '@/lib/browser/format/size'
import { t } from '@/lib/i18n/t'

type RecorderProps = { onDone: (files: File[]) => void; onClose: () => void }

/** From one end of the level to the other: each is named by its place, from -1 to 1. */
const BARS = Array.from({ length: 24 }, (_, at) => (at - 11.5) / 11.5)

/** In place of the field while something is recorded. */
export function Recorder({ onDone, onClose }: RecorderProps) {
  const { state, ms, level, stop } = useRecording((file) => {
    onDone([file])
    onClose()
  })
  if (state === 'refused') {
    return (
      <div className="col-span-full row-start-2 flex flex-wrap items-center gap-3 px-2 py-1">
        <p role="status" className="flex-1 text-14 text-ink-2">
          {t('Microphone not found or blocked. Allow microphone access in your browser or add an audio file.')}
        </p>
        <Button onClick={onClose}>{t('Close')}</Button>
      </div>
    )
  }
  return (
    <section aria-label={t('Recording')} className="col-span-full row-start-2 flex items-center gap-3">
      <IconButton label={t('Discard recording')} onClick={onClose}>
        <X aria-hidden="true" />
      </IconButton>
      <span role="status" className="sr-only">
        {state === 'recording' ? t('Recording') : t('Waiting for the microphone')}
      </span>
      {state === 'asking' ? (
        <span className="min-w-0 flex-1 text-14 text-ink-2">{t('Allow microphone access')}</span>
      ) : (
        <>
          <span aria-hidden="true" className="flex h-8 min-w-0 flex-1 items-center gap-[3px] max-sm:gap-0.5">
            {BARS.map((place) => (
              <span
                key={place}
                className="min-w-px flex-1 rounded-chip bg-accent"
                style={{ height: `${barHeight(place, level)}%` }}
              />
            ))}
          </span>
          <span className="font-mono text-13 text-ink-2 tabular-nums">{formatLength(ms)}</span>
        </>
      )}
      <Button kind="primary" onClick={stop} disabled={state !== 'recording'}>
        <Check aria-hidden="true" className="size-4" />
        {t('Done')}
      </Button>
    </section>
  )
}

/** Highest in the middle; percent of the row. */
const barHeight = (place: number, level: number): number => 8 + 92 * level * (1 - Math.abs(place) * 0.8)
