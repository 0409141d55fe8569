import 'server-only'
import { endianness } from 'node:os'
import { unavailable } from '@/lib/services/engines/engine'
import { EMBEDDED_ENGINE, embeddingEngine, upstreamClient } from '@/lib/services/engines/registry'
import { jsonPost, objectOf } from '@/lib/services/engines/upstream/bodies'
import { garbageError } from '@/lib/services/engines/upstream/failures'
import type { UpstreamClient } from '@/lib/services/engines/upstream/http-client'
import { isWireObject } from '@/lib/services/engines/upstream/wire-value'

type EmbedRequest = {
  model: string
  texts: string[]
  dimensions?: number
}

export type EmbeddedPart = {
  vectors: Float32Array[]
  tokens?: number
  /** Tokens of each text, before anything was cut, where the engine knows. */
  tokensOfEach?: number[]
}

export interface CountingEmbedder {
  embed(request: EmbedRequest, signal: AbortSignal): AsyncIterable<EmbeddedPart>
}

/** Finds the embedding engine of this name. @throws EngineError `offline` when there is none. */
export function embeddingEngineOf(engine: string): CountingEmbedder {
  if (engine !== EMBEDDED_ENGINE) return upstreamEmbeddingEngine(upstreamClient(engine))
  const own = embeddingEngine()
  if (own) return { embed: ({ model, texts }, signal) => own.embedParts(model, texts, signal) }
  throw unavailable('embedding model')
}

const PART_TEXTS = 64
const MAX_REPLY_BYTES = 32_000_000
const MAX_DIMENSIONS = 16_384
const MAX_TOKENS = 10_000_000

function upstreamEmbeddingEngine(calls: UpstreamClient): CountingEmbedder {
  return {
    async *embed({ model, texts, dimensions }, signal) {
      for (let start = 0; start < texts.length; start += PART_TEXTS) {
        const input = texts.slice(start, start + PART_TEXTS)
        // Servers that do not know the short form answer in numbers all the same; both are read.
        const body = { model, input, encoding_format: 'base64', ...(dimensions && { dimensions }) }
        yield readReply(await calls.post(jsonPost('/embeddings', body, MAX_REPLY_BYTES), signal), input.length)
      }
    },
  }
}

function readReply(bytes: Buffer, count: number): { vectors: Float32Array[]; tokens?: number } {
  const reply = objectOf(bytes)
  const data = Array.isArray(reply.data) ? reply.data : []
  const vectors: (Float32Array | undefined)[] = new Array(count).fill(undefined)
  for (const [place, one] of data.slice(0, count).entries()) {
    if (!isWireObject(one)) continue
    // The order is what `index` says, where it says one.
    const index = typeof one.index === 'number' && Number.isInteger(one.index) ? one.index : place
    if (index >= 0 && index < count) vectors[index] = vectorOf(one.embedding)
  }
  const whole = vectors.filter((vector) => vector !== undefined)
  if (whole.length < count || whole.some(({ length }) => length !== whole[0]?.length)) {
    throw garbageError(new Error('The reply lacks vectors'))
  }
  return { vectors: whole, tokens: tokensOf(reply.usage) }
}

function vectorOf(value: unknown): Float32Array | undefined {
  const vector =
    typeof value === 'string' ? ofBase64(value) : Array.isArray(value) ? Float32Array.from(value) : undefined
  if (!vector || vector.length === 0 || vector.length > MAX_DIMENSIONS) return undefined
  return vector.every(Number.isFinite) ? vector : undefined
}

function ofBase64(text: string): Float32Array | undefined {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length % 4 !== 0) return undefined
  if (endianness() === 'BE') bytes.swap32()
  // A copy, for a buffer of the pool may begin at any place.
  return new Float32Array(new Uint8Array(bytes).buffer)
}

function tokensOf(usage: unknown): number | undefined {
  const tokens = isWireObject(usage) ? (usage.prompt_tokens ?? usage.total_tokens) : undefined
  return typeof tokens === 'number' && Number.isInteger(tokens) && tokens >= 0 && tokens <= MAX_TOKENS
    ? tokens
    : undefined
}
