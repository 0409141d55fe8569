import 'server-only'
import { ApiError, invalidField } from '@/lib/contract/errors'
import { embeddingTokens } from '@/lib/contract/estimates'
import { type EmbeddingsWork, embeddingLines, tooLong } from '@/lib/endpoints/embeddings/quote'
import type { RequestContext } from '@/lib/kernel/request-context'
import { type EmbeddedPart, embedderOf } from '@/lib/services/engines/embedding-engine'
import { EngineError } from '@/lib/services/engines/engine'
import type { Meter } from '@/lib/services/ledger/meter'

/** Of an answer that is sent whole. Contract, README 15. */
const DEADLINE_MS = 120_000

export type EmbeddingsRun = { vectors: Float32Array[]; tokens: number }

/** Makes the vectors. Nothing is charged unless all of them are there. */
export async function runEmbeddings(
  work: EmbeddingsWork,
  meter: Meter,
  context: RequestContext,
  signal: AbortSignal,
): Promise<EmbeddingsRun> {
  const { model, texts, dimensions } = work
  const deadline = AbortSignal.timeout(DEADLINE_MS)
  const request = { model: model.upstreamModel, texts, dimensions }
  const vectors: Float32Array[] = []
  let tokens = 0
  try {
    for await (const part of embedderOf(model.engine).embed(request, AbortSignal.any([signal, deadline]))) {
      assertWhole(part, vectors.length, work)
      tokens += part.tokens ?? estimated(texts, vectors.length, part.vectors.length)
      vectors.push(...part.vectors)
    }
  } catch (error) {
    if (deadline.aborted && !signal.aborted) throw tooSlow()
    // What an upstream calls too long is a fault of the texts, and of no message of a chat.
    if (error instanceof EngineError && error.reason === 'context-overflow')
      throw invalidField(['input'], error.message)
    throw error
  }
  if (vectors.length !== texts.length) throw new EngineError('failed', 'The model made fewer vectors than texts.')
  const counted = Math.min(tokens, work.maxTokens)
  context.facts.promptTokens = counted
  meter.read = () => ({ lines: embeddingLines(model, counted), modelId: model.id, promptTokens: counted })
  return { vectors, tokens: counted }
}

/** The engine cut what it could not take: half a text's meaning is not what was asked for. */
function assertWhole({ tokensOfEach = [] }: EmbeddedPart, offset: number, work: EmbeddingsWork): void {
  const index = tokensOfEach.findIndex((count) => count > work.maxInputTokens)
  if (index >= 0) throw tooLong(work.isSingle ? ['input'] : ['input', offset + index], work)
}

const estimated = (texts: string[], start: number, count: number): number =>
  texts.slice(start, start + count).reduce((sum, text) => sum + embeddingTokens(text), 0)

function tooSlow(): ApiError {
  return new ApiError(
    'REQUEST_TIMEOUT',
    `Embedding took longer than ${DEADLINE_MS / 1000} s. Send fewer texts at once.`,
  )
}
