import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { recordOutcome } from '@/lib/kernel/circuit-breaker'
import { log } from '@/lib/kernel/log'
import { type ChatEngine, type ChatEvent, type ChatRequest, EngineError } from '@/lib/services/engines/engine'
import { Answer } from '@/lib/services/engines/upstream/chat/answer'
import {
  type Backend,
  newBackend,
  pickBackend,
  recordEnd,
  recordStart,
} from '@/lib/services/engines/upstream/chat/balancer'
import { Exchange } from '@/lib/services/engines/upstream/chat/request'
import { responsesBody } from '@/lib/services/engines/upstream/chat/responses-wire'
import { type WireOptions, wireBody } from '@/lib/services/engines/upstream/chat/wire'
import { UpstreamError } from '@/lib/services/engines/upstream/failures'

const MAX_RETRIES = 2
const BACKOFF_MS = [50, 250]
const DEFAULT_TIMEOUTS = { connectMs: 5_000, firstTokenMs: 60_000, idleMs: 30_000 }
const DEFAULT_MAX_IN_FLIGHT = 256
/** Below the five seconds after which the most common servers close a quiet connection. */
const KEEP_ALIVE_MS = 4_000

export type UpstreamChatOptions = WireOptions & {
  /** The engine's name in the models file: what logs, metrics and the router header call it. */
  name: string
  /** Each with its path up to and including `/v1`. */
  baseUrls: string[]
  apiKey?: string
  timeouts?: Partial<typeof DEFAULT_TIMEOUTS>
  /** Requests served at one time over all base URLs; more are refused with `at-capacity`. */
  maxInFlight?: number
  /** The servers report how likely the tokens of a prompt were (vLLM). Others refuse the field, so it is not sent to them. */
  promptLogprobs?: boolean
}

type Server = Backend & { pool: Pool; path: string; searchPath: string }

/**
 * A chat engine that is an OpenAI-compatible server, or several of them. What fails before the first event is tried
 * again, twice at most and on another base URL where there is one; after it, nothing is.
 */
export function createUpstreamChatEngine(options: UpstreamChatOptions): ChatEngine {
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts }
  const maxInFlight = options.maxInFlight ?? DEFAULT_MAX_IN_FLIGHT
  const servers = options.baseUrls.map((url) => createServer(url, timeouts.connectMs))
  const secrets = [options.apiKey ?? '', ...servers.map((server) => new URL(server.url).host)]
  const headers = ['content-type', 'application/json', 'accept', 'text/event-stream']
  if (options.apiKey !== undefined) headers.push('authorization', `Bearer ${options.apiKey}`)
  let inFlight = 0

  async function* streamBatches(asked: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatEvent[], void, void> {
    signal.throwIfAborted()
    const request = options.promptLogprobs && !asked.nativeSearch ? asked : { ...asked, promptLogprobs: undefined }
    if (inFlight >= maxInFlight) {
      throw new EngineError('at-capacity', 'The model serves as many requests as it can. Try again in a moment.')
    }
    inFlight++
    const attempts = createAttempts(request, signal)
    try {
      let batch: ChatEvent[] | undefined = await attempts.first()
      while (batch !== undefined) {
        yield batch
        batch = await attempts.next()
      }
    } finally {
      inFlight--
      attempts.close()
    }
  }

  /** The attempts at one request: at most one is open at a time. */
  function createAttempts(request: ChatRequest, signal: AbortSignal) {
    const searches = request.nativeSearch !== undefined
    const bodyOf = searches ? responsesBody : wireBody
    let body = bodyOf(request, options)
    let isBoundTold = request.bound !== 'open'
    const tried = new Set<Backend>()
    let current: { server: Server; exchange: Exchange; answer: Answer; isAnswered: boolean } | undefined

    function open(): Answer {
      const server = pickBackend(servers, { cacheKey: request.cacheKey, tried, now: performance.now() })
      tried.add(server)
      recordStart(server)
      const exchange = new Exchange(
        server.pool,
        { path: searches ? server.searchPath : server.path, headers, body },
        signal,
      )
      const answer = new Answer(exchange, request, { timeouts, signal, secrets })
      current = { server, exchange, answer, isAnswered: false }
      return answer
    }

    /** Ends the open attempt, if any, and records what it says of its server's health. */
    function close(error?: unknown): void {
      if (current === undefined) return
      const { server, exchange, isAnswered } = current
      current = undefined
      exchange.destroy()
      recordEnd(server)
      recordOutcome(server, outcomeOf(error, isAnswered), performance.now())
      if (error instanceof UpstreamError) logFailure(options.name, server.url, error)
    }

    async function first(): Promise<ChatEvent[]> {
      for (let retries = 0; ; retries++) {
        try {
          const batch = await open().next()
          if (current) current.isAnswered = true
          return [{ type: 'route', router: options.name, retries }, ...(batch ?? [])]
        } catch (error) {
          close(error)
          if (retries < MAX_RETRIES && isOurBound(error)) {
            isBoundTold = false
            body = bodyOf({ ...request, bound: 'open' }, options)
            tried.clear()
            continue
          }
          if (!mayRetry(error, retries)) throw error
        }
        await pause(retries, signal)
      }
    }

    /** Prompt and bound did not fit together, and nobody but us asked for that bound: the prompt alone may fit. */
    function isOurBound(error: unknown): boolean {
      const isOverflow = error instanceof UpstreamError && error.reason === 'context-overflow'
      return isOverflow && isBoundTold && request.bound !== 'firm'
    }

    function mayRetry(error: unknown, retries: number): boolean {
      if (!(error instanceof UpstreamError) || retries >= MAX_RETRIES) return false
      return error.retry === 'anywhere' || (error.retry === 'elsewhere' && tried.size < servers.length)
    }

    async function next(): Promise<ChatEvent[] | undefined> {
      try {
        const batch = await current?.answer.next()
        return batch
      } catch (error) {
        close(error)
        throw error
      }
    }

    return { first, next, close }
  }

  return {
    streamBatches,
    async *stream(request, signal) {
      for await (const batch of streamBatches(request, signal)) yield* batch
    },
    countTokens: estimateTokens,
    async close() {
      await Promise.all(servers.map((server) => server.pool.close()))
    },
  }
}

