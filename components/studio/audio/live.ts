import { create } from 'zustand'
import { PCM_RATE, wavFormat } from '@/components/studio/audio/wav'

export type Live = { isPlaying: boolean; toggle: () => void; stop: () => void; seconds: () => number }

export type LiveSink = { add: (bytes: Uint8Array<ArrayBuffer>) => void; end: () => void; stop: () => void }

// `seconds`: how much of it was heard.
type LiveAudio = LiveSink & { play: () => void; pause: () => void; seconds: () => number }
type LiveListeners = { onPlaying: (isPlaying: boolean) => void; onEnd: () => void }

const SAMPLES = new Set(['wav', 'pcm'])

const TYPES: Record<string, string> = { mp3: 'audio/mpeg', aac: 'audio/aac' }

const SAMPLE_BYTES = 2
const FULL_SCALE = 32_768
// A longer head is none of ours.
const MAX_HEAD_BYTES = 4_096

type State = { lives: ReadonlyMap<string, Live> }

const useStore = create<State>(() => ({ lives: new Map() }))

export const useLive = (id: string): Live | undefined => useStore(({ lives }) => lives.get(id))

export const liveOf = (id: string): Live | undefined => useStore.getState().lives.get(id)

function setLive(id: string, live: Live | undefined): void {
  const lives = new Map(useStore.getState().lives)
  if (live) lives.set(id, live)
  else lives.delete(id)
  useStore.setState({ lives })
}

/** Tells whether this browser plays a format before it is whole. */
export const canHearLive = (format: string): boolean => SAMPLES.has(format) || playsStream(format)

/** Plays a stream as soon as something of it comes. */
export function openLive(id: string, format: string): LiveSink {
  const leave = () => setLive(id, undefined)
  const stop = () => {
    audio.stop()
    leave()
  }
  const onPlaying = (isPlaying: boolean) =>
    setLive(id, { isPlaying, toggle: isPlaying ? audio.pause : audio.play, stop, seconds: audio.seconds })
  const listeners: LiveListeners = { onPlaying, onEnd: leave }
  const audio = SAMPLES.has(format) ? playSamples(format, listeners) : streamAudio(format, listeners)
  return { add: audio.add, end: audio.end, stop }
}

// Plays samples of 16 bits, with or without a WAV head; each piece begins where the last one ends.
function playSamples(format: string, { onPlaying, onEnd }: LiveListeners): LiveAudio {
  const context = new AudioContext()
  let read: (bytes: Uint8Array) => Uint8Array | undefined =
    format === 'wav' ? headReader((rate) => (hertz = rate)) : same
  let hertz = PCM_RATE
  let odd = new Uint8Array(0)
  let nextAt = 0
  let queuedSeconds = 0
  let playing = 0
  let isWhole = false
  let hasBegun = false
  const endIfOver = () => {
    if (!isWhole || playing > 0) return
    void context.close().catch(() => undefined)
    onEnd()
  }
  const queue = (bytes: Uint8Array) => {
    const all = joined(odd, bytes)
    const count = Math.floor(all.length / SAMPLE_BYTES)
    odd = all.slice(count * SAMPLE_BYTES)
    if (count === 0 || context.state === 'closed') return
    const buffer = bufferOf(context, all, count, hertz)
    const node = new AudioBufferSourceNode(context, { buffer })
    node.connect(context.destination)
    nextAt = Math.max(nextAt, context.currentTime)
    node.start(nextAt)
    nextAt += buffer.duration
    queuedSeconds += buffer.duration
    playing += 1
    node.addEventListener('ended', () => {
      playing -= 1
      endIfOver()
    })
    if (hasBegun) return
    hasBegun = true
    onPlaying(true)
  }
  return {
    add: (bytes) => {
      const samples = read(bytes)
      if (!samples) return
      read = same
      queue(samples)
    },
    end: () => {
      isWhole = true
      endIfOver()
    },
    stop: () => void context.close().catch(() => undefined),
    play: () => void context.resume().then(() => onPlaying(true), onEnd),
    pause: () => void context.suspend().then(() => onPlaying(false), onEnd),
    seconds: () => queuedSeconds - Math.max(0, nextAt - context.currentTime),
  }
}

const same = (bytes: Uint8Array): Uint8Array => bytes

// Gathers the head of a WAV file and returns the samples behind it. Another kind of WAV is not heard before it is
// whole.
function headReader(onRate: (rate: number) => void) {
  let head = new Uint8Array(0)
  return (bytes: Uint8Array): Uint8Array | undefined => {
    if (head.length > MAX_HEAD_BYTES) return undefined
    head = joined(head, bytes)
    const found = wavFormat(head)
    if (!found) return undefined
    onRate(found.rate)
    return head.slice(found.start)
  }
}

function bufferOf(context: AudioContext, bytes: Uint8Array, count: number, hertz: number): AudioBuffer {
  const buffer = context.createBuffer(1, count, hertz)
  const channel = buffer.getChannelData(0)
  const view = new DataView(bytes.buffer, bytes.byteOffset, count * SAMPLE_BYTES)
  for (let at = 0; at < count; at++) channel[at] = view.getInt16(at * SAMPLE_BYTES, true) / FULL_SCALE
  return buffer
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(one.length + other.length)
  both.set(one)
  both.set(other, one.length)
  return both
}

const playsStream = (format: string): boolean => mediaSource()?.isTypeSupported(TYPES[format] ?? '') ?? false

function streamAudio(format: string, { onPlaying, onEnd }: LiveListeners): LiveAudio {
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

// iPhones have it under another name.
function mediaSource(): typeof MediaSource | undefined {
  const scope = globalThis as typeof globalThis & { ManagedMediaSource?: typeof MediaSource }
  return scope.ManagedMediaSource ?? scope.MediaSource
}
