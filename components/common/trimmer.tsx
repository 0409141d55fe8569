'use client'

import { Pause, Play } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type WaveSurfer from 'wavesurfer.js'
import { Button, IconButton } from '@/components/ui/button'
import { Sheet } from '@/components/ui/modal'
import { FileRefused } from '@/lib/browser/files/limits'
import { formatLength } from '@/lib/browser/format/numbers'
import { loadBlob } from '@/lib/browser/storage/blobs'
import type { Attachment } from '@/lib/browser/storage/records'
import { t } from '@/lib/i18n/t'

type TrimmerProps = { attachment: Attachment; onDone: (file: File) => void; onClose: () => void }

type Part = { start: number; end: number }

const MIN_PART_SECONDS = 0.2

export function Trimmer({ attachment, onDone, onClose }: TrimmerProps) {
  const [seconds, setSeconds] = useState((attachment.durationMs ?? 0) / 1_000)
  const [part, setPart] = useState<Part>({ start: 0, end: seconds })
  const [isPlaying, setIsPlaying] = useState(false)
  const [share, setShare] = useState<number>()
  const [problem, setProblem] = useState('')
  // The sheet is drawn a moment after this part: the place of the waveform is known when it is there.
  const [wave, setWave] = useState<HTMLDivElement | null>(null)
  const player = useRef<WaveSurfer>(undefined)
  const cutting = useRef<AbortController>(undefined)
  const setRegion = useRef<(part: Part) => void>(undefined)

  useEffect(() => {
    let isGone = false
    let end = () => {}
    void showWave(wave, attachment, {
      onReady: (length) => {
        setSeconds(length)
        setPart({ start: 0, end: length })
      },
      onPart: setPart,
      onPlaying: setIsPlaying,
    }).then(
      (shown) => {
        if (!shown) return
        end = () => shown.player.destroy()
        player.current = shown.player
        setRegion.current = shown.setRegion
        if (isGone) end()
      },
      () => setProblem(t('This browser can’t show the waveform. Enter start and end times to trim.')),
    )
    return () => {
      isGone = true
      end()
      cutting.current?.abort()
    }
  }, [attachment, wave])

  const change = (changes: Partial<Part>) => {
    const next = { ...part, ...changes }
    setPart(next)
    if (next.end - next.start >= MIN_PART_SECONDS) setRegion.current?.(next)
  }
  const cut = async () => {
    cutting.current = new AbortController()
    const { signal } = cutting.current
    setProblem('')
    setShare(0)
    try {
      onDone(await cutOut(attachment, part, signal, setShare))
    } catch (error) {
      if (!signal.aborted)
        setProblem(error instanceof FileRefused ? error.message : t('The recording couldn’t be trimmed. Try again.'))
    } finally {
      setShare(undefined)
    }
  }
  const length = part.end - part.start
  const canCut = length >= MIN_PART_SECONDS && share === undefined
  return (
    <Sheet isOpen onClose={onClose} title={t('Trim recording')} isHeld={share !== undefined}>
      <p className="mt-1 text-ink-2">{t('Drag to select the part to keep.')}</p>
      <div ref={setWave} dir="ltr" className="mt-4 min-h-24 overflow-hidden rounded-card bg-sunken" />
      <div className="mt-4 flex flex-wrap items-end gap-3">
        <IconButton
          label={isPlaying ? t('Pause') : t('Play selection')}
          onClick={() => (isPlaying ? player.current?.pause() : void player.current?.play(part.start, part.end))}
        >
          {isPlaying ? <Pause aria-hidden="true" /> : <Play aria-hidden="true" />}
        </IconButton>
        <Seconds label={t('Start (s)')} value={part.start} max={seconds} onChange={(start) => change({ start })} />
        <Seconds label={t('End (s)')} value={part.end} max={seconds} onChange={(end) => change({ end })} />
      </div>
      <p role="status" className="mt-3 min-h-5 text-13 text-ink-2">
        {problem ||
          t('{part} of {whole} selected', {
            part: formatLength(Math.max(0, length) * 1_000),
            whole: formatLength(seconds * 1_000),
          })}
      </p>
      {share !== undefined && <progress aria-label={t('Trimming')} max={1} value={share} className="mt-1 h-1 w-full" />}
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={onClose}>{t('Cancel')}</Button>
        <Button kind="primary" disabled={!canCut} onClick={() => void cut()}>
          {t('Keep selection')}
        </Button>
      </div>
    </Sheet>
  )
}

type SecondsProps = { label: string; value: number; max: number; onChange: (value: number) => void }

function Seconds({ label, value, max, onChange }: SecondsProps) {
  return (
    <label className="text-12 text-ink-2">
      {label}
      <input
        type="number"
        min={0}
        max={max}
        step={0.1}
        value={Math.round(value * 10) / 10}
        onChange={(event) => onChange(Math.max(0, Math.min(max, event.target.valueAsNumber || 0)))}
        className="mt-1 block h-9 w-24 rounded-control border border-control bg-surface px-2 font-mono text-14 text-ink pointer-coarse:h-11 pointer-coarse:text-16"
      />
    </label>
  )
}

type WaveEvents = {
  onReady: (seconds: number) => void
  onPart: (part: Part) => void
  onPlaying: (isPlaying: boolean) => void
}

async function showWave(container: HTMLElement | null, attachment: Attachment, events: WaveEvents) {
  const [{ default: WaveSurfer }, { default: Regions }, blob] = await Promise.all([
    import('wavesurfer.js'),
    import('wavesurfer.js/plugins/regions'),
    loadBlob(attachment.hash),
  ])
  if (!container?.isConnected || !blob) return undefined
  const style = getComputedStyle(document.documentElement)
  const regions = Regions.create()
  const player = WaveSurfer.create({
    container,
    height: 96,
    waveColor: style.getPropertyValue('--color-control'),
    progressColor: style.getPropertyValue('--color-accent'),
    cursorColor: style.getPropertyValue('--color-ink'),
    barWidth: 2,
    barGap: 1,
    plugins: [regions],
  })
  player.on('play', () => events.onPlaying(true))
  player.on('pause', () => events.onPlaying(false))
  await player.loadBlob(blob)
  const region = regions.addRegion({ start: 0, end: player.getDuration(), color: 'rgb(0 110 100 / 0.18)' })
  region.on('update-end', () => events.onPart({ start: region.start, end: region.end }))
  events.onReady(player.getDuration())
  return { player, setRegion: (part: Part) => region.setOptions(part) }
}

async function cutOut(
  attachment: Attachment,
  part: Part,
  signal: AbortSignal,
  onProgress: (share: number) => void,
): Promise<File> {
  const blob = await loadBlob(attachment.hash)
  if (!blob) throw new FileRefused(t('The recording is no longer on this device. Add the file again.'))
  const { convertAudio } = await import('@/lib/browser/files/audio')
  const cut = await convertAudio(blob, { signal, onProgress, part })
  return new File([cut.blob], attachment.name, { type: cut.mediaType })
}