function createServer(baseUrl: string, connectMs: number): Server {
  const { origin, pathname } = new URL(baseUrl)
  const pool = new Pool(origin, {
    allowH2: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connect: { timeout: connectMs },
  })
  const root = pathname.replace(/\/+$/, '')
  return { ...newBackend(baseUrl), pool, path: `${root}/chat/completions`, searchPath: `${root}/responses` }
}

async function pause(retries: number, signal: AbortSignal): Promise<void> {
  const delayMs = (BACKOFF_MS[retries] ?? 0) * (0.5 + Math.random())
  try {
    await sleep(delayMs, undefined, { signal })
  } catch {
    throw signal.reason
  }
}

/** What an attempt says of its server's health: a refusal is an answer too. */
function outcomeOf(error: unknown, isAnswered: boolean): 'answered' | 'failed' | 'unknown' {
  if (!(error instanceof UpstreamError)) return isAnswered ? 'answered' : 'unknown'
  if (error.isServerFault) return 'failed'
  return error.status === undefined ? 'unknown' : 'answered'
}

/** Never what the upstream wrote: it may hold the prompt. */
function logFailure(engine: string, url: string, error: UpstreamError): void {
  const { reason, status, cause } = error
  const said = cause instanceof Error ? cause.message : cause
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  log().warn({ engine, upstream: new URL(url).host, reason, status, code, cause: said }, 'upstream failed')
}

/** Characters a token of English text or code has, on the low side, so that the estimate is on the high side. */
const CHARACTERS_PER_TOKEN = 3.5
/** What each byte beyond the first of a character adds: a CJK character is more than a token, an accented letter half of one. */
const TOKENS_PER_EXTRA_BYTE = 0.5

/**
 * Tokens of a text without a tokenizer: an upper estimate for usual text of any script, linear in its length. Real
 * tokenizers need about 4 characters of English a token, 3 of code, and 0.7 to 1.3 tokens a CJK character.
 */
export function estimateTokens(text: string): number {
  const extraBytes = Buffer.byteLength(text) - text.length
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN + extraBytes * TOKENS_PER_EXTRA_BYTE)
}
