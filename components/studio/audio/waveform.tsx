'use client'

import { type RefObject, useEffect, useRef } from 'react'
import type WaveSurfer from 'wavesurfer.js'

// Longer sound is not drawn: it would be decoded whole, which takes a phone's memory.
const MAX_DRAWN_SECONDS = 20 * 60
const HEIGHT_PX = 44
const CACHED_PEAKS = 600

const drawn = new Map<string, { peaks: number[][]; seconds: number }>()
const MAX_CACHED_PEAKS = 60

type WaveformProps = { hash: string; blob: Blob; medium: RefObject<HTMLMediaElement | null>; seconds: number }

/**
 * Draws the shape of a sound, filled as far as it was played. The controls beside it have the same for screen readers.
 */
export function Waveform({ hash, blob, medium, seconds }: WaveformProps) {
  const place = useRef<HTMLDivElement>(null)
  const isDrawn = seconds <= MAX_DRAWN_SECONDS
  useEffect(() => {
    const container = place.current
    const media = medium.current
    if (!container || !media || !isDrawn) return
    let isGone = false
    let end = () => {}
    const begin = async () => {
      const player = await draw(container, media, hash, blob)
      if (!player) return
      const unwatch = watchColours(() => player.setOptions(coloursOf(container)))
      end = () => {
        unwatch()
        player.destroy()
      }
      if (isGone) end()
    }
    // What is far down the wall is drawn when it is scrolled to.
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (!entry?.isIntersecting) return
        observer.disconnect()
        // What cannot be decoded here can mostly be played all the same.
        void begin().catch(() => undefined)
      },
      { rootMargin: '200px' },
    )
    observer.observe(container)
    return () => {
      isGone = true
      observer.disconnect()
      end()
    }
  }, [hash, blob, medium, isDrawn])
  return (
    <div
      ref={place}
      aria-hidden="true"
      dir="ltr"
      className="pointer-events-none h-11 min-w-0 text-control [&>.played]:text-accent"
    >
      <span className="played hidden" />
    </div>
  )
}

async function draw(
  container: HTMLElement,
  media: HTMLMediaElement,
  hash: string,
  blob: Blob,
): Promise<WaveSurfer | undefined> {
  const [{ default: WaveSurfer }, { peaks, seconds }] = await Promise.all([
    import('wavesurfer.js'),
    drawn.get(hash) ?? peaksOf(blob),
  ])
  cachePeaks(hash, { peaks, seconds })
  if (!container.isConnected) return undefined
  return WaveSurfer.create({
    ...coloursOf(container),
    container,
    media,
    peaks,
    duration: seconds,
    height: HEIGHT_PX,
    barWidth: 2,
    barGap: 2,
    barRadius: 1,
    barMinHeight: 2,
    cursorWidth: 0,
    interact: false,
    normalize: true,
  })
}

async function peaksOf(blob: Blob): Promise<{ peaks: number[][]; seconds: number }> {
  // At a low rate, for a picture: a tenth of the memory.
  const context = new OfflineAudioContext(1, 1, 8_000)
  const buffer = await context.decodeAudioData(await blob.arrayBuffer())
  const samples = buffer.getChannelData(0)
  const step = Math.max(1, Math.floor(samples.length / CACHED_PEAKS))
  const peaks: number[] = []
  for (let at = 0; at < samples.length; at += step) {
    let peak = 0
    for (let i = at; i < Math.min(at + step, samples.length); i++) peak = Math.max(peak, Math.abs(samples[i] ?? 0))
    peaks.push(peak)
  }
  return { peaks: [peaks], seconds: buffer.duration }
}

function cachePeaks(hash: string, peaks: { peaks: number[][]; seconds: number }): void {
  drawn.set(hash, peaks)
  const [oldest] = drawn.keys()
  if (drawn.size > MAX_CACHED_PEAKS && oldest !== undefined) drawn.delete(oldest)
}

// A canvas does not understand `light-dark()`.
function coloursOf(container: HTMLElement): { waveColor: string; progressColor: string } {
  const played = container.querySelector('.played') ?? container
  return { waveColor: getComputedStyle(container).color, progressColor: getComputedStyle(played).color }
}

function watchColours(onChange: () => void): () => void {
  const night = matchMedia('(prefers-color-scheme: dark)')
  const observer = new MutationObserver(onChange)
  night.addEventListener('change', onChange)
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
  return () => {
    night.removeEventListener('change', onChange)
    observer.disconnect()
  }
}
