import 'server-only'
import { isAscii } from 'node:buffer'
import { ApiError } from '@/lib/contract/errors'
import { CLIENT_ADDRESS_HEADER } from '@/lib/contract/headers'
import { type Facts, newRay, type Params, type RequestContext } from '@/lib/kernel/request-context'
import { requestFinished } from '@/lib/kernel/request-log'
import { recordOutcome } from '@/lib/pipeline/admit'
import { preflightHeaders } from '@/lib/pipeline/cors'
import { errorReply, toApiError } from '@/lib/pipeline/error-response'
import { Chunks, compress, errorHeaders, type Reply, replyHeaders, webResponse } from '@/lib/pipeline/reply'
import { requireOperator } from '@/lib/services/identity/operator'
import { recentBalances } from '@/lib/services/ledger/ledger'
import { creditOf } from '@/lib/services/ledger/ledger-types'
import { peekRoute } from '@/lib/services/limits/limits'

export type RouteHandler = (request: Request, route: { params: Promise<Params>; pattern?: string }) => Promise<Response>

export type Handle = (context: RequestContext, request: Request, params: Params) => Promise<Reply> | Reply

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
export type Method = (typeof METHODS)[number]
export type RouteMethods = Record<Method, RouteHandler>
type Handles = Partial<Record<'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT', Handle>>

/**
 * Declares the methods of a path. Others answer 405 as JSON with `Allow` (Next's own 405 has neither), `OPTIONS` the
 * preflight, `HEAD` as `GET` without the body.
 */
export function route(methods: Handles): RouteMethods {
  const allow = METHODS.filter((method) =>
    method === 'OPTIONS' ? true : method === 'HEAD' ? methods.GET !== undefined : methods[method] !== undefined,
  ).join(', ')
  const refused: Handle = ({ method }) => {
    throw new ApiError('METHOD_NOT_ALLOWED', `${method} is not possible here. Use one of: ${allow}.`, {
      headers: { Allow: allow },
    })
  }
  const read = endpoint(methods.GET ?? refused)
  return {
    GET: read,
    HEAD: read,
    POST: endpoint(methods.POST ?? refused),
    PUT: endpoint(methods.PUT ?? refused),
    PATCH: endpoint(methods.PATCH ?? refused),
    DELETE: endpoint(methods.DELETE ?? refused),
    OPTIONS: endpoint(preflight),
  }
}

/** Declares the methods of a path that is for the operator's own pages. */
export function operatorRoute(methods: Handles): RouteMethods {
  return route(Object.fromEntries(Object.entries(methods).map(([method, handle]) => [method, asOperator(handle)])))
}

const asOperator =
  (handle: Handle): Handle =>
  async (context, request, params) => {
    await requireOperator(context)
    return handle(context, request, params)
  }

const preflight = ({ headers }: RequestContext): Reply => ({
  status: 204,
  body: null,
  headers: preflightHeaders(headers.get('access-control-request-headers')),
})

export const notFound: Handle = (context) => {
  if (context.method === 'OPTIONS') return preflight(context)
  throw new ApiError('NOT_FOUND', 'There is no such endpoint. Check the path and its spelling.')
}

/** Status in logs and metrics for a client that left; never sent. */
const CLIENT_LEFT = 499

const MAX_JOINED_BYTES = 16 * 1024

const NO_PARAMS: Params = {}
const isBehindFront = () => (globalThis as { __serviceFront?: boolean }).__serviceFront === true

/**
 * Wraps every request of the API: its context, one error shape, reply headers, one log line when the reply is complete.
 * Everything that `handle` throws becomes a reply here.
 */
export function endpoint(handle: Handle): RouteHandler {
  return async (request, matched) => {
    const params = matched?.params === undefined ? NO_PARAMS : await matched.params
    const context = new OpenContext(request)
    const pattern = matched?.pattern ?? routePattern(context.path, params)
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

const isOfNext = (request: Request): boolean => 'nextUrl' in request

/** A class, because an object literal with a getter is slow to create. */
class OpenContext implements RequestContext {
  readonly id = newRay()
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

function inOnePiece(body: WholeBody, contentType: string | undefined): WholeBody {
  // The platform's reply would say of a text without a type that it is plain text.
  if (!(body instanceof Uint8Array) || contentType === undefined) return body
  if (body.length > MAX_JOINED_BYTES || !isAscii(body)) return body
  return Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1')
}

function leftAlone(context: RequestContext, request: Request, pattern: string): Response {
  requestFinished(context, pattern, CLIENT_LEFT, 'left')
  return webResponse(request, null, { status: CLIENT_LEFT, headers: {} })
}

/**
 * Names the path's parameters again, for labels that no caller can invent. Parameters are searched from the end, since
 * fixed segments may follow them.
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
 * Adds rate limit and balance to the facts of an authenticated request that failed early. Counts nothing and never
 * fails. Source: API contract, README 6 and 8.2.
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
