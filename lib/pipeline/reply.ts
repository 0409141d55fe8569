import 'server-only'
import { hostname } from 'node:os'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { ReplyHeader } from '@/lib/contract/headers'
import { formatUsd } from '@/lib/contract/money'
import { config } from '@/lib/kernel/config'
import type { Facts, RequestContext } from '@/lib/kernel/request-context'
import { CORS_HEADERS } from '@/lib/pipeline/cors'

export type Reply = {
  status?: number
  /** Streams are pulled: one chunk when the client has taken the one before. */
  body: string | Uint8Array<ArrayBuffer> | AsyncIterable<Uint8Array> | null
  contentType?: string
  headers?: Record<string, string>
  isCompressible?: boolean
  /** Runs once when a stream ends, breaks or loses its reader; the request is over when it resolves. */
  onEnd?: (end: StreamEnd, error?: unknown) => Promise<void> | void
}

export function jsonReply(value: unknown, options: Omit<Reply, 'body' | 'contentType'> = {}): Reply {
  return { ...options, body: JSON.stringify(value), contentType: 'application/json' }
}

/** A JSON reply that no cache keeps. */
export function uncachedJson(value: unknown, options: Omit<Reply, 'body' | 'contentType'> = {}): Reply {
  return jsonReply(value, { ...options, headers: { 'Cache-Control': 'no-store', ...options.headers } })
}

type StreamEnd = 'finished' | 'left' | 'failed'

type Done = (end: StreamEnd, error?: unknown) => void

/**
 * Chunks that are pulled, with `done` run exactly once when they end, break or are left. Counted here, since a
 * generator that was never read does not run its `finally` block.
 */
export class Chunks {
  readonly #iterator: AsyncIterator<Uint8Array>
  readonly #done: Done
  #isOver = false

  constructor(chunks: AsyncIterable<Uint8Array>, done: Done) {
    this.#iterator = chunks[Symbol.asyncIterator]()
    this.#done = done
  }

  async next(): Promise<Uint8Array | undefined> {
    try {
      const next = await this.#iterator.next()
      if (this.#isOver) return undefined
      if (!next.done) return next.value
      this.#finish('finished')
      return undefined
    } catch (error) {
      this.#finish('failed', error)
      throw error
    }
  }

  /** Runs `done` before closing the source, which may have to wait for what it awaits. */
  async leave(): Promise<void> {
    if (this.#isOver) return
    this.#finish('left')
    await this.#iterator.return?.()
  }

  #finish(end: StreamEnd, error?: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#done(end, error)
  }
}

export function byteStream(chunks: Chunks): ReadableStream<Uint8Array> {
  let isLeft = false
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const chunk = await chunks.next()
          if (chunk !== undefined) controller.enqueue(chunk)
          else if (!isLeft) controller.close()
        } catch (error) {
          controller.error(error)
        }
      },
      cancel() {
        isLeft = true
        return chunks.leave()
      },
    },
    // Nothing is read before somebody reads: a reader that stalls costs one chunk.
    { highWaterMark: 0 },
  )
}

type ReplyBody = string | Uint8Array<ArrayBuffer> | Chunks | null
type ReplyHead = { status: number; headers: Record<string, string> }

/** A reply for our own front: creating and reading the platform's `Response` costs 40 µs of CPU. */
export class LightResponse {
  readonly body: ReplyBody
  readonly status: number
  readonly headers: Record<string, string>

  constructor(body: ReplyBody, { status, headers }: ReplyHead) {
    this.body = body
    this.status = status
    this.headers = headers
  }
}

export function webResponse(request: Request, body: ReplyBody, head: ReplyHead): Response {
  if ('takesLightReplies' in request) return asResponse(new LightResponse(body, head))
  return new Response(body instanceof Chunks ? byteStream(body) : body, head)
}

const asResponse = (reply: LightResponse): Response => reply as unknown as Response

/** Client headers that a reply repeats when well-formed. Source: API contract 6, "echo rule". */
const ECHOED: readonly [name: ReplyHeader, form: RegExp][] = [
  ['x-service-middleface-version', /^[\w.+-]{1,64}$/],
  ['x-service-mobile-version', /^[\w.+-]{1,64}$/],
  ['x-service-request-timestamp-ms', /^\d{1,16}$/],
]

const RPC_COST_DECIMALS = 8

type ReplyHeaders = Partial<Record<ReplyHeader, string>>

export function replyHeaders(context: RequestContext): Record<string, string> {
  const headers: ReplyHeaders = {
    ...CORS_HEADERS,
    'CF-RAY': context.id,
    'x-service-version': config().version,
  }
  if (config().sendsTimestamp) headers['x-service-timestamp'] = new Date().toISOString()
  for (const [name, form] of ECHOED) {
    const value = context.headers.get(name)
    if (value !== null && form.test(value)) headers[name] = value
  }
  addModel(headers, context.facts)
  addRateLimit(headers, context.facts)
  addBalances(headers, context.facts)
  addPayment(headers, context)
  addRpc(headers, context.facts)
  if (context.facts.webSearchStatus !== undefined) {
    headers['x-service-web-search-status'] = context.facts.webSearchStatus
  }
  if (context.facts.retries !== undefined) headers['x-retry-count'] = String(context.facts.retries)
  return headers
}

