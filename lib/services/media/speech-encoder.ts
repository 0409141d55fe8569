import 'server-only'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { SPEECH_FORMATS, type SpeechFormat } from '@/lib/contract/audio'
import { config } from '@/lib/kernel/config'
import { perProcess } from '@/lib/kernel/per-process'
import { createProgramPool, type DecoderPool } from '@/lib/services/media/decoder-pool'
import { createFlacWriter } from '@/lib/services/media/flac'
import type { EncodeResult, EncodeTask } from '@/lib/services/media/media-tasks'
import { wavHead } from '@/lib/services/media/wav'

/** Encodes audio as it comes: the pieces in order make up one file. */
export type SpeechEncoder = {
  /** @param samples of one channel, -1 to 1. @throws MediaError where ffmpeg writes it. */
  add(samples: Float32Array, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>>
  end(): Uint8Array<ArrayBuffer>
}

const SLICE = 65_536

/**
 * Creates the encoder of a format.
 *
 * @param isWhole all of the audio comes in one piece: then the file can say how long it is.
 */
export function createSpeechEncoder(
  format: SpeechFormat,
  rate: number,
  { isWhole }: { isWhole: boolean },
): SpeechEncoder {
  switch (format) {
    case 'pcm':
      return { add: async (samples) => pcmBytes(await integersOf(samples)), end: nothing }
    case 'wav':
      return wavEncoder(rate, isWhole)
    case 'flac':
      return flacEncoder(rate, isWhole)
    case 'opus': {
      const joiner = createOggJoiner()
      return {
        add: async (...given) => copied(joiner.add(await aided(format, rate, isWhole, ...given))),
        end: () => copied(joiner.end()),
      }
    }
    default:
      return { add: (...given) => aided(format, rate, isWhole, ...given), end: nothing }
  }
}

const nothing = () => new Uint8Array(0)

async function aided(
  format: 'mp3' | 'opus' | 'aac',
  rate: number,
  isWhole: boolean,
  samples: Float32Array,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const task = { bytes: pcmBytes(await integersOf(samples)), rate, format, isPart: !isWhole }
  return copied((await encoderPool().run(task, signal)).bytes)
}

function wavEncoder(rate: number, isWhole: boolean): SpeechEncoder {
  let hasBegun = false
  return {
    async add(samples) {
      const bytes = pcmBytes(await integersOf(samples))
      const head = hasBegun ? [] : [wavHead(rate, isWhole ? bytes.length : undefined)]
      hasBegun = true
      return copied(Buffer.concat([...head, bytes]))
    },
    end: nothing,
  }
}

function flacEncoder(rate: number, isWhole: boolean): SpeechEncoder {
  const writer = createFlacWriter(rate)
  let hasBegun = false
  return {
    async add(samples) {
      const integers = await integersOf(samples)
      const out: Uint8Array[] = hasBegun ? [] : [writer.head(isWhole ? integers.length : 0)]
      hasBegun = true
      for (let at = 0; at < integers.length; at += SLICE) {
        out.push(writer.write(integers.subarray(at, at + SLICE)))
        await nextTurn()
      }
      return copied(Buffer.concat(out))
    },
    end: () => copied(writer.end()),
  }
}

async function integersOf(samples: Float32Array): Promise<Int16Array> {
  const integers = new Int16Array(samples.length)
  for (let start = 0; start < samples.length; start += SLICE) {
    const end = Math.min(samples.length, start + SLICE)
    for (let index = start; index < end; index++) {
      integers[index] = Math.max(-32_768, Math.min(32_767, Math.round(samples[index]! * 32_767)))
    }
    if (end < samples.length) await nextTurn()
  }
  return integers
}

function pcmBytes(integers: Int16Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(integers.length * 2)
  const view = new DataView(bytes.buffer)
  for (let index = 0; index < integers.length; index++) view.setInt16(index * 2, integers[index]!, true)
  return bytes
}

const copied = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(bytes)

export const encoderPool = (): DecoderPool<EncodeTask, EncodeResult> =>
  perProcess('encoder-room', () =>
    createProgramPool({ noun: 'speech', places: 1, maxQueued: 16, deadlineMs: 60_000, idleMs: 60_000 }),
  )

// Joins several Ogg Opus streams to one: the heads of all but the first are left out, and the pages get one serial
// number, one numbering and one clock. RFC 3533 and RFC 7845. ADR 0032 says why no library does it.

const HEADER_BYTES = 27
const PACKET_SAMPLES = 960n
const HEAD_PACKETS = 2
const FIRST = 2
const LAST = 4

type OggJoiner = { add(stream: Uint8Array): Uint8Array; end(): Uint8Array }

function createOggJoiner(serial = Math.floor(Math.random() * 0xffff_ffff)): OggJoiner {
  let pages = 0
  let samples = 0n
  let isFirst = true

  function rewrite(page: Buffer, flags: number): Buffer {
    page[5] = flags
    page.writeBigUInt64LE(samples, 6)
    page.writeUInt32LE(serial, 14)
    page.writeUInt32LE(pages++, 18)
    page.writeUInt32LE(0, 22)
    page.writeUInt32LE(checksum(page), 22)
    return page
  }

  return {
    add(stream) {
      const out: Buffer[] = []
      let heads = 0
      for (const source of pagesOf(stream)) {
        const page = Buffer.from(source)
        const ended = packetsEnded(page)
        if (heads < HEAD_PACKETS) {
          heads += ended
          if (isFirst) out.push(rewrite(page, page[5]! & FIRST))
          continue
        }
        samples += BigInt(ended) * PACKET_SAMPLES
        out.push(rewrite(page, page[5]! & ~(FIRST | LAST)))
      }
      isFirst = false
      return Buffer.concat(out)
    },
    end() {
      const page = Buffer.alloc(HEADER_BYTES)
      page.write('OggS', 'latin1')
      return rewrite(page, LAST)
    },
  }
}

function* pagesOf(stream: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at + HEADER_BYTES <= stream.length; ) {
    const segments = stream[at + 26]!
    const table = stream.subarray(at + HEADER_BYTES, at + HEADER_BYTES + segments)
    const end = at + HEADER_BYTES + segments + table.reduce((sum, length) => sum + length, 0)
    yield stream.subarray(at, end)
    at = end
  }
}

