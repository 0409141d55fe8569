import 'server-only'
import { PROBE_SENTENCES, type ProbeFailure, type ProbeFault } from '@/lib/contract/providers'
import { cleanMessage } from '@/lib/services/engines/upstream/failures'
import { isWireObject, readUpTo } from '@/lib/services/engines/upstream/wire-value'

const TIMEOUT_MS = 15_000
const MAX_REPLY_BYTES = 20_000_000
const MAX_ERROR_BYTES = 65_536
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Why a server cannot be connected, in a sentence for the operator that says what to do. */
export class ProbeError extends Error {
  override name = 'ProbeError'

  readonly fault: ProbeFault
  readonly detail?: string

  constructor(fault: ProbeFault, detail?: string, options?: ErrorOptions) {
    super(PROBE_SENTENCES[fault] + (detail === undefined ? '' : ` (${detail})`), options)
    this.fault = fault
    if (detail !== undefined) this.detail = detail
  }
}

export const failureOf = ({ fault, detail, message }: ProbeError): ProbeFailure => ({
  fault,
  message,
  ...(detail !== undefined && { detail }),
})

export type Ask = { url: string; headers?: Record<string, string>; body?: object; key?: string; timeoutMs?: number }

/**
 * Asks a server for JSON on behalf of the operator, who may name any address. Redirects are not followed: a key goes
 * only where it was meant to go.
 * @throws ProbeError
 */
export async function askProvider({ url, headers, body, key, timeoutMs = TIMEOUT_MS }: Ask): Promise<unknown> {
  const signal = AbortSignal.timeout(timeoutMs)
  let response: Response
  try {
    response = await fetch(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }), ...headers },
      body: body ? JSON.stringify(body) : null,
      redirect: 'manual',
      signal,
    })
  } catch (cause) {
    throw connectionFault(cause)
  }
  if (REDIRECTS.has(response.status)) {
    await response.body?.cancel()
    throw new ProbeError('redirect', targetOf(response, url))
  }
  const text = await textOf(response, response.ok ? MAX_REPLY_BYTES : MAX_ERROR_BYTES)
  const value = parsed(text)
  if (!response.ok) throw statusFault(response.status, value, key)
  if (value === undefined) throw new ProbeError('not-an-api')
  return value
}

async function textOf(response: Response, maxBytes: number): Promise<string> {
  try {
    const bytes = await readUpTo(response.body ?? [], maxBytes, () => new ProbeError('not-an-api'))
    return bytes.toString('utf8')
  } catch (cause) {
    throw cause instanceof ProbeError ? cause : connectionFault(cause)
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function connectionFault(cause: unknown): ProbeError {
  if (cause instanceof Error && cause.name === 'TimeoutError') return new ProbeError('timeout', undefined, { cause })
  const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  const code = reason instanceof Error && 'code' in reason ? String(reason.code) : undefined
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return new ProbeError('timeout', undefined, { cause })
  return new ProbeError('unreachable', code, { cause })
}

function targetOf(response: Response, url: string): string | undefined {
  const location = response.headers.get('location')
  if (location === null || !URL.canParse(location, url)) return undefined
  const target = new URL(location, url)
  return target.origin + target.pathname
}

/** Tells what a status means to whoever connects a server. */
export function statusFault(status: number, body: unknown, key: string | undefined): ProbeError {
  const { message, kind } = errorOf(body)
  const detail = cleanMessage(message, key === undefined ? [] : [key]) || `HTTP ${status}`
  if (status === 401 || status === 403) {
    // Google refuses a wrong key as a bad request, others as one that is not allowed; without any they say the same.
    return key === undefined ? new ProbeError('key-missing') : new ProbeError('key-refused', detail)
  }
  if (status === 402 || /insufficient_quota|insufficient_balance|billing/i.test(kind)) {
    return new ProbeError('no-credit', detail)
  }
  if (
    status === 400 &&
    /API_KEY_INVALID|api key not valid|invalid api key|incorrect api key/i.test(`${kind} ${message}`)
  ) {
    return new ProbeError('key-refused', detail)
  }
  if (status === 429 || status === 529) return new ProbeError('busy', detail)
  if (status === 404 || status === 405) {
    return message !== '' && /model/i.test(`${kind} ${message}`)
      ? new ProbeError('no-model', detail)
      : new ProbeError('not-an-api')
  }
  return new ProbeError('failed', detail)
}

function errorOf(body: unknown): { message: string; kind: string } {
  // Google wraps its error in an array on the compatible path.
  const whole = Array.isArray(body) ? body[0] : body
  if (!isWireObject(whole)) return { message: '', kind: '' }
  const error = isWireObject(whole.error) ? whole.error : whole
  const words = [whole.error, error.message, error.detail, whole.detail].filter((value) => typeof value === 'string')
  const kinds = [error.code, error.type, error.status, JSON.stringify(error.details ?? '').slice(0, 500)]
  return { message: words[0] ?? '', kind: kinds.filter((value) => typeof value === 'string').join(' ') }
}
