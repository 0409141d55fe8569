'use client'

import { type RefObject, useEffect, useRef, useState } from 'react'
import { claimSpeaker } from '@/components/studio/audio/one-at-a-time'

export type Sound = {
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
 * A sound or a film of the page as it plays; its element is the caller's.
 *
 * @param address what it plays: another one begins anew.
 * @param knownLength in seconds, for what does not say its length before it was read.
 */
export function useSound(address: string | null | undefined, knownLength = 0): Sound {
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
    ...{ medium, isPlaying, at, length, hasFailed },
    toggle: () => (medium.current?.paused ? play() : medium.current?.pause()),
    seek: (seconds, plays = false) => {
      if (!medium.current) return
      medium.current.currentTime = seconds
      setAt(seconds)
      if (plays) play()
    },
  }
}
