import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'undici'
import { recordOutcome } from '@/lib/kernel/circuit-breaker'
import { log } from '@/lib/kernel/log'
import { UpstreamError } from '@/lib/services/engines/upstream/failures'
import { Exchange, type UpstreamCall } from '@/lib/services/engines/upstream/http-exchange'
import { type Backend, pickBackend, recordEnd, recordStart } from '@/lib/services/engines/upstream/pick-backend'

const MAX_RETRIES = 2
const BACKOFF_MS = [50, 250]
/** Calls that were changed do not count as retries: what a model refuses is told one thing at a time. */
const MAX_MENDS = 4

export type ReplyOptions = {
  timeouts: { firstTokenMs: number; idleMs: number; wholeMs: number }
  signal: AbortSignal
  /** Texts that no message may contain, whatever the upstream sends. */
  secrets: string[]
}

export type Ask<Piece> = {
  call(): UpstreamCall
  read(exchange: Exchange, options: ReplyOptions): { next(): Promise<Piece | undefined> }
  cacheKey?: string
  begin?(piece: Piece | undefined, retries: number): Piece
  /** Tells that the call was changed so that it does not fail in this way again: every base URL counts as new then. */
  mend?(error: UpstreamError): boolean
}

export type Server = Backend & { pool: Pool; base: string }

type Target = {
  servers: readonly Server[]
  name: string
  authorization: readonly string[]
  timeouts: ReplyOptions['timeouts']
  secrets: string[]
}

/**
 * Reads one reply. A failure before its first piece is tried again, `MAX_RETRIES` times at most and on another base URL
 * where there is one; a later failure is not.
 */
export function createAttempts<Piece>(
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
