import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import { preflightHeaders } from '@/lib/pipeline/cors'
import type { Handle } from '@/lib/pipeline/endpoint'
import { endpoint, type RouteHandler } from '@/lib/pipeline/endpoint'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
type Method = (typeof METHODS)[number]
export type RouteMethods = Record<Method, RouteHandler>

/**
 * Declares the methods of a path. Others answer 405 as JSON with `Allow` (Next's own 405 has neither), `OPTIONS` the
 * preflight, `HEAD` as `GET` without the body.
 */
export function route(
  methods: Partial<Record<'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT', RouteHandler>>,
): RouteMethods {
  const allow = METHODS.filter((method) =>
    method === 'OPTIONS' ? true : method === 'HEAD' ? methods.GET !== undefined : methods[method] !== undefined,
  ).join(', ')
  const refuse = endpoint((context) => {
    throw new ApiError('METHOD_NOT_ALLOWED', `${context.method} is not possible here. Use one of: ${allow}.`, {
      headers: { Allow: allow },
    })
  })
  return {
    GET: methods.GET ?? refuse,
    HEAD: methods.GET ?? refuse,
    POST: methods.POST ?? refuse,
    PUT: methods.PUT ?? refuse,
    PATCH: methods.PATCH ?? refuse,
    DELETE: methods.DELETE ?? refuse,
    OPTIONS: preflight,
  }
}

const preflight = endpoint(({ headers }) => ({
  status: 204,
  body: null,
  headers: preflightHeaders(headers.get('access-control-request-headers')),
}))

export const notFound: Handle = (context) => {
  if (context.method === 'OPTIONS')
    return { status: 204, body: null, headers: preflightHeaders(context.headers.get('access-control-request-headers')) }
  throw new ApiError('NOT_FOUND', 'There is no such endpoint. Check the path and its spelling.')
}
