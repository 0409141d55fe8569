import 'server-only'
import { isAscii } from 'node:buffer'
import { hex } from '@/lib/contract/ids'
import { requestFinished } from '@/lib/kernel/events'
import type { Facts, RequestContext } from '@/lib/kernel/request-context'
import { recordOutcome } from '@/lib/pipeline/admit'
import { compress } from '@/lib/pipeline/compress'
import { errorReply, toApiError } from '@/lib/pipeline/error-response'
import { errorHeaders, replyHeaders } from '@/lib/pipeline/headers'
import { webResponse } from '@/lib/pipeline/light-response'
import type { Reply } from '@/lib/pipeline/reply'
import { Chunks } from '@/lib/pipeline/when-done'
import { recentBalances } from '@/lib/services/ledger/recent-balances'
import { creditOf } from '@/lib/services/ledger/spendable'
import { peekRoute } from '@/lib/services/limits/rate-limit'

/** What a path's placeholders matched: text, or a list for a catch-all. */
export type Params = Record<string, string | string[] | undefined>

/**
 * A Next.js route handler. The server mounts the very same function without Next in between (architecture, section 9), and
 * says which pattern of its table it has found.
 */
export type RouteHandler = (request: Request, route: { params: Promise<Params>; pattern?: string }) => Promise<Response>

export type Handle = (context: RequestContext, request: Request, params: Params) => Promise<Reply> | Reply

/** The header in which our own server hands on the client's address; believed only when that server is in front. */
const CLIENT_ADDRESS_HEADER = 'x-service-client-address'

/** The status that logs and metrics show for a client that left; the field's own number, never sent to anybody. */
const CLIENT_LEFT = 499

/** Where the request was served, in the `CF-RAY` of its reply: this service has one place. */
const LOCATION = 'LGN'

/** Of a reply that is copied so that it leaves with its head. */
const MAX_JOINED_BYTES = 16 * 1024

const NO_PARAMS: Params = {}
const isBehindFront = () => (globalThis as { __serviceFront?: boolean }).__serviceFront === true

/**
 * Opens and closes every request of the API: its context, one shape of error, the headers of every reply, one log line
 * when the reply is complete. Whatever `handle` throws becomes a reply here and nowhere else.
 */
export function endpoint(handle: Handle): RouteHandler {
  return async (request, route) => {
    const params = route?.params === undefined ? NO_PARAMS : await route.params
    const context = new OpenContext(request)
    const pattern = route?.pattern ?? routePattern(context.path, params)
    let reply: Reply
    try {
      reply = await handle(context, request, params)
      if (reply.isCompressible && !isOfNext(request)) {
        reply = await compress(reply, request.headers.get('accept-encoding'))
      }
    } catch (thrown) {
      if (context.signal.aborted) return leftAlone(context, request, pattern)
      const error = toApiError(thrown, context)
      context.facts.error = error
      reply = errorReply(error)
    }
    const standing = addStanding(context)
    if (standing) await standing
    return respond(context, request, reply, pattern)
  }
}

/** Next takes `Content-Encoding` off a handler's reply, and compresses by itself. */
const isOfNext = (request: Request): boolean => 'nextUrl' in request

/** A class, because an object that is written with a getter in it is put together anew, slowly, each time. */
class OpenContext implements RequestContext {
  readonly id = `${hex(8)}-${LOCATION}`
  readonly startedAt = performance.now()
  readonly method: string
  readonly path: string
  readonly headers: Headers
  readonly clientAddress: string
  readonly facts: Facts = {}
  readonly #request: Request

  constructor(request: Request) {
    const { url, headers } = request
    const pathStart = url.indexOf('/', url.indexOf('://') + 3)
    const queryStart = url.indexOf('?', pathStart)
    this.method = request.method
    this.path = queryStart < 0 ? url.slice(pathStart) : url.slice(pathStart, queryStart)
    this.headers = headers
    this.clientAddress = (isBehindFront() && headers.get(CLIENT_ADDRESS_HEADER)) || 'unknown'
    this.#request = request
  }

