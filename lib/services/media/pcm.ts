import { setImmediate as nextTurn } from 'node:timers/promises'

/** Samples as they lie in a file, little-endian, the channels of one moment together. */
export type Pcm = { bytes: Uint8Array; rate: number; channels: number; encoding: PcmEncoding }
export type PcmEncoding = 'u8' | 's16' | 's24' | 's32' | 'f32' | 'f64'

export const SAMPLE_BYTES = { u8: 1, s16: 2, s24: 3, s32: 4, f32: 4, f64: 8 } as const

/** Numbers read before others have their turn: some milliseconds of work. */
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

/** All channels as one, from -1 to 1. A last moment that is not whole is left out. Yields to the event loop. */
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

/** Floating point may hold what is no number, or no sound. */
function bounded(value: number): number {
  return value >= -1 && value <= 1 ? value : value > 1 ? 1 : value < -1 ? -1 : 0
}
