import { setImmediate as nextTurn } from 'node:timers/promises'
import { MediaError } from './media-error.ts'

const HEADER_BYTES = 12
const CHUNK_HEADER_BYTES = 8
const MAX_CHUNKS = 1_000
const MAX_CHANNELS = 32
const MIN_RATE = 4_000
const MAX_RATE = 384_000
const INTEGER = 1
const FLOAT = 3
const EXTENSIBLE = 0xfffe

const ENCODINGS: Record<string, PcmEncoding> = {
  [`${INTEGER}/8`]: 'u8',
  [`${INTEGER}/16`]: 's16',
  [`${INTEGER}/24`]: 's24',
  [`${INTEGER}/32`]: 's32',
  [`${FLOAT}/32`]: 'f32',
  [`${FLOAT}/64`]: 'f64',
}

/**
 * Reads the samples of a WAV file. Recorders that write while they record leave the length open or wrong: all bytes
 * there count.
 *
 * @returns undefined when they are compressed, or not in RIFF.
 * @throws MediaError `corrupt` without a format, samples, or with impossible numbers.
 */
export function readWav(file: Uint8Array): Pcm | undefined {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  if (name(view, 0) !== 'RIFF') return undefined
  let format: Omit<Pcm, 'bytes'> | undefined
  let at = HEADER_BYTES
  for (let count = 0; count < MAX_CHUNKS && at + CHUNK_HEADER_BYTES <= file.length; count++) {
    const size = view.getUint32(at + 4, true)
    const start = at + CHUNK_HEADER_BYTES
    if (name(view, at) === 'data') {
      if (!format) break
      const isOpen = size === 0 || start + size > file.length
      return { ...format, bytes: file.subarray(start, isOpen ? file.length : start + size) }
    }
    if (name(view, at) === 'fmt ') {
      if (size < 16 || start + size > file.length) break
      const parsed = readFormat(view, start, size)
      if (!parsed) return undefined
      format = parsed
    }
    // Chunks begin at even places.
    at = start + size + (size % 2)
  }
  throw new MediaError('corrupt', 'The WAV file contains no readable audio. The file is damaged or incomplete.')
}

function readFormat(view: DataView, start: number, size: number): Omit<Pcm, 'bytes'> | undefined {
  const tag = view.getUint16(start, true)
  const code = tag === EXTENSIBLE && size >= 26 ? view.getUint16(start + 24, true) : tag
  const channels = view.getUint16(start + 2, true)
  const rate = view.getUint32(start + 4, true)
  const encoding = ENCODINGS[`${code}/${view.getUint16(start + 14, true)}`]
  if (!encoding) return undefined
  const isPossible = channels >= 1 && channels <= MAX_CHANNELS && rate >= MIN_RATE && rate <= MAX_RATE
  if (!isPossible || view.getUint16(start + 12, true) !== channels * SAMPLE_BYTES[encoding]) {
    throw new MediaError('corrupt', 'The WAV file names an impossible number of channels or samples a second.')
  }
  return { channels, rate, encoding }
}

export function writeWav(samples: Float32Array, rate: number): Uint8Array {
  const head = wavHead(rate, samples.length * 2)
  const file = new Uint8Array(head.length + samples.length * 2)
  file.set(head)
  const view = new DataView(file.buffer)
  for (let index = 0; index < samples.length; index++) {
    const value = Math.round((samples[index] ?? 0) * 32_767)
    view.setInt16(head.length + index * 2, Math.max(-32_768, Math.min(32_767, value)), true)
  }
  return file
}

/** Joins pieces of sound. */
export function joined(pieces: Float32Array[]): Float32Array {
  const samples = new Float32Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    samples.set(piece, at)
    at += piece.length
  }
  return samples
}

// Players take the longest possible length for an unknown one.
const OPEN = 0xffff_ffff

export function wavHead(rate: number, dataBytes: number | undefined): Buffer {
  const head = Buffer.alloc(44)
  head.write('RIFF', 0, 'latin1')
  head.writeUInt32LE(dataBytes === undefined ? OPEN : dataBytes + 36, 4)
  head.write('WAVEfmt ', 8, 'latin1')
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(INTEGER, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(rate * 2, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36, 'latin1')
  head.writeUInt32LE(dataBytes ?? OPEN, 40)
  return head
}

function name(view: DataView, at: number): string {
  return at + 4 > view.byteLength ? '' : String.fromCharCode(...[0, 1, 2, 3].map((index) => view.getUint8(at + index)))
}

/** Samples as they lie in a file, little-endian, the channels of one moment together. */
export type Pcm = { bytes: Uint8Array; rate: number; channels: number; encoding: PcmEncoding }
type PcmEncoding = 'u8' | 's16' | 's24' | 's32' | 'f32' | 'f64'

export const SAMPLE_BYTES = { u8: 1, s16: 2, s24: 3, s32: 4, f32: 4, f64: 8 } as const

const SLICE = 262_144

type Read = (view: DataView, at: number) => number

const READ: Record<PcmEncoding, Read> = {
  u8: (view, at) => (view.getUint8(at) - 128) / 128,
  s16: (view, at) => view.getInt16(at, true) / 32_768,
  s24: (view, at) => (view.getInt8(at + 2) * 65_536 + view.getUint16(at, true)) / 8_388_608,
  s32: (view, at) => view.getInt32(at, true) / 2_147_483_648,
  f32: (view, at) => bounded(view.getFloat32(at, true)),
  f64: (view, at) => bounded(view.getFloat64(at, true)),
}

/** Mixes all channels to one, from -1 to 1, without a last moment that is not whole. Yields to the event loop. */
export async function monoOf({ bytes, channels, encoding }: Pcm, signal: AbortSignal): Promise<Float32Array> {
  const size = SAMPLE_BYTES[encoding]
  const read = READ[encoding]
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const mono = new Float32Array(Math.floor(bytes.length / (size * channels)))
  const slice = Math.ceil(SLICE / channels)
  for (let start = 0; start < mono.length; start += slice) {
    const end = Math.min(start + slice, mono.length)
    for (let index = start; index < end; index++) {
      let sum = 0
      for (let channel = 0; channel < channels; channel++) sum += read(view, (index * channels + channel) * size)
      mono[index] = sum / channels
    }
    await nextTurn()
    signal.throwIfAborted()
  }
  return mono
}

function bounded(value: number): number {
  return value >= -1 && value <= 1 ? value : value > 1 ? 1 : value < -1 ? -1 : 0
}
