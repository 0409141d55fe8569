import 'server-only'
import { EngineError } from '@/lib/services/engines/engine'
import { EMBEDDED_ENGINE, embeddingEngine } from '@/lib/services/engines/registry'
import { upstreamEmbedder } from '@/lib/services/engines/upstream/embeddings'
import { upstreamCalls } from '@/lib/services/engines/upstream/http-client-registry'

type EmbedRequest = {
  /** The engine's own name of the model. */
  model: string
  texts: string[]
  /** Numbers a vector, where the model can shorten its own. */
  dimensions?: number
}

/** Some of the texts' vectors, in order: one part after the other makes up the whole. */
export type EmbeddedPart = {
  vectors: Float32Array[]
  /** Tokens of the part, where the engine counts them. */
  tokens?: number
  /** Tokens of each text, before anything was cut, where the engine knows. */
  tokensOfEach?: number[]
}

export interface CountingEmbedder {
  /** @throws EngineError */
  embed(request: EmbedRequest, signal: AbortSignal): AsyncIterable<EmbeddedPart>
}

/**
 * What makes vectors under this engine's name.
 *
 * @throws EngineError `offline` when there is none.
 */
export function embedderOf(engine: string): CountingEmbedder {
  if (engine !== EMBEDDED_ENGINE) return upstreamEmbedder(upstreamCalls(engine))
  const embedded = embeddingEngine()
  if (embedded) return { embed: ({ texts }, signal) => embedded.embedParts(texts, signal) }
  throw new EngineError('offline', 'The embedding model is not available at the moment. Choose another one.')
}
