import { useEffect, useRef, useState } from 'react'
import { MAX_WAV_SECONDS } from '@/lib/browser/files/limits'
import { t } from '@/lib/i18n/t'

export type Recording = {
  state: 'asking' | 'recording' | 'refused'
  ms: number
  /** How loud it is now, from 0 to 1. */
  level: number
  /** Ends it; the file is made a moment later. */
  stop: () => void
}

const TICK_MS = 80
/** Speech hardly reaches full scale. */
const GAIN = 2.4
/** Best first: the service takes the first two as they are, the others are converted. */
const TYPES = ['audio/mp4;codecs=mp4a.40.2', 'audio/ogg;codecs=opus', 'audio/webm;codecs=opus', 'audio/webm']

/** What fits into one file as WAV, which is what is made of it where the service does not take it as it is. */
const LONGEST_MS = MAX_WAV_SECONDS * 1_000

/** Records from the microphone from the moment it is shown, until it is stopped, is `mostMs` long or goes away. */
export function useRecording(onFile: (file: File) => void, mostMs = LONGEST_MS): Recording {
  const [shown, setShown] = useState<Omit<Recording, 'stop'>>({ state: 'asking', ms: 0, level: 0 })
  const recorder = useRef<MediaRecorder>(undefined)
  const deliver = useRef(onFile)
  const most = useRef(mostMs)
  useEffect(() => {
    deliver.current = onFile
    most.current = Math.min(mostMs, LONGEST_MS)
  })
  useEffect(() => {
    const ending = new AbortController()
    void record(ending.signal, recorder, most, setShown, (file) => deliver.current(file)).catch(() => {
      if (!ending.signal.aborted) setShown({ state: 'refused', ms: 0, level: 0 })
    })
    return () => ending.abort()
  }, [])
  return { ...shown, stop: () => recorder.current?.stop() }
}

/** @throws DOMException when there is no microphone, or it may not be used. */
async function record(
  signal: AbortSignal,
  holder: { current: MediaRecorder | undefined },
  most: { current: number },
  show: (shown: Omit<Recording, 'stop'>) => void,
  deliver: (file: File) => void,
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
    if (ms > most.current && recorder.state !== 'inactive') recorder.stop()
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

/** Root mean square, so that a level moves as loudness is heard. */
export function levelOf(samples: Float32Array): number {
  const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, samples.length)
  return Math.min(1, Math.sqrt(power) * GAIN)
}

function fileOf(chunks: Blob[], mimeType: string): File {
  const type = mimeType.split(';')[0] || 'audio/webm'
  const time = new Date().toTimeString().slice(0, 5).replace(':', '.')
  return new File(chunks, t('Recording {time}', { time }), { type })
}
