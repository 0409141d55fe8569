import 'server-only'
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import { FetchRefused, refused } from '@/lib/kernel/safe-fetch/refused'

/** Maximum growth by decompression, beyond a first megabyte. */
const MAX_RATIO = 100
const FREE_OF_RATIO_BYTES = 1_048_576
const SPEED_WINDOW_MS = 5_000
const MIN_BYTES_PER_WINDOW = 5_120

type Coding = 'identity' | 'gzip' | 'br' | 'deflate'

export type BodyOptions = {
  maxBytes: number
  signal: AbortSignal
  onSlow: (reason: FetchRefused) => void
}

export function codingOf(headers: IncomingHttpHeaders, maxBytes: number): Coding {
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw refused('too-large', 'announced length')
  const layers = String(headers['content-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map((layer) => layer.trim())
    .filter((layer) => layer !== '' && layer !== 'identity')
  if (layers.length > 1) throw refused('encoding', `${layers.length} encodings`)
  switch (layers[0]) {
    case undefined:
      return 'identity'
    case 'gzip':
    case 'x-gzip':
      return 'gzip'
    case 'br':
    case 'deflate':
      return layers[0]
    default:
      throw refused('encoding', 'an encoding that was not asked for')
  }
}

export async function readBody(body: Readable, coding: Coding, options: BodyOptions): Promise<Uint8Array> {
  const counted = { rawBytes: 0, bytes: 0 }
  const chunks: Buffer[] = []
  const source: AsyncIterator<Buffer> = body[Symbol.asyncIterator]()
  const stopWatching = watchSpeed(counted, options.onSlow)

  async function* raw(first: Buffer) {
    for (let chunk: Buffer | undefined = first; chunk; chunk = await nextOf(source)) {
      counted.rawBytes += chunk.length
      if (counted.rawBytes > options.maxBytes) throw refused('too-large', 'bytes on the wire')
      yield chunk
    }
  }
  async function collect(decoded: AsyncIterable<Buffer>) {
    for await (const chunk of decoded) {
      counted.bytes += chunk.length
      if (counted.bytes > options.maxBytes) throw refused('too-large', 'decoded bytes')
      if (counted.bytes > FREE_OF_RATIO_BYTES + MAX_RATIO * counted.rawBytes) throw refused('too-large', 'ratio')
      chunks.push(chunk)
    }
  }
  try {
    const first = await nextOf(source)
    if (!first) return new Uint8Array()
    const decoder = decoderOf(coding, first)
    if (decoder) await pipeline(raw(first), decoder, collect, { signal: options.signal })
    else await collect(raw(first))
    return Buffer.concat(chunks, counted.bytes)
  } catch (thrown) {
    throw isDecoderError(thrown) ? new FetchRefused('encoding', { cause: thrown }) : thrown
  } finally {
    stopWatching()
  }
}

async function nextOf(source: AsyncIterator<Buffer>): Promise<Buffer | undefined> {
  const { done, value } = await source.next()
  return done ? undefined : value
}

function decoderOf(coding: Coding, first: Buffer): Transform | undefined {
  switch (coding) {
    case 'identity':
      return undefined
    case 'gzip':
      return createGunzip()
    case 'br':
      return createBrotliDecompress()
    // Servers disagree whether `deflate` has zlib's header; its low nibble tells (RFC 1950, section 2.2).
    case 'deflate':
      return (first[0]! & 0x0f) === 8 ? createInflate() : createInflateRaw()
  }
}

function isDecoderError(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && /^(Z_|ERR__|ERR_BROTLI)/.test(String(thrown.code))
}

function watchSpeed(counted: { rawBytes: number }, onSlow: BodyOptions['onSlow']): () => void {
  let before = 0
  const timer = setInterval(() => {
    if (counted.rawBytes - before < MIN_BYTES_PER_WINDOW) onSlow(refused('timeout', 'slower than the least speed'))
    before = counted.rawBytes
  }, SPEED_WINDOW_MS)
  return () => clearInterval(timer)
}
