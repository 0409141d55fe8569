import { useSyncExternalStore } from 'react'
import { samplesSound } from '@/components/studio/audio/live-samples'
import { playsStream, streamSound } from '@/components/studio/audio/live-stream'

/** Speech that is heard while it comes. */
export type Live = { isPlaying: boolean; pauseOrGoOn: () => void; stop: () => void; seconds: () => number }

/** Where the bytes of a stream go. */
export type LiveSink = { add: (bytes: Uint8Array<ArrayBuffer>) => void; end: () => void; stop: () => void }

/** What plays it. `seconds`: how much of it was heard. */
export type LiveSound = LiveSink & { play: () => void; pause: () => void; seconds: () => number }
export type LiveTold = { onPlaying: (isPlaying: boolean) => void; onEnd: () => void }

/** Bare samples are played here, whatever the browser is. */
const SAMPLES = new Set(['wav', 'pcm'])

const lives = new Map<string, Live>()
const listeners = new Set<() => void>()

/** What is heard of a creation while it comes, if anything. */
export function useLive(id: string): Live | undefined {
  return useSyncExternalStore(
    subscribe,
    () => lives.get(id),
    () => undefined,
  )
}

export const liveOf = (id: string): Live | undefined => lives.get(id)

/** Whether this browser plays a format before it is whole. */
export const canHearLive = (format: string): boolean => SAMPLES.has(format) || playsStream(format)

/** Begins to play a stream of this format as soon as something of it comes. */
export function openLive(id: string, format: string): LiveSink {
  const leave = () => {
    lives.delete(id)
    tell()
  }
  const stop = () => {
    sound.stop()
    leave()
  }
  const onPlaying = (isPlaying: boolean) => {
    lives.set(id, { isPlaying, pauseOrGoOn: isPlaying ? sound.pause : sound.play, stop, seconds: sound.seconds })
    tell()
  }
  const told: LiveTold = { onPlaying, onEnd: leave }
  const sound = SAMPLES.has(format) ? samplesSound(format, told) : streamSound(format, told)
  return { add: sound.add, end: sound.end, stop }
}

function tell(): void {
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
