'use client'

import { Pause, Play } from 'lucide-react'
import { type RefObject, useEffect, useImperativeHandle } from 'react'
import { MissingBytes } from '@/components/common/missing-bytes'
import { liveOf } from '@/components/studio/audio/live'
import { type Sound, useSound } from '@/components/studio/audio/use-sound'
import { type SoundSource, useSoundSource } from '@/components/studio/audio/use-sound-url'
import { Waveform } from '@/components/studio/audio/waveform'
import { formatLength } from '@/lib/browser/files/limits'
import type { CreationFile } from '@/lib/browser/storage/generations'
import { t } from '@/lib/i18n/t'

/** Of the slider only its thumb is seen: a line over the shape. */
const OVER_WAVE =
  'absolute inset-0 size-full cursor-pointer appearance-none rounded-control bg-transparent ' +
  '[&::-webkit-slider-thumb]:h-11 [&::-webkit-slider-thumb]:w-0.5 [&::-webkit-slider-thumb]:appearance-none ' +
  '[&::-webkit-slider-thumb]:rounded-chip [&::-webkit-slider-thumb]:bg-accent ' +
  '[&::-moz-range-thumb]:h-11 [&::-moz-range-thumb]:w-0.5 [&::-moz-range-thumb]:rounded-chip ' +
  '[&::-moz-range-thumb]:border-0 [&::-moz-range-thumb]:bg-accent [&::-moz-range-track]:bg-transparent'

/** At the beginning only whoever is about to move it sees it. */
const UNTOUCHED =
  '[&:not(:hover,:focus-visible)]:[&::-webkit-slider-thumb]:opacity-0 ' +
  '[&:not(:hover,:focus-visible)]:[&::-moz-range-thumb]:opacity-0'

/** What others may have a player do. */
export type PlayerHandle = Pick<Sound, 'seek'>

type SoundPlayerProps = {
  file: CreationFile
  /** What it is called for those who do not see it. */
  label: string
  /** Of the creation that may be heard already, from before it was whole: it goes on here. */
  liveId?: string
  onTime?: (seconds: number) => void
  handle?: RefObject<PlayerHandle | null>
}

/** A sound with its shape: play, pause, and any place of it by pointer or arrow keys. */
export function SoundPlayer({ file, ...props }: SoundPlayerProps) {
  const source = useSoundSource(file)
  if (source === null) {
    return (
      <div className="p-3 pb-0">
        <MissingBytes name={file.name} />
      </div>
    )
  }
  if (source === undefined) return <div aria-hidden="true" className="skeleton m-3 h-11" />
  return <Player key={source.url} source={source} file={file} {...props} />
}

function Player({ source, file, label, liveId, onTime, handle }: SoundPlayerProps & { source: SoundSource }) {
  const sound = useSound(source.url, (file.durationMs ?? 0) / 1_000)
  const { medium, isPlaying, at, length, hasFailed, toggle, seek } = sound
  useImperativeHandle(handle, () => ({ seek }))
  useTakeOver(liveId, sound)
  useEffect(() => onTime?.(at), [at, onTime])
  return (
    <fieldset aria-label={label} className="flex min-w-0 items-center gap-3 px-3 pt-3">
      {/* biome-ignore lint/a11y/useMediaCaption: what it says is written below it */}
      <audio ref={medium as RefObject<HTMLAudioElement>} src={source.url} preload="metadata" />
      <button
        type="button"
        aria-label={isPlaying ? t('Pause') : t('Play')}
        disabled={hasFailed}
        onClick={toggle}
        className="inline-flex size-11 shrink-0 items-center justify-center rounded-chip bg-accent text-on-accent transition-colors hover:bg-accent-strong disabled:bg-sunken disabled:text-ink-3 [&>svg]:size-5"
      >
        {isPlaying ? (
          <Pause aria-hidden="true" fill="currentColor" strokeWidth={0} />
        ) : (
          <Play aria-hidden="true" fill="currentColor" strokeWidth={0} className="translate-x-px" />
        )}
      </button>
      {hasFailed ? (
        <p className="flex-1 text-13 text-ink-2">{t('This browser cannot play this file. Download it instead.')}</p>
      ) : (
        <>
          <div className="relative min-w-0 flex-1">
            <span aria-hidden="true" className="absolute inset-x-0 top-1/2 h-px bg-line" />
            <Waveform hash={file.hash} blob={source.blob} medium={medium} seconds={length} />
            <input
              type="range"
              dir="ltr"
              aria-label={t('Playback position')}
              aria-valuetext={t('{at} of {length}', {
                at: formatLength(at * 1_000),
                length: formatLength(length * 1_000),
              })}
              min={0}
              max={length || 1}
              step={0.1}
              value={Math.min(at, length || 1)}
              onChange={(event) => seek(event.target.valueAsNumber)}
              className={`${OVER_WAVE} ${at === 0 ? UNTOUCHED : ''}`}
            />
          </div>
          <span className="shrink-0 font-mono text-12 text-ink-2 tabular-nums" dir="ltr">
            {formatLength(at * 1_000)} / {formatLength(length * 1_000)}
          </span>
        </>
      )}
    </fieldset>
  )
}

/** What is heard of a stream goes on in its file, from the same place. */
function useTakeOver(liveId: string | undefined, { medium, seek }: Sound): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the file is there
  useEffect(() => {
    const live = liveId === undefined ? undefined : liveOf(liveId)
    const element = medium.current
    if (!live || !element) return
    const take = () => {
      // A phone may let nothing play that nobody pressed: then it is heard to its end where it began.
      element.currentTime = live.seconds()
      void element.play().then(live.stop, () => undefined)
    }
    if (!live.isPlaying) {
      seek(live.seconds())
      live.stop()
    } else if (element.readyState > 0) take()
    else element.addEventListener('loadedmetadata', take, { once: true })
  }, [liveId])
}
