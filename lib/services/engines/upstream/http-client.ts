import 'server-only'
import { Pool } from 'undici'
import { EngineError } from '@/lib/services/engines/engine'
import { type Ask, createAttempts, type ReplyOptions, type Server } from '@/lib/services/engines/upstream/attempts'
import {
  type AwaitedPart,
  connectionError,
  garbageError,
  silenceError,
  statusError,
  type UpstreamError,
} from '@/lib/services/engines/upstream/failures'
import { DeadlineError, type Exchange } from '@/lib/services/engines/upstream/http-exchange'
import { type EngineKind, keyHeaders, versionedBaseUrl } from '@/lib/services/engines/upstream/kinds'
import { newBackend } from '@/lib/services/engines/upstream/pick-backend'

const DEFAULT_TIMEOUTS = { connectMs: 5_000, firstTokenMs: 60_000, idleMs: 30_000, wholeMs: 110_000 }
const DEFAULT_MAX_IN_FLIGHT = 256
/** Below the five seconds after which the most common servers close a quiet connection. */
const KEEP_ALIVE_MS = 4_000
const MAX_ERROR_BODY_BYTES = 65_536

export type UpstreamOptions = {
  name: string
  kind?: EngineKind
  baseUrls: string[]
  apiKey?: string
  timeouts?: Partial<typeof DEFAULT_TIMEOUTS>
  maxInFlight?: number
}

export type UpstreamPost = {
  path: string
  contentType: string
  accept: string
  body: Buffer
  maxReplyBytes: number
}

export type UpstreamClient = {
  /**
   * Reads the pieces of a reply. A failure before the first is tried again, twice at most and on another base URL where
   * there is one; a later one is not.
   *
   * @throws EngineError
   */
  read<Piece>(ask: Ask<Piece>, signal: AbortSignal): AsyncGenerator<Piece, void, void>
  stream(post: UpstreamPost, signal: AbortSignal): AsyncGenerator<Buffer, void, void>
  post(post: UpstreamPost, signal: AbortSignal): Promise<Buffer>
  close(): Promise<void>
}

export function createUpstreamClient(options: UpstreamOptions): UpstreamClient {
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts }
  const maxInFlight = options.maxInFlight ?? DEFAULT_MAX_IN_FLIGHT
  const { kind = 'openai' } = options
  const servers = options.baseUrls.map((url) => createServer(versionedBaseUrl(kind, url), timeouts.connectMs))
  const secrets = [options.apiKey ?? '', ...servers.map((server) => new URL(server.url).host)]
  const authorization = options.apiKey === undefined ? [] : keyHeaders(kind, options.apiKey)
  let inFlight = 0

  async function* read<Piece>(ask: Ask<Piece>, signal: AbortSignal): AsyncGenerator<Piece, void, void> {
    signal.throwIfAborted()
    if (inFlight >= maxInFlight) {
      throw new EngineError('at-capacity', 'The model is at capacity. Try again in a moment.')
    }
    inFlight++
    const attempts = createAttempts(ask, { servers, name: options.name, authorization, timeouts, secrets }, signal)
    try {
      let piece = await attempts.first()
      while (piece !== undefined) {
        yield piece
        piece = await attempts.next()
      }
    } finally {
      inFlight--
      attempts.close()
    }
  }

  async function* stream(post: UpstreamPost, signal: AbortSignal): AsyncGenerator<Buffer, void, void> {
    const { path, contentType, accept, body, maxReplyBytes } = post
    const call = { path, headers: ['content-type', contentType, 'accept', accept], body }
    const ask: Ask<Buffer[]> = {
      call: () => call,
      read: (exchange, options) => createBodyReader(exchange, maxReplyBytes, options),
    }
    for await (const chunks of read(ask, signal)) yield* chunks
  }

  return {
    read,
    stream,
    post: async (post, signal) => Buffer.concat(await Array.fromAsync(stream(post, signal))),
    async close() {
      await Promise.all(servers.map((server) => server.pool.close()))
    },
  }
}

function createServer(baseUrl: string, connectMs: number): Server {
  const { origin, pathname } = new URL(baseUrl)
  const pool = new Pool(origin, { allowH2: false, keepAliveTimeout: KEEP_ALIVE_MS, connect: { timeout: connectMs } })
  return { ...newBackend(baseUrl), pool, base: pathname.replace(/\/+$/, '') }
}

function createBodyReader(exchange: Exchange, maxBytes: number, { timeouts, signal, secrets }: ReplyOptions) {
  let bytes = 0
  let hasHead = false
  let hasBegun = false

  async function read(): Promise<Buffer[] | undefined> {
    if (!hasHead) {
      hasHead = true
      await exchange.head(performance.now() + timeouts.firstTokenMs)
      if (exchange.status !== 200) throw await readRefusal(exchange, performance.now() + timeouts.idleMs, secrets)
    }
    const idleTimeoutMs = hasBegun ? timeouts.idleMs : timeouts.firstTokenMs
    const chunks = await exchange.read(performance.now() + idleTimeoutMs)
    if (chunks === undefined && !hasBegun) throw garbageError(new Error('The reply is empty'))
    for (const chunk of chunks ?? []) bytes += chunk.length
    if (bytes > maxBytes) throw garbageError(new Error('The reply is too long'))
    hasBegun = true
    return chunks
  }

  return {
    async next(): Promise<Buffer[] | undefined> {
      try {
        return await read()
      } catch (thrown) {
        throw failureOf(thrown, hasBegun ? 'next token' : 'first token', signal)
      }
    },
  }
}

export async function readRefusal(exchange: Exchange, dueAt: number, secrets: string[]): Promise<UpstreamError> {
  let body = Buffer.alloc(0)
  while (body.length < MAX_ERROR_BODY_BYTES) {
    const chunks = await exchange.read(dueAt)
    if (chunks === undefined) break
    body = Buffer.concat([body, ...chunks])
  }
  return statusError(exchange.status, exchange.headers, body.toString('utf8', 0, MAX_ERROR_BODY_BYTES), secrets)
}

export function failureOf(thrown: unknown, awaited: AwaitedPart, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason
  if (thrown instanceof EngineError) return thrown
  return thrown instanceof DeadlineError ? silenceError(awaited, thrown) : connectionError(thrown)
}
