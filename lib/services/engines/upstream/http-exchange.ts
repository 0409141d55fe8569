import 'server-only'
import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher, Pool } from 'undici'
import { type Deadline, unwatch, watch } from '@/lib/kernel/deadlines'
import { logSparingly } from '@/lib/kernel/log'
import { EngineError } from '@/lib/services/engines/engine'
import {
  type AwaitedPart,
  connectionError,
  garbageError,
  silenceError,
  statusError,
  type UpstreamError,
} from '@/lib/services/engines/upstream/failures'

const READ_AHEAD_BYTES = 65_536
const DRAIN_BYTES = 16_384
const DRAIN_MS = 1_000
const MAX_ERROR_BODY_BYTES = 65_536

class DeadlineError extends Error {
  override name = 'DeadlineError'
}

export type UpstreamCall = { path: string; headers: string[]; body: Buffer }

export type ReplyOptions = {
  timeouts: { firstTokenMs: number; idleMs: number; wholeMs: number }
  signal: AbortSignal
  /** Texts that no message may contain, whatever the upstream sends. */
  secrets: string[]
}

/**
 * Sends one POST to an upstream and reads its reply as chunks that are pulled. Ending it early (`destroy`, or the
 * signal) destroys the socket at once, also while its headers are awaited; ending it in order (`finish`) keeps the
 * connection alive.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  status = 0
  headers: IncomingHttpHeaders = {}
  #controller?: Dispatcher.DispatchController
  #chunks: Buffer[] = []
  #bufferedBytes = 0
  #drainedBytes = 0
  #isDraining = false
  #isEnded = false
  #error?: unknown
  #wake?: () => void
  readonly #signal: AbortSignal
  readonly #leave = () => this.destroy(this.#signal.reason)
  readonly #deadline: Deadline = {
    at: Number.POSITIVE_INFINITY,
    expire: () => this.#cut(new DeadlineError('The upstream was silent for too long')),
  }

  constructor(pool: Pool, call: UpstreamCall, signal: AbortSignal) {
    this.#signal = signal
    watch(this.#deadline)
    signal.addEventListener('abort', this.#leave)
    // Both of undici's own timers are off: they would be set once a chunk, and `#deadline` covers them.
    const options = { ...call, method: 'POST', headersTimeout: 0, bodyTimeout: 0 } as const
    try {
      pool.dispatch(options, this)
    } catch (error) {
      this.#close(error)
    }
  }

  /**
   * Waits for status and headers.
   *
   * @throws DeadlineError when they did not come by `dueAt`, the signal's reason when it aborted, or undici's error.
   */
  async head(dueAt: number): Promise<void> {
    while (this.status === 0) {
      if (this.#isEnded) throw this.#error ?? new Error('The upstream closed the connection without a reply')
      await this.#wait(dueAt)
    }
  }

  take(): Buffer[] | undefined {
    if (this.#chunks.length === 0) return undefined
    const chunks = this.#chunks
    this.#chunks = []
    this.#bufferedBytes = 0
    if (this.#controller?.paused) this.#controller.resume()
    return chunks
  }

  /**
   * Waits for the next chunks; undefined when the body has ended.
   *
   * @throws as `head` does. Chunks before an error are returned before it is thrown.
   */
  async read(dueAt: number): Promise<Buffer[] | undefined> {
    for (;;) {
      const chunks = this.take()
      if (chunks) return chunks
      if (this.#isEnded) {
        if (this.#error !== undefined) throw this.#error
        return undefined
      }
      await this.#wait(dueAt)
    }
  }

  finish(): void {
    if (this.#isEnded) return
    this.#signal.removeEventListener('abort', this.#leave)
    this.#isDraining = true
    this.#deadline.at = performance.now() + DRAIN_MS
    this.take()
  }

  destroy(reason?: unknown): void {
    // Called after every exchange: an error's stack is worth making only for those that are still open.
    if (!this.#isEnded && !this.#isDraining) this.#cut(reason ?? new Error('No longer wanted'))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#isEnded) controller.abort(new Error('No longer wanted'))
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // 1xx: the real head is still to come.
    if (status < 200) return
    this.status = status
    this.headers = headers
    this.#wakeUp()
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isDraining) {
      this.#drainedBytes += chunk.length
      if (this.#drainedBytes > DRAIN_BYTES) this.#cut(new Error('Too much after the end'))
      return
    }
    this.#chunks.push(chunk)
    this.#bufferedBytes += chunk.length
    if (this.#bufferedBytes >= READ_AHEAD_BYTES) controller.pause()
    this.#wakeUp()
  }

  onResponseEnd(): void {
    this.#close()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#close(error)
  }

  #cut(reason: unknown): void {
    if (this.#isEnded) return
    this.#chunks = []
    this.#close(reason)
    // Without a controller the request is not on a socket yet: `onRequestStart` sees to it.
    this.#controller?.abort(reason instanceof Error ? reason : new Error('Aborted', { cause: reason }))
  }

  #wait(dueAt: number): Promise<void> {
    // Only a consumer that waits has a deadline: one that is slow itself is not the upstream's fault.
    this.#deadline.at = dueAt
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  #wakeUp(): void {
    const wake = this.#wake
    if (wake === undefined) return
    this.#wake = undefined
    this.#deadline.at = Number.POSITIVE_INFINITY
    wake()
  }

  #close(error?: unknown): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#error = error
    unwatch(this.#deadline)
    this.#signal.removeEventListener('abort', this.#leave)
    this.#wakeUp()
  }
}

export function createBodyReader(exchange: Exchange, maxBytes: number, { timeouts, signal, secrets }: ReplyOptions) {
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

export function noteOverlong(model: string): void {
  logSparingly(
    'overlong answer',
    { model },
    'a model server does not keep the bound on its output; the answer was cut. Does maxTokensField name the field that it takes?',
  )
}