  /** Asked for lazily: making the controller costs, and half of the replies never look at it. */
  get signal(): AbortSignal {
    return this.#request.signal
  }
}

function respond(context: RequestContext, request: Request, reply: Reply, pattern: string): Response {
  const status = reply.status ?? 200
  recordOutcome(context, status)
  const headers = replyHeaders(context)
  if (status >= 400) Object.assign(headers, errorHeaders())
  Object.assign(headers, reply.headers)
  if (reply.contentType !== undefined) headers['Content-Type'] = reply.contentType
  const { body } = reply
  if (body === null || typeof body === 'string' || body instanceof Uint8Array) {
    requestFinished(context, pattern, status)
    const whole = context.method === 'HEAD' ? null : inOnePiece(body, reply.contentType)
    return webResponse(request, whole, { status, headers })
  }
  if (context.method === 'HEAD') {
    // A stream that nobody reads has begun nothing that must be ended.
    requestFinished(context, pattern, status)
    return webResponse(request, null, { status, headers })
  }
  const chunks = new Chunks(body, async (end, error) => {
    await reply.onEnd?.(end, error)
    requestFinished(context, pattern, status, end)
  })
  return webResponse(request, chunks, { status, headers })
}

type WholeBody = Exclude<Reply['body'], AsyncIterable<Uint8Array>>

/** Node joins a reply's head with a text, and sends bytes behind it on their own. Of bytes that are ASCII both are the same. */
function inOnePiece(body: WholeBody, contentType: string | undefined): WholeBody {
  // The platform's reply would say of a text without a type that it is plain text.
  if (!(body instanceof Uint8Array) || contentType === undefined) return body
  if (body.length > MAX_JOINED_BYTES || !isAscii(body)) return body
  return Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1')
}

/** The client left before there was a reply: nobody reads this one, and nothing went wrong that a log should warn of. */
function leftAlone(context: RequestContext, request: Request, pattern: string): Response {
  requestFinished(context, pattern, CLIENT_LEFT, 'left')
  return webResponse(request, null, { status: CLIENT_LEFT, headers: {} })
}

/**
 * The path with its parameters by name again: a label that no caller can make up. A parameter is looked for from the end,
 * since fixed segments may follow it; all are decoded, as where the path was found.
 */
export function routePattern(path: string, params: Params): string {
  const isPlain = !path.includes('%')
  const names = Object.entries(params)
  if (isPlain && names.length === 0) return path
  const segments = isPlain ? path.split('/') : path.split('/').map(decoded)
  if (segments.at(-1) === '') segments.pop()
  for (const [name, value] of names) {
    const depth = Array.isArray(value) ? value.length : 1
    const at = segments.lastIndexOf(Array.isArray(value) ? (value.at(-1) ?? '') : (value ?? ''))
    if (at >= depth) segments.splice(at + 1 - depth, depth, `:${name}`)
  }
  return segments.join('/')
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return ':unreadable'
  }
}

/**
 * Fills in what the headers of an authenticated reply tell and no stage got round to: a request that failed early still
 * says how much of the caller's minute and credit is left. Counts nothing against the minute, and never fails.
 * Source: API contract, README 6 and 8.2.
 */
function addStanding({ facts }: RequestContext): Promise<void> | undefined {
  const caller = facts.admitted
  return !caller || (facts.rateLimit && facts.balanceUsd !== undefined) ? undefined : fill(facts, caller)
}

async function fill(facts: Facts, caller: NonNullable<Facts['admitted']>): Promise<void> {
  try {
    facts.rateLimit ??= await peekRoute(caller, 'default')
    if (facts.balanceUsd !== undefined) return
    const balances = await recentBalances(caller.accountId)
    facts.balanceUsd = creditOf(balances)
    facts.balanceDiem = balances.DIEM
  } catch {
    // A reply without these headers is better than none: what keeps them away has its own log line.
  }
}
