import type { LiveSound, LiveTold } from '@/components/studio/audio/live'

/** What browsers may play piece by piece. */
const TYPES: Record<string, string> = { mp3: 'audio/mpeg', aac: 'audio/aac' }

export const playsStream = (format: string): boolean => mediaSource()?.isTypeSupported(TYPES[format] ?? '') ?? false

/** Played by the browser, which takes what comes into one long sound. */
export function streamSound(format: string, { onPlaying, onEnd }: LiveTold): LiveSound {
  const Source = mediaSource()
  if (!Source) throw new Error('this browser plays no streams')
  const source = new Source()
  const url = URL.createObjectURL(source)
  const audio = new Audio()
  // Where phones play streams at all, they want to know that it stays on the phone.
  audio.disableRemotePlayback = true
  const waiting: Uint8Array<ArrayBuffer>[] = []
  let buffer: SourceBuffer | undefined
  let isWhole = false
  let hasBegun = false
  const feed = () => {
    if (source.readyState !== 'open' || !buffer || buffer.updating) return
    const bytes = waiting.shift()
    try {
      if (bytes) buffer.appendBuffer(bytes)
      else if (isWhole) source.endOfStream()
    } catch {
      // More than the browser holds at a time: the rest is heard when the file is there.
      waiting.length = 0
    }
    if (!bytes || hasBegun) return
    hasBegun = true
    audio.play().catch(onEnd)
  }
  const onOpen = () => {
    buffer = source.addSourceBuffer(TYPES[format] ?? '')
    buffer.addEventListener('updateend', feed)
    feed()
  }
  source.addEventListener('sourceopen', onOpen, { once: true })
  audio.addEventListener('playing', () => onPlaying(true))
  audio.addEventListener('pause', () => {
    if (hasBegun && !audio.ended) onPlaying(false)
  })
  audio.addEventListener('ended', onEnd)
  audio.addEventListener('error', () => {
    if (hasBegun) onEnd()
  })
  audio.src = url
  return {
    add: (bytes) => {
      waiting.push(bytes)
      feed()
    },
    end: () => {
      isWhole = true
      feed()
    },
    stop: () => {
      hasBegun = false
      waiting.length = 0
      audio.pause()
      audio.removeAttribute('src')
      URL.revokeObjectURL(url)
    },
    play: () => void audio.play().catch(onEnd),
    pause: () => audio.pause(),
    seconds: () => audio.currentTime,
  }
}

/** The phones of one maker have it under another name. */
function mediaSource(): typeof MediaSource | undefined {
  const scope = globalThis as typeof globalThis & { ManagedMediaSource?: typeof MediaSource }
  return scope.ManagedMediaSource ?? scope.MediaSource
}