function packetsEnded(page: Uint8Array): number {
  return page.subarray(HEADER_BYTES, HEADER_BYTES + page[26]!).filter((length) => length < 255).length
}

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte << 24
  for (let bit = 0; bit < 8; bit++) sum = sum & 0x8000_0000 ? (sum << 1) ^ 0x04c1_1db7 : sum << 1
  return sum >>> 0
})

function checksum(page: Uint8Array): number {
  let sum = 0
  for (const byte of page) sum = ((sum << 8) ^ TABLE[((sum >>> 24) ^ byte) & 0xff]!) >>> 0
  return sum
}

// Written without ffmpeg, which is an optional package.
const UNAIDED: ReadonlySet<SpeechFormat> = new Set(['flac', 'wav', 'pcm'])

export function formatsMadeHere(root = config().root): SpeechFormat[] {
  const hasEncoders = existsSync(path.join(root, 'node_modules', '@ffmpeg', 'core', 'package.json'))
  return SPEECH_FORMATS.filter((format) => hasEncoders || UNAIDED.has(format))
}

const WINDOW_MS = 30
const SEARCH_MS = 8
const STRIDE = 4

/**
 * Makes speech longer or shorter at the same pitch: windows of it are laid over each other where they fit best (WSOLA).
 *
 * @param factor of its length: 2 is twice as long.
 */
export function stretch(samples: Float32Array, rate: number, factor: number): Float32Array {
  const half = Math.round((rate * WINDOW_MS) / 2_000)
  const search = Math.round((rate * SEARCH_MS) / 1_000)
  if (factor === 1 || samples.length < 4 * half) return samples
  const result = new Float32Array(Math.round(samples.length * factor))
  result.set(samples.subarray(0, half))
  let source = 0
  for (let at = 0; at + 2 * half <= result.length; at += half) {
    const wanted = Math.round(at / factor)
    // What would come next by itself is what the next window should look like.
    source = at === 0 ? 0 : bestFit(samples, source + half, wanted, { search, length: half })
    overlay(result, at, samples, source, half)
  }
  return result
}

function overlay(result: Float32Array, at: number, samples: Float32Array, source: number, half: number): void {
  for (let index = 0; index < half; index++) {
    const weight = index / half
    const sample = samples[source + index] ?? 0
    result[at + index] = at === 0 ? sample : result[at + index]! * (1 - weight) + sample * weight
    result[at + half + index] = samples[source + half + index] ?? 0
  }
}

function bestFit(
  samples: Float32Array,
  natural: number,
  wanted: number,
  { search, length }: { search: number; length: number },
): number {
  let best = wanted
  let most = Number.NEGATIVE_INFINITY
  const last = Math.min(samples.length - 2 * length, wanted + search)
  for (let place = Math.max(0, wanted - search); place <= last; place++) {
    let likeness = 0
    for (let index = 0; index < length; index += STRIDE) {
      likeness += samples[place + index]! * (samples[natural + index] ?? 0)
    }
    if (likeness <= most) continue
    most = likeness
    best = place
  }
  return Math.max(0, Math.min(best, samples.length - 1))
}
