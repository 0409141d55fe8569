import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { type Circuit, isClosed, newCircuit, recordOutcome, recordTry } from '@/lib/kernel/circuit-breaker'
import { log } from '@/lib/kernel/log'
import { EngineError } from '@/lib/services/engines/engine'
import { UpstreamError } from '@/lib/services/engines/upstream/failures'
import {
  createBodyReader,
  Exchange,
  type ReplyOptions,
  type UpstreamCall,
} from '@/lib/services/engines/upstream/http-exchange'
import { type EngineKind, keyHeaders, versionedBaseUrl } from '@/lib/services/engines/upstream/kinds'

const DEFAULT_TIMEOUTS = { connectMs: 5_000, firstTokenMs: 60_000, idleMs: 30_000, wholeMs: 110_000 }
const DEFAULT_MAX_IN_FLIGHT = 256
/** Below the five seconds after which the most common servers close a quiet connection. */
const KEEP_ALIVE_MS = 4_000
const MAX_RETRIES = 2
const BACKOFF_MS = [50, 250]
/** Calls that were changed do not count as retries: what a model refuses is told one thing at a time. */
const MAX_MENDS = 4
const OVERLOAD_FACTOR = 2
const OVERLOAD_MARGIN = 8

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

export type Ask<Piece> = {
  call(): UpstreamCall
  read(exchange: Exchange, options: ReplyOptions): { next(): Promise<Piece | undefined> }
  cacheKey?: string
  begin?(piece: Piece | undefined, retries: number): Piece
  /** Tells that the call was changed so that it does not fail in this way again: every base URL counts as new then. */
  mend?(error: UpstreamError): boolean
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

type Server = Backend & { pool: Pool; base: string }

function createServer(baseUrl: string, connectMs: number): Server {
  const { origin, pathname } = new URL(baseUrl)
  const pool = new Pool(origin, { allowH2: false, keepAliveTimeout: KEEP_ALIVE_MS, connect: { timeout: connectMs } })
  return { ...newBackend(baseUrl), pool, base: pathname.replace(/\/+$/, '') }
}

type Target = {
  servers: readonly Server[]
  name: string
  authorization: readonly string[]
  timeouts: ReplyOptions['timeouts']
  secrets: string[]
}

/** Reads one reply, its `first` piece with the retries of `UpstreamClient.read`. */
function createAttempts<Piece>(
  ask: Ask<Piece>,
  { servers, name, authorization, timeouts, secrets }: Target,
  signal: AbortSignal,
) {
  const tried = new Set<Backend>()
  let current:
    | { server: Server; exchange: Exchange; reply: ReturnType<typeof ask.read>; isAnswered: boolean }
    | undefined

  function open() {
    const { path, headers, body } = ask.call()
    const server = pickBackend(servers, { cacheKey: ask.cacheKey, tried, now: performance.now() })
    tried.add(server)
    recordStart(server)
    const call = { path: `${server.base}${path}`, headers: [...headers, ...authorization], body }
    const exchange = new Exchange(server.pool, call, signal)
    current = { server, exchange, reply: ask.read(exchange, { timeouts, signal, secrets }), isAnswered: false }
    return current
  }

  function close(error?: unknown): void {
    if (current === undefined) return
    const { server, exchange, isAnswered } = current
    current = undefined
    exchange.destroy()
    recordEnd(server)
    recordOutcome(server, attemptOutcome(error, isAnswered), performance.now())
    if (error instanceof UpstreamError) logFailure(name, server.url, error)
  }

  async function first(): Promise<Piece | undefined> {
    let mends = 0
    for (let calls = 1; ; calls++) {
      const retries = calls - 1 - mends
      try {
        const attempt = open()
        const piece = await attempt.reply.next()
        attempt.isAnswered = true
        return ask.begin ? ask.begin(piece, calls - 1) : piece
      } catch (error) {
        close(error)
        if (!(error instanceof UpstreamError)) throw error
        if (mends < MAX_MENDS && ask.mend?.(error)) {
          mends++
          tried.clear()
          continue
        }
        if (retries >= MAX_RETRIES || !mayRetry(error)) throw error
      }
      await pause((BACKOFF_MS[retries] ?? 0) * (0.5 + Math.random()), signal)
    }
  }

  const mayRetry = ({ retry }: UpstreamError): boolean =>
    retry === 'anywhere' || (retry === 'elsewhere' && tried.size < servers.length)

  async function next(): Promise<Piece | undefined> {
    try {
      return await current?.reply.next()
    } catch (error) {
      close(error)
      throw error
    }
  }

  return { first, next, close }
}

function attemptOutcome(error: unknown, isAnswered: boolean): 'answered' | 'failed' | 'unknown' {
  if (!(error instanceof UpstreamError)) return isAnswered ? 'answered' : 'unknown'
  if (error.isServerFault) return 'failed'
  return error.status === undefined ? 'unknown' : 'answered'
}

/** @throws the signal's reason when aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal })
  } catch {
    throw signal.reason
  }
}

/** Logs no text of the upstream: it may repeat the prompt. */
function logFailure(engine: string, url: string, { reason, status, cause }: UpstreamError): void {
  const message = cause instanceof Error ? cause.message : cause
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  log().warn({ engine, upstream: new URL(url).host, reason, status, code, cause: message }, 'upstream failed')
}

export type Backend = Circuit & {
  readonly url: string
  inFlight: number
}

export const newBackend = (url: string): Backend => ({ ...newCircuit(), url, inFlight: 0 })

/**
 * Chooses the base URL that a cache key prefers, so that it finds its prefix there, else the one with the least in
 * flight. One that failed several times rests; after its rest a single request tries it. When all rest, all count: a
 * request that may fail is better than one that must.
 *
 * @param tried passed over as long as there is another.
 */
export function pickBackend<B extends Backend>(
  backends: readonly B[],
  options: { cacheKey?: string; tried: ReadonlySet<Backend>; now: number },
): B {
  const untried = backends.filter((backend) => !options.tried.has(backend))
  const candidates = untried.length > 0 ? untried : backends
  const healthy = candidates.filter((backend) => isClosed(backend, options.now))
  const usable = healthy.length > 0 ? healthy : candidates
  const leastBusy = usable.reduce((best, backend) => (backend.inFlight < best.inFlight ? backend : best))
  if (options.cacheKey === undefined || usable.length === 1) return leastBusy
  const limit = leastBusy.inFlight * OVERLOAD_FACTOR + OVERLOAD_MARGIN
  let preferred = leastBusy
  let best = -1
  for (const backend of usable) {
    const score = hash(`${options.cacheKey}\n${backend.url}`)
    if (score > best && backend.inFlight <= limit) {
      best = score
      preferred = backend
    }
  }
  return preferred
}

/** Counts a request. `recordOutcome` and `recordEnd` must follow. */
export function recordStart(backend: Backend): void {
  backend.inFlight++
  recordTry(backend)
}

export function recordEnd(backend: Backend): void {
  backend.inFlight--
}

function hash(text: string): number {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return (value ^ (value >>> 16)) >>> 0
}
