import 'server-only'
import type { EmbeddingsRequest } from '@/lib/contract/embeddings.schema'
import { invalidField } from '@/lib/contract/errors'
import { embeddingTokens } from '@/lib/contract/estimates'
import { newId } from '@/lib/contract/ids'
import type { Caller, RequestContext } from '@/lib/kernel/request-context'
import type { Quote } from '@/lib/pipeline/metered'
import { EMBEDDED_ENGINE } from '@/lib/services/engines/registry'
import { type PricedUnits, priceOf } from '@/lib/services/ledger/price'
import type { Model } from '@/lib/services/models/model'
import { resolveModel } from '@/lib/services/models/resolve'
import type { EmbeddingPart } from '@/lib/services/models/type-parts'

/** Nearly no token is longer. The embedded model counts for itself, and reads no text beyond this. */
const MAX_CHARACTERS_PER_TOKEN = 32
/** The marks around a text, in every tokenizer of the field. */
const MARKS = 8

export type EmbeddingsWork = {
  model: Model
  texts: string[]
  dimensions?: number
  format: 'float' | 'base64'
  /** Whether the body gave one text and not a list: for the path of what is wrong with it. */
  isSingle: boolean
  maxInputTokens: number
  /** No count of the engine's can be higher and be true. */
  maxTokens: number
}

/** Embeddings asked for → the work, checked against the model, and the most that it can cost. */
export function quoteEmbeddings(
  body: EmbeddingsRequest,
  caller: Caller,
  context: RequestContext,
): Quote<EmbeddingsWork> {
  const model = resolveModel(body.model, { type: 'embedding', caller, context })
  // Every model of the type has it.
  const can = model.embedding as EmbeddingPart
  assertDimensions(body.dimensions, model, can)
  const isSingle = typeof body.input === 'string'
  const texts = typeof body.input === 'string' ? [body.input] : body.input
  for (const [index, text] of texts.entries()) {
    if (isTooLong(text, model, can)) throw tooLong(isSingle ? ['input'] : ['input', index], can)
  }
  const maxTokens = texts.reduce((sum, text) => sum + mostTokens(text, can), 0)
  return {
    requestId: newId('embd'),
    model,
    amount: priceOf(embeddingLines(model, maxTokens)),
    work: {
      model,
      texts,
      dimensions: body.dimensions,
      format: body.encoding_format,
      isSingle,
      maxInputTokens: can.maxInputTokens,
      maxTokens,
    },
  }
}

export function embeddingLines(model: Model, tokens: number): PricedUnits[] {
  return model.inputRate ? [{ sku: `${model.id}-embedding-input-mtoken`, units: tokens, price: model.inputRate }] : []
}

/** The refusal of a text that the model cannot take whole. */
export function tooLong(path: (string | number)[], { maxInputTokens }: Pick<EmbeddingPart, 'maxInputTokens'>) {
  return invalidField(
    path,
    `is longer than ${maxInputTokens} tokens, which is all that the model takes; send it in parts`,
  )
}

function assertDimensions(dimensions: number | undefined, model: Model, can: EmbeddingPart): void {
  if (dimensions === undefined) return
  if (!can.canShorten) {
    const own = can.dimensions ? ` of ${can.dimensions} numbers` : ''
    throw invalidField(['dimensions'], `${model.id} makes vectors${own} and no others; leave the field out`)
  }
  if (can.dimensions !== undefined && dimensions > can.dimensions) {
    throw invalidField(['dimensions'], `must be at most ${can.dimensions}, which is what ${model.id} makes`)
  }
}

function isTooLong(text: string, model: Model, { maxInputTokens }: EmbeddingPart): boolean {
  if (model.engine === EMBEDDED_ENGINE) return text.length > maxInputTokens * MAX_CHARACTERS_PER_TOKEN
  return embeddingTokens(text) > maxInputTokens
}

/** No tokenizer makes more tokens than a text has bytes. */
const mostTokens = (text: string, { maxInputTokens }: EmbeddingPart): number =>
  Math.min(maxInputTokens, Buffer.byteLength(text) + MARKS)