export function errorHeaders(): Record<string, string> {
  return { 'x-service-host-name': machine(), 'Cache-Control': 'no-store' }
}

export const instanceHeader = (): Record<string, string> => ({ 'x-service-control-instance': machine() })

const machine = (): string => headerText(hostname())

function addModel(headers: ReplyHeaders, facts: Facts): void {
  if (facts.modelId === undefined) return
  headers['x-service-model-id'] = headerText(facts.modelId)
  if (facts.modelName !== undefined) headers['x-service-model-name'] = headerText(facts.modelName)
  if (facts.modelRouter !== undefined) headers['x-service-model-router'] = headerText(facts.modelRouter)
  if (facts.deprecation) {
    headers['x-service-model-deprecation-warning'] = headerText(facts.deprecation.warning)
    headers['x-service-model-deprecation-date'] = facts.deprecation.date
  }
  if (facts.replacementId !== undefined) {
    headers['x-service-deprecated'] = 'true'
    headers['x-service-deprecated-replacement'] = headerText(facts.replacementId)
  }
}

function addRateLimit(headers: ReplyHeaders, facts: Facts): void {
  const limit = facts.rateLimit
  if (limit) {
    headers['x-ratelimit-limit-requests'] = String(limit.limitRequests)
    headers['x-ratelimit-remaining-requests'] = String(limit.remainingRequests)
    headers['x-ratelimit-reset-requests'] = String(limit.resetRequestsAt)
    if (limit.limitTokens !== undefined) {
      headers['x-ratelimit-limit-tokens'] = String(limit.limitTokens)
      headers['x-ratelimit-remaining-tokens'] = String(limit.remainingTokens ?? 0)
      headers['x-ratelimit-reset-tokens'] = String(limit.resetTokensSeconds ?? 0)
    }
  }
  if (facts.rateLimitType !== undefined) headers['x-ratelimit-type'] = facts.rateLimitType
}

function addBalances(headers: ReplyHeaders, facts: Facts): void {
  if (facts.balanceUsd !== undefined) headers['x-service-balance-usd'] = formatUsd(facts.balanceUsd)
  if (facts.balanceDiem !== undefined) headers['x-service-balance-diem'] = formatUsd(facts.balanceDiem)
  if (facts.balanceRemaining !== undefined) headers['X-Balance-Remaining'] = formatUsd(facts.balanceRemaining)
}

function addPayment(headers: ReplyHeaders, { facts, headers: sent }: RequestContext): void {
  if (facts.paymentResponse === undefined) return
  headers['PAYMENT-RESPONSE'] = facts.paymentResponse
  if (sent.has('x-payment')) headers['X-PAYMENT-RESPONSE'] = facts.paymentResponse
}

function addRpc(headers: ReplyHeaders, { rpc, rpcLimit }: Facts): void {
  if (rpc) {
    headers['X-Service-RPC-Credits'] = String(rpc.credits)
    headers['X-Service-RPC-Cost-USD'] = formatUsd(rpc.cost, RPC_COST_DECIMALS)
    headers['X-Request-ID'] = rpc.requestId
    if (rpc.isReplayed) headers['Idempotent-Replayed'] = 'true'
  }
  if (rpcLimit) {
    headers['X-RateLimit-Limit'] = String(rpcLimit.limit)
    headers['X-RateLimit-Remaining'] = '0'
    headers['X-RateLimit-Reset'] = String(rpcLimit.resetAt)
  }
}

/** Encodes text from an operator's file: Node refuses a header with anything outside visible ASCII. */
function headerText(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, 256)
}

const MIN_COMPRESSED_BYTES = 1024
const BROTLI_QUALITY = 4

const brotliAsync = promisify(brotliCompress)
const gzipAsync = promisify(gzip)

/**
 * Compresses a reply of 1 KiB or more where the contract allows and the client accepts it, br before gzip. Source: API
 * contract 10.
 */
export async function compress(reply: Reply, acceptEncoding: string | null): Promise<Reply> {
  if (!reply.isCompressible || typeof reply.body !== 'string') return reply
  const headers = { ...reply.headers, Vary: 'Accept-Encoding' }
  const encoding = chooseEncoding(acceptEncoding)
  if (!encoding || Buffer.byteLength(reply.body) < MIN_COMPRESSED_BYTES) return { ...reply, headers }
  const bytes = Buffer.from(reply.body)
  const packed =
    encoding === 'br'
      ? await brotliAsync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } })
      : await gzipAsync(bytes)
  return { ...reply, body: new Uint8Array(packed), headers: { ...headers, 'Content-Encoding': encoding } }
}

export function chooseEncoding(accept: string | null): 'br' | 'gzip' | undefined {
  if (!accept) return undefined
  const taken = new Set<string>()
  for (const item of accept.toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim())
    if (!parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))) taken.add(name)
  }
  if (taken.has('br')) return 'br'
  return taken.has('gzip') || taken.has('*') ? 'gzip' : undefined
}
