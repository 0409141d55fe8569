import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import type { RequestContext } from '@/lib/kernel/request-context'
import { preflightHeaders } from '@/lib/pipeline/cors'
import { endpoint, type Handle, type RouteHandler } from '@/lib/pipeline/endpoint'
import type { Reply } from '@/lib/pipeline/reply'
import { requireOperator } from '@/lib/services/identity/operator'

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
