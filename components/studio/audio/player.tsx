'use client'

import { Pause, Play } from 'lucide-react'
import { type RefObject, useEffect, useImperativeHandle, useRef, useState } from 'react'
import { MissingBytes } from '@/components/common/stored-bytes'
import { liveOf } from '@/components/studio/audio/live'
import { Waveform } from '@/components/studio/audio/waveform'
import { type FileSource, useFile, useFileUrl } from '@/components/studio/parts/media'
import { formatLength } from '@/lib/browser/format/numbers'
import type { CreationFile } from '@/lib/browser/storage/generations'
import { t } from '@/lib/i18n/t'

const OVER_WAVE =
  'absolute inset-0 size-full cursor-pointer appearance-none rounded-control bg-transparent ' +
  '[&::-webkit-slider-thumb]:h-11 [&::-webkit-slider-thumb]:w-0.5 [&::-webkit-slider-thumb]:appearance-none ' +
  '[&::-webkit-slider-thumb]:rounded-chip [&::-webkit-slider-thumb]:bg-accent ' +
  '[&::-moz-range-thumb]:h-11 [&::-moz-range-thumb]:w-0.5 [&::-moz-range-thumb]:rounded-chip ' +
  '[&::-moz-range-thumb]:border-0 [&::-moz-range-thumb]:bg-accent [&::-moz-range-track]:bg-transparent'

const UNTOUCHED =
  '[&:not(:hover,:focus-visible)]:[&::-webkit-slider-thumb]:opacity-0 ' +
  '[&:not(:hover,:focus-visible)]:[&::-moz-range-thumb]:opacity-0'

export type PlayerHandle = Pick<PlayerState, 'seek'>

type AudioPlayerProps = {
  file: CreationFile
  label: string
  /** Continues from the live playback of this generation. */
  liveId?: string
  onTime?: (seconds: number) => void
  handle?: RefObject<PlayerHandle | null>
}

export function AudioPlayer({ file, ...props }: AudioPlayerProps) {
  const source = useFile(file)
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

function Player({ source, file, label, liveId, onTime, handle }: AudioPlayerProps & { source: FileSource }) {
  const audioFile = useAudio(source.url, (file.durationMs ?? 0) / 1_000)
  const { medium, isPlaying, at, length, hasFailed, toggle, seek } = audioFile
  useImperativeHandle(handle, () => ({ seek }))
  useTakeOver(liveId, audioFile)
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

function useTakeOver(liveId: string | undefined, { medium, seek }: PlayerState): void {
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

type VideoPlayerProps = {
  file: CreationFile
  label: string
  onTime?: (seconds: number) => void
  handle?: RefObject<PlayerHandle | null>
}

export function VideoPlayer({ file, label, onTime, handle }: VideoPlayerProps) {
  const url = useFileUrl(file)
  const { medium, at, seek, hasFailed } = useAudio(url)
  useImperativeHandle(handle, () => ({ seek }))
  useEffect(() => onTime?.(at), [at, onTime])
  if (url === null) {
    return (
      <div className="p-3 pb-0">
        <MissingBytes name={file.name} />
      </div>
    )
  }
  const shape = { aspectRatio: `${file.width ?? 16} / ${file.height ?? 9}` }
  if (hasFailed) {
    return (
      <p className="flex items-center justify-center bg-sunken p-6 text-center text-13 text-ink-2" style={shape}>
        {t('This browser cannot play this video. Download it instead.')}
      </p>
    )
  }
  return (
    // biome-ignore lint/a11y/useMediaCaption: a file of the person’s own, which has none
    <video
      ref={medium as RefObject<HTMLVideoElement>}
      src={url}
      controls
      playsInline
      preload="metadata"
      aria-label={label}
      className="block max-h-[34rem] w-full bg-[#000]"
      style={shape}
    />
  )
}

export type PlayerState = {
  medium: RefObject<HTMLMediaElement | null>
  isPlaying: boolean
  /** Seconds. `length` is 0 until it is known. */
  at: number
  length: number
  hasFailed: boolean
  toggle: () => void
  seek: (seconds: number, plays?: boolean) => void
}

/**
 * Follows a media element, which is the caller's. @param address what it plays: another one begins anew. @param
 * knownLength in seconds, for files that do not say their length before they were read.
 */
function useAudio(address: string | null | undefined, knownLength = 0): PlayerState {
  const medium = useRef<HTMLMediaElement>(null)
  const [isPlaying, setIsPlaying] = useState(false)
  const [at, setAt] = useState(0)
  const [length, setLength] = useState(knownLength)
  const [hasFailed, setHasFailed] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the element plays whatever the address names
  useEffect(() => {
    const element = medium.current
    if (!element) return
    const ending = new AbortController()
    const on = (name: string, run: () => void) => element.addEventListener(name, run, { signal: ending.signal })
    on('play', () => {
      claimSpeaker(element, () => element.pause())
      setIsPlaying(true)
    })
    on('pause', () => setIsPlaying(false))
    on('timeupdate', () => setAt(element.currentTime))
    on('seeked', () => setAt(element.currentTime))
    on('durationchange', () => {
      if (Number.isFinite(element.duration)) setLength(element.duration)
    })
    on('error', () => setHasFailed(true))
    return () => {
      ending.abort()
      element.pause()
    }
  }, [address])
  const play = () => void medium.current?.play().catch(() => undefined)
  return {
    medium,
    isPlaying,
    at,
    length,
    hasFailed,
    toggle: () => (medium.current?.paused ? play() : medium.current?.pause()),
    seek: (seconds, plays = false) => {
      if (!medium.current) return
      medium.current.currentTime = seconds
      setAt(seconds)
      if (plays) play()
    },
  }
}

let current: { player: object; pause: () => void } | undefined

/** Pauses what plays elsewhere in the studio. `player` tells players apart. */
export function claimSpeaker(player: object, pause: () => void): void {
  if (current?.player !== player) current?.pause()
  current = { player, pause }
}
