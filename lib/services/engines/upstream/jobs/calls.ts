import 'server-only'
import type { IncomingHttpHeaders } from 'node:http'
import { EngineError, type ProviderState } from '@/lib/services/engines/engine'
import {
  connectionError,
  garbageError,
  silenceError,
  statusError,
  streamError,
} from '@/lib/services/engines/upstream/failures'
import { isWireObject, readUpTo, textOrUndefined, type WireObject } from '@/lib/services/engines/upstream/wire-value'

const CALL_MS = 30_000
const IDLE_MS = 30_000
const MAX_JSON_BYTES = 1_000_000
const MAX_ERROR_BYTES = 65_536

type Call = { method: 'GET' | 'POST' | 'DELETE'; url: string; body?: unknown; headers?: Record<string, string> }

export type JobCalls = {
  json(call: Call, signal: AbortSignal): Promise<WireObject>
  bytes(url: string, signal: AbortSignal): AsyncGenerator<Uint8Array, void, void>
  base(): string
  /** Returns the same address again. @throws EngineError `offline` when the models file names it no more. */
  sameBase(base: string): string
  /** Tells where the operator's key may go: to the addresses that the operator named, and nowhere else. */
  isOwn(url: string): boolean
}

/** Creates the client of a provider of jobs. The addresses came from the models file, so they may be anywhere. */
export function jobCalls({ baseUrls, apiKey }: ProviderOptions): JobCalls {
  const bases = baseUrls.map((url) => url.replace(/\/+$/, ''))
  const secrets = [apiKey ?? '', ...bases.map((url) => new URL(url).host)]
  const origins = new Set(bases.map((url) => new URL(url).origin))
  const authorization = apiKey === undefined ? undefined : { authorization: `Bearer ${apiKey}` }

  async function open({ method, url, body, headers }: Call, signal: AbortSignal): Promise<Response> {
    const response = await fetch(url, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...authorization,
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      // A redirect would take the key to an address that nobody named.
      redirect: 'error',
      signal,
    })
    if (response.ok) return response
    const reply = await bytesOf(response, MAX_ERROR_BYTES).catch(() => Buffer.alloc(0))
    throw statusError(response.status, headersOf(response), reply.toString('utf8'), secrets)
  }

  return {
    async json(call, signal) {
      const late = AbortSignal.timeout(CALL_MS)
      try {
        const response = await open(call, AbortSignal.any([signal, late]))
        const bytes = await bytesOf(response, MAX_JSON_BYTES)
        if (bytes.length === 0) return {}
        const value: unknown = JSON.parse(bytes.toString('utf8'))
        if (!isWireObject(value)) throw garbageError(new Error('not an object'))
        return value
      } catch (thrown) {
        throw explain(thrown, late, signal)
      }
    },
    async *bytes(url, signal) {
      const idle = new AbortController()
      const wait = () => setTimeout(() => idle.abort(), IDLE_MS)
      let timer = wait()
      try {
        const response = await open({ method: 'GET', url }, AbortSignal.any([signal, idle.signal]))
        if (!response.body) throw garbageError(new Error('no body'))
        for await (const chunk of response.body) {
          clearTimeout(timer)
          yield chunk
          timer = wait()
        }
      } catch (thrown) {
        throw explain(thrown, idle.signal, signal)
      } finally {
        clearTimeout(timer)
      }
    },
    base: () => bases[Math.floor(Math.random() * bases.length)] as string,
    sameBase(base) {
      if (bases.includes(base)) return base
      throw new EngineError('offline', 'The provider of this job is no longer available.')
    },
    isOwn: (url) => URL.canParse(url) && origins.has(new URL(url).origin),
  }
}

const bytesOf = ({ body }: Response, maxBytes: number): Promise<Buffer> =>
  readUpTo(body ?? [], maxBytes, () => garbageError(new Error('The reply is too long')))

function explain(thrown: unknown, late: AbortSignal, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason
  if (late.aborted) return silenceError('next token', thrown)
  if (thrown instanceof EngineError) return thrown
  if (thrown instanceof SyntaxError) return garbageError(thrown)
  // Undici hides what happened to the connection in the cause.
  return connectionError(thrown instanceof Error ? (thrown.cause ?? thrown) : thrown)
}

const ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,199}$/

export function jobIdIn(reply: WireObject): string {
  const id = textOrUndefined(reply.id)
  if (id !== undefined && ID.test(id)) return id
  throw garbageError(new Error('no id'))
}

const CANCELLED: ReadonlySet<unknown> = new Set(['cancelled', 'canceled', 'aborted'])

/** Reads the state of work that is neither under way nor done. */
export function failedState({ status, error }: WireObject): ProviderState {
  if (status === 'failed') return { state: 'failed', error: streamError(error ?? {}, []) }
  if (!CANCELLED.has(status)) throw garbageError(new Error('an unknown status'))
  return { state: 'failed', error: new EngineError('failed', 'The provider cancelled the job.') }
}

const headersOf = (response: Response): IncomingHttpHeaders => Object.fromEntries(response.headers)

export type ProviderOptions = { baseUrls: string[]; apiKey?: string }
