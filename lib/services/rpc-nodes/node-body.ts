import 'server-only'
import type { Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import { perProcess } from '@/lib/kernel/per-process'
import type { Fault } from '@/lib/services/rpc-nodes/node-outcome'
import type { Question } from '@/lib/services/rpc-nodes/node-question'
import { meaningOfId } from '@/lib/services/rpc-nodes/parse-calls'
import { ReplyScanner, type ScannedItem, type ScannedReply } from '@/lib/services/rpc-nodes/reply'

export const MAX_REPLY_BYTES = 32 * 1024 * 1024
const MAX_GATHERED_BYTES = 256 * 1024 * 1024
/** Smaller chunks are copied together: each would hold the memory of the socket read it came with. */
const SMALL_CHUNK_BYTES = 8 * 1024
const BLOCK_BYTES = 64 * 1024
export const MAX_REFUSAL_BYTES = 64 * 1024

const OPEN_OBJECT = 0x7b
const OPEN_ARRAY = 0x5b

type Gathered = { bytes: number }
const gathered = (): Gathered => perProcess('rpc-gathered', () => ({ bytes: 0 }))

export class NodeBody {
  readonly #maxBytes: number
  readonly #all = gathered()
  readonly #scanner = new ReplyScanner()
  #chunks: Buffer[] = []
  #block: Buffer | undefined
  #filled = 0
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  push(chunk: Buffer): Fault | undefined {
    if (this.#bytes === 0 && !looksLikeJson(chunk)) return 'not-json-rpc'
    this.#bytes += chunk.length
    this.#all.bytes += chunk.length
    if (this.#bytes > this.#maxBytes) return 'too-large'
    if (this.#all.bytes > MAX_GATHERED_BYTES) return 'too-much-at-once'
    this.#scanner.push(chunk)
    this.#keep(chunk)
    return undefined
  }

  #keep(chunk: Buffer): void {
    if (this.#chunks.length === 0 || chunk.length >= SMALL_CHUNK_BYTES) {
      this.#closeBlock()
      this.#chunks.push(chunk)
      return
    }
    if (this.#block === undefined || this.#filled + chunk.length > BLOCK_BYTES) {
      this.#closeBlock()
      this.#block = Buffer.allocUnsafeSlow(BLOCK_BYTES)
      this.#chunks.push(this.#block)
    }
    this.#filled += chunk.copy(this.#block, this.#filled)
  }

  #closeBlock(): void {
    if (this.#block) this.#chunks[this.#chunks.length - 1] = this.#block.subarray(0, this.#filled)
    this.#block = undefined
    this.#filled = 0
  }

  end() {
    this.#closeBlock()
    const scanned = this.#scanner.end()
    return scanned && { body: joined(this.#chunks), scanned }
  }

  release(): void {
    this.#all.bytes -= this.#bytes
    this.#bytes = 0
    this.#chunks = []
    this.#block = undefined
  }
}

function looksLikeJson(chunk: Buffer): boolean {
  for (const byte of chunk) if (byte > 0x20) return byte === OPEN_OBJECT || byte === OPEN_ARRAY
  return true
}

const joined = (chunks: Buffer[]): Uint8Array<ArrayBuffer> =>
  chunks.length === 1 ? (chunks[0] as Buffer<ArrayBuffer>) : Buffer.concat(chunks)

/** Unpacks a body that was packed against our request; `null` for an unknown encoding. */
export function unpackerOf(encoding: string): Transform | undefined | null {
  switch (encoding.trim().toLowerCase()) {
    case '':
    case 'identity':
      return undefined
    case 'gzip':
    case 'x-gzip':
      return createGunzip()
    case 'deflate':
      return createInflate()
    case 'br':
      return createBrotliDecompress()
    case 'zstd':
      return createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: 23 } })
    default:
      return null
  }
}

/**
 * Checks that a reply is to this question: a node, or a cache before it, may mix up its callers. An error may have no
 * id, and one error may answer a whole batch.
 */
export function isReplyTo({ isBatch, ids }: Question, { isBatch: isList, items }: ScannedReply): boolean {
  if (isBatch && isList) return areReplies(items, ids)
  const item = items[0]
  if (isList || item === undefined) return false
  if (isErrorWithoutId(item)) return true
  return (!isBatch || item.outcome === 'error') && ids.some((id) => id !== undefined && isOf(item, id))
}

function areReplies(items: readonly ScannedItem[], ids: Question['ids']): boolean {
  const asked = ids.filter((id) => id !== undefined)
  if (items.length < asked.length || items.length > ids.length) return false
  const waiting = new Map<string, number>()
  for (const id of asked) waiting.set(meaningOfId(id), (waiting.get(meaningOfId(id)) ?? 0) + 1)
  let silent = ids.length - asked.length
  for (const item of items) {
    const key = meaningOfId(item.id ?? 'null')
    const left = waiting.get(key) ?? 0
    if (left > 0) waiting.set(key, left - 1)
    else if (hasNoId(item) && silent > 0) silent--
    else if (!isErrorWithoutId(item)) return false
  }
  return true
}

const isOf = ({ id = 'null' }: ScannedItem, asked: string): boolean =>
  id === asked || meaningOfId(id) === meaningOfId(asked)
const hasNoId = ({ id }: ScannedItem): boolean => id === undefined || id === 'null'
const isErrorWithoutId = (item: ScannedItem): boolean => item.outcome === 'error' && hasNoId(item)
