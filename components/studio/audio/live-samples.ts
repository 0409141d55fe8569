import type { LiveSound, LiveTold } from '@/components/studio/audio/live'
import { PCM_RATE, wavFormat } from '@/components/studio/audio/wav'

const SAMPLE_BYTES = 2
const FULL_SCALE = 32_768
/** A head with its chunks is shorter. */
const MAX_HEAD_BYTES = 4_096

/** Samples of 16 bits as they come, with a WAV head before them or without: each piece begins where the last one ends. */
export function samplesSound(format: string, { onPlaying, onEnd }: LiveTold): LiveSound {
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

/** Gathers the head of a WAV file; gives the samples behind it. Of another kind of WAV nothing is heard before it is whole. */
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
