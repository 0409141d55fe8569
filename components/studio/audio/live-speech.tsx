'use client'

import { Pause, Play } from 'lucide-react'
import { useEffect } from 'react'
import { liveOf, useLive } from '@/components/studio/audio/live'
import { claimSpeaker } from '@/components/studio/audio/one-at-a-time'
import { IconButton } from '@/components/ui/button'
import { t } from '@/lib/i18n/t'

const BARS = [0.45, 0.8, 1, 0.6, 0.9, 0.5, 0.75]

/** While a text is read aloud that is not whole yet: that it is heard, and how to pause it. Nothing where it is not heard. */
export function LiveSpeech({ id }: { id: string }) {
  const live = useLive(id)
  useEffect(() => {
    // It is the same sound whenever it goes on.
    if (live?.isPlaying) claimSpeaker(live.stop, () => liveOf(id)?.isPlaying && liveOf(id)?.pauseOrGoOn())
  }, [id, live])
  if (!live) return null
  return (
    <div className="flex items-center gap-3 px-3 pt-3">
      <IconButton label={live.isPlaying ? t('Pause') : t('Resume')} onClick={live.pauseOrGoOn}>
        {live.isPlaying ? <Pause aria-hidden="true" /> : <Play aria-hidden="true" />}
      </IconButton>
      <span aria-hidden="true" className="flex h-6 items-center gap-0.5">
        {BARS.map((height, at) => (
          <span
            key={height}
            className={`w-0.5 rounded-chip bg-accent ${live.isPlaying ? 'motion-safe:animate-pulse' : ''}`}
            style={{ height: `${height * 100}%`, animationDelay: `${at * 120}ms` }}
          />
        ))}
      </span>
      <span className="text-13 text-ink-2">{live.isPlaying ? t('Playing during generation') : t('Paused')}</span>
    </div>
  )
}
