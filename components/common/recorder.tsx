'use client'

import { Check, X } from 'lucide-react'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { Button, IconButton } from '@/components/ui/button'
import { MAX_WAV_SECONDS } from '@/lib/browser/files/limits'
import { formatLength } from '@/lib/browser/format/numbers'
import { t } from '@/lib/i18n/t'

type RecorderProps = { onDone: (files: File[]) => void; onClose: () => void }

const BARS = Array.from({ length: 24 }, (_, at) => (at - 11.5) / 11.5)

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

const barHeight = (place: number, level: number): number => 8 + 92 * level * (1 - Math.abs(place) * 0.8)

type Recording = { state: 'asking' | 'recording' | 'refused'; ms: number; level: number; stop: () => void }

const TICK_MS = 80
const GAIN = 2.4
/** Best first: the service takes the first two as they are; the others are converted. */
const TYPES = ['audio/mp4;codecs=mp4a.40.2', 'audio/ogg;codecs=opus', 'audio/webm;codecs=opus', 'audio/webm']

/** Bound by WAV, which is what is made of a recording where the service does not take its type. */
const MAX_RECORDING_MS = MAX_WAV_SECONDS * 1_000

export function useRecording(onFile: (file: File) => void, maxMs = MAX_RECORDING_MS): Recording {
  const [shown, setShown] = useState<Omit<Recording, 'stop'>>({ state: 'asking', ms: 0, level: 0 })
  const recorder = useRef<MediaRecorder>(undefined)
  const deliver = useEffectEvent(onFile)
  const isOver = useEffectEvent((ms: number) => ms > Math.min(maxMs, MAX_RECORDING_MS))
  useEffect(() => {
    const ending = new AbortController()
    void record(ending.signal, recorder, { isOver, show: setShown, deliver }).catch(() => {
      if (!ending.signal.aborted) setShown({ state: 'refused', ms: 0, level: 0 })
    })
    return () => ending.abort()
  }, [])
  return { ...shown, stop: () => recorder.current?.stop() }
}

type RecordingEvents = {
  isOver: (ms: number) => boolean
  show: (shown: Omit<Recording, 'stop'>) => void
  deliver: (file: File) => void
}

/** @throws DOMException when there is no microphone, or it may not be used. */
async function record(
  signal: AbortSignal,
  holder: { current: MediaRecorder | undefined },
  { isOver, show, deliver }: RecordingEvents,
): Promise<void> {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true })
  const release = () => {
    for (const track of stream.getTracks()) track.stop()
  }
  if (signal.aborted) return release()
  const mimeType = TYPES.find((type) => MediaRecorder.isTypeSupported(type))
  const recorder = new MediaRecorder(stream, { ...(mimeType && { mimeType }), audioBitsPerSecond: 64_000 })
  holder.current = recorder
  const chunks: Blob[] = []
  const context = new AudioContext()
  const analyser = context.createAnalyser()
  analyser.fftSize = 1_024
  context.createMediaStreamSource(stream).connect(analyser)
  const samples = new Float32Array(analyser.fftSize)
  const startedAt = performance.now()
  const timer = setInterval(() => {
    analyser.getFloatTimeDomainData(samples)
    const ms = performance.now() - startedAt
    show({ state: 'recording', ms, level: levelOf(samples) })
    if (isOver(ms) && recorder.state !== 'inactive') recorder.stop()
  }, TICK_MS)
  recorder.addEventListener('dataavailable', ({ data }) => chunks.push(data))
  recorder.addEventListener('stop', () => {
    clearInterval(timer)
    release()
    void context.close()
    if (!signal.aborted && chunks.length > 0) deliver(fileOf(chunks, recorder.mimeType))
  })
  signal.addEventListener('abort', () => recorder.state !== 'inactive' && recorder.stop())
  recorder.start(1_000)
  show({ state: 'recording', ms: 0, level: 0 })
}

export function levelOf(samples: Float32Array): number {
  const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, samples.length)
  return Math.min(1, Math.sqrt(power) * GAIN)
}

function fileOf(chunks: Blob[], mimeType: string): File {
  const type = mimeType.split(';')[0] || 'audio/webm'
  const time = new Date().toTimeString().slice(0, 5).replace(':', '.')
  return new File(chunks, t('Recording {time}', { time }), { type })
}
