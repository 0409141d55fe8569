import 'server-only'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SpeechFormat } from '@/lib/contract/audio'
import { SPEECH_FORMATS } from '@/lib/contract/audio'
import { config } from '@/lib/kernel/config'
import { perProcess } from '@/lib/kernel/per-process'
import type { DecoderPool } from '@/lib/services/media/decoder-pool'
import { createProgramPool } from '@/lib/services/media/ffmpeg'
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

const OPTIONS = {
  noun: 'speech',
  entry: 'services/media/encode-worker.ts',
  places: 1,
  maxQueued: 16,
  deadlineMs: 60_000,
  idleMs: 60_000,
}

export const encoderPool = (): DecoderPool<EncodeTask, EncodeResult> =>
  perProcess('encoder-room', () => createProgramPool(OPTIONS))

/**
 * Joins several Ogg Opus streams to one: the heads of all but the first are left out, and the pages get one serial
 * number, one numbering and one clock. RFC 3533 and RFC 7845. ADR 0032 says why no library does it.
 */

const HEADER_BYTES = 27
/** Samples at 48 kHz in a packet of 20 ms. */
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

/** Written without ffmpeg, which is an optional package. */
const UNAIDED: ReadonlySet<SpeechFormat> = new Set(['flac', 'wav', 'pcm'])

export function formatsMadeHere(root = config().root): SpeechFormat[] {
  const hasEncoders = existsSync(path.join(root, 'node_modules', '@ffmpeg', 'core', 'package.json'))
  return SPEECH_FORMATS.filter((format) => hasEncoders || UNAIDED.has(format))
}
