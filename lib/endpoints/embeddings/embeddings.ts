import 'server-only'
import { endianness } from 'node:os'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EmbeddingsRequest } from '@/lib/contract/embeddings.schema'
import { ApiError, invalidField } from '@/lib/contract/errors'
import { embeddingTokens } from '@/lib/contract/estimates'
import { newId } from '@/lib/contract/ids'
import { WHOLE_REPLY_DEADLINE_MS } from '@/lib/kernel/deadlines'
import type { Caller, RequestContext } from '@/lib/kernel/request-context'
import type { Quote } from '@/lib/pipeline/metered'
import type { Reply } from '@/lib/pipeline/reply'
import { type EmbeddedPart, embeddingEngineOf } from '@/lib/services/engines/embedding-engine'
import { EngineError } from '@/lib/services/engines/engine'
import { EMBEDDED_ENGINE } from '@/lib/services/engines/registry'
import { type Meter, type PricedUnits, priceOf } from '@/lib/services/ledger/meter'
import type { Model } from '@/lib/services/models/model'
import { resolveModel } from '@/lib/services/models/resolve'
import type { EmbeddingPart } from '@/lib/services/models/type-parts'

// Nearly no token is longer. The embedded model counts for itself, and reads no text beyond this.
const MAX_CHARACTERS_PER_TOKEN = 32
// Special tokens around a text.
const MARKS = 8

export type EmbeddingsWork = {
  model: Model
  texts: string[]
  dimensions?: number
  format: 'float' | 'base64'
  /** The body gave one text and not a list; for the path of a fault. */
  isSingle: boolean
  maxInputTokens: number
  /** No true count of the engine's can be higher. */
  maxTokens: number
}

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

function embeddingLines(model: Model, tokens: number): PricedUnits[] {
  return model.inputRate ? [{ sku: `${model.id}-embedding-input-mtoken`, units: tokens, price: model.inputRate }] : []
}

function tooLong(path: (string | number)[], { maxInputTokens }: Pick<EmbeddingPart, 'maxInputTokens'>) {
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

// No tokenizer makes more tokens than a text has bytes.
const mostTokens = (text: string, { maxInputTokens }: EmbeddingPart): number =>
  Math.min(maxInputTokens, Buffer.byteLength(text) + MARKS)

export type EmbeddingsRun = { vectors: Float32Array[]; tokens: number }

/** Embeds the texts. Nothing is charged unless all vectors are there. */
export async function runEmbeddings(
  work: EmbeddingsWork,
  meter: Meter,
  context: RequestContext,
  signal: AbortSignal,
): Promise<EmbeddingsRun> {
  const { model, texts, dimensions } = work
  const deadline = AbortSignal.timeout(WHOLE_REPLY_DEADLINE_MS)
  const request = { model: model.upstreamModel, texts, dimensions }
  const vectors: Float32Array[] = []
  let tokens = 0
  try {
    for await (const part of embeddingEngineOf(model.engine).embed(request, AbortSignal.any([signal, deadline]))) {
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
  meter.readWith(() => ({ lines: embeddingLines(model, counted), modelId: model.id, promptTokens: counted }))
  return { vectors, tokens: counted }
}

// The engine cut a text: half its meaning is not what was asked for.
function assertWhole({ tokensOfEach = [] }: EmbeddedPart, offset: number, work: EmbeddingsWork): void {
  const index = tokensOfEach.findIndex((count) => count > work.maxInputTokens)
  if (index >= 0) throw tooLong(work.isSingle ? ['input'] : ['input', offset + index], work)
}

const estimated = (texts: string[], start: number, count: number): number =>
  texts.slice(start, start + count).reduce((sum, text) => sum + embeddingTokens(text), 0)

function tooSlow(): ApiError {
  return new ApiError(
    'REQUEST_TIMEOUT',
    `Embedding took longer than ${WHOLE_REPLY_DEADLINE_MS / 1000} s. Send fewer texts at once.`,
  )
}

// Written before other requests have their turn: some milliseconds of work.
const SLICE_NUMBERS = 16_384
// A number of 32 bits has no more.
const DIGITS = 9

/** Source: API contract, embeddings.md. */
export async function renderEmbeddings(
  output: Promise<EmbeddingsRun>,
  { model, format }: EmbeddingsWork,
): Promise<Reply> {
  const { vectors, tokens } = await output
  const write = format === 'base64' ? base64Of : numbersOf
  const items: string[] = []
  let written = 0
  for (const [index, vector] of vectors.entries()) {
    items.push(`{"object":"embedding","index":${index},"embedding":${write(vector)}}`)
    written += vector.length
    if (written < SLICE_NUMBERS) continue
    written = 0
    await nextTurn()
  }
  const head = `{"object":"list","model":${JSON.stringify(model.id)},"data":[`
  const usage = `],"usage":{"prompt_tokens":${tokens},"total_tokens":${tokens}}}`
  return { body: head + items.join(',') + usage, contentType: 'application/json', isCompressible: true }
}

// The shortest numbers that are the same 32 bits again; `+` removes the zeros that `toPrecision` leaves.
function numbersOf(vector: Float32Array): string {
  let text = ''
  for (const value of vector) text += `${text === '' ? '[' : ','}${+value.toPrecision(DIGITS)}`
  return `${text}]`
}

// Little-endian numbers of 32 bits.
function base64Of(vector: Float32Array): string {
  const bytes = Buffer.from(vector.slice().buffer)
  if (endianness() === 'BE') bytes.swap32()
  return `"${bytes.toString('base64')}"`
}
