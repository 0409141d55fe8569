import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { recordOutcome } from '@/lib/kernel/circuit-breaker'
import { log } from '@/lib/kernel/log'
import { EngineError } from '@/lib/services/engines/engine'
import {
  type Backend,
  newBackend,
  pickBackend,
  recordEnd,
  recordStart,
} from '@/lib/services/engines/upstream/chat/balancer'
import { DeadlineError, Exchange } from '@/lib/services/engines/upstream/chat/request'
import {
  connectionError,
  garbageError,
  silenceError,
  statusError,
  UpstreamError,
} from '@/lib/services/engines/upstream/failures'

const MAX_RETRIES = 2
const BACKOFF_MS = [50, 250]
const DEFAULT_TIMEOUTS = { connectMs: 5_000, firstTokenMs: 60_000, idleMs: 30_000 }
const DEFAULT_MAX_IN_FLIGHT = 256
/** Below the five seconds after which the most common servers close a quiet connection. */
const KEEP_ALIVE_MS = 4_000
const MAX_ERROR_BODY_BYTES = 65_536

export type UpstreamCallsOptions = {
  /** The engine's name in the models file. */
  name: string
  /** Each with its path up to and including `/v1`. */
  baseUrls: string[]
  apiKey?: string
  timeouts?: Partial<typeof DEFAULT_TIMEOUTS>
  maxInFlight?: number
}

type UpstreamPost = {
  /** Below the base URL: `/embeddings`. */
  path: string
  contentType: string
  accept: string
  body: Buffer
  /** A reply that is longer is no answer. */
  maxReplyBytes: number
}

/** Calls to an OpenAI-compatible server, or several of them, whose reply is not a chat. */
export type UpstreamCalls = {
  /**
   * The reply's body as it comes. What fails before its first byte is tried again, twice at most and on another base URL
   * where there is one; after it, nothing is.
   *
   * @throws EngineError
   */
  stream(post: UpstreamPost, signal: AbortSignal): AsyncGenerator<Buffer, void, void>
  /** The same, whole. */
  post(post: UpstreamPost, signal: AbortSignal): Promise<Buffer>
  close(): Promise<void>
}

type Server = Backend & { pool: Pool; base: string }

export function createUpstreamCalls(options: UpstreamCallsOptions): UpstreamCalls {
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts }
  const maxInFlight = options.maxInFlight ?? DEFAULT_MAX_IN_FLIGHT
  const servers = options.baseUrls.map((url) => createServer(url, timeouts.connectMs))
  const secrets = [options.apiKey ?? '', ...servers.map((server) => new URL(server.url).host)]
  let inFlight = 0

  async function* stream(post: UpstreamPost, signal: AbortSignal): AsyncGenerator<Buffer, void, void> {
    signal.throwIfAborted()
    if (inFlight >= maxInFlight) {
      throw new EngineError('at-capacity', 'The model serves as many requests as it can. Try again in a moment.')
    }
    inFlight++
    try {
      const tried = new Set<Backend>()
      for (let retries = 0; ; retries++) {
        const attempt = { hasBegun: false }
        try {
          yield* once(post, tried, attempt, signal)
          return
        } catch (error) {
          if (attempt.hasBegun || !mayRetry(error, retries, tried)) throw error
        }
        await pause(retries, signal)
      }
    } finally {
      inFlight--
    }
  }

  async function* once(
    { path, contentType, accept, body, maxReplyBytes }: UpstreamPost,
    tried: Set<Backend>,
    attempt: { hasBegun: boolean },
    signal: AbortSignal,
  ): AsyncGenerator<Buffer, void, void> {
    const server = pickBackend(servers, { tried, now: performance.now() })
    tried.add(server)
    recordStart(server)
    const headers = ['content-type', contentType, 'accept', accept]
    if (options.apiKey !== undefined) headers.push('authorization', `Bearer ${options.apiKey}`)
    const exchange = new Exchange(server.pool, { path: `${server.base}${path}`, headers, body }, signal)
    let failure: unknown
    try {
      await exchange.head(performance.now() + timeouts.firstTokenMs)
      if (exchange.status !== 200) throw await refusalOf(exchange, timeouts.idleMs, secrets)
      let bytes = 0
      for (;;) {
        const patienceMs = attempt.hasBegun ? timeouts.idleMs : timeouts.firstTokenMs
        const chunks = await exchange.read(performance.now() + patienceMs)
        if (chunks === undefined) break
        for (const chunk of chunks) bytes += chunk.length
        if (bytes > maxReplyBytes) throw garbageError(new Error('The reply is too long'))
        attempt.hasBegun = true
        yield* chunks
      }
      if (!attempt.hasBegun) throw garbageError(new Error('The reply is empty'))
    } catch (thrown) {
      failure = explain(thrown, attempt.hasBegun, signal)
      throw failure
    } finally {
      exchange.destroy()
      recordEnd(server)
      recordOutcome(server, outcomeOf(failure, attempt.hasBegun), performance.now())
      if (failure instanceof UpstreamError) logFailure(options.name, server.url, failure)
    }
  }

  function mayRetry(error: unknown, retries: number, tried: Set<Backend>): boolean {
    if (!(error instanceof UpstreamError) || retries >= MAX_RETRIES) return false
    return error.retry === 'anywhere' || (error.retry === 'elsewhere' && tried.size < servers.length)
  }

  return {
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

async function refusalOf(exchange: Exchange, idleMs: number, secrets: string[]): Promise<UpstreamError> {
  const dueAt = performance.now() + idleMs
  let body = Buffer.alloc(0)
  while (body.length < MAX_ERROR_BODY_BYTES) {
    const chunks = await exchange.read(dueAt)
    if (chunks === undefined) break
    body = Buffer.concat([body, ...chunks])
  }
  return statusError(exchange.status, exchange.headers, body.toString('utf8', 0, MAX_ERROR_BODY_BYTES), secrets)
}

function explain(thrown: unknown, hasBegun: boolean, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason
  if (thrown instanceof EngineError) return thrown
  return thrown instanceof DeadlineError
    ? silenceError(hasBegun ? 'next token' : 'first token', thrown)
    : connectionError(thrown)
}

/** What an attempt says of its server's health: a refusal is an answer too. */
function outcomeOf(error: unknown, hasBegun: boolean): 'answered' | 'failed' | 'unknown' {
  if (!(error instanceof UpstreamError)) return hasBegun ? 'answered' : 'unknown'
  if (error.isServerFault) return 'failed'
  return error.status === undefined ? 'unknown' : 'answered'
}

async function pause(retries: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep((BACKOFF_MS[retries] ?? 0) * (0.5 + Math.random()), undefined, { signal })
  } catch {
    throw signal.reason
  }
}

/** Never what the upstream wrote: it may hold what it was given. */
function logFailure(engine: string, url: string, { reason, status, cause }: UpstreamError): void {
  const said = cause instanceof Error ? cause.message : cause
  log().warn({ engine, upstream: new URL(url).host, reason, status, cause: said }, 'upstream failed')
}
