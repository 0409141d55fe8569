import { getRequestListener, RequestError } from '@hono/node-server'
import { log } from '@/lib/core/log'
import { setResponseClass } from '@/lib/core/web-response'
import type { Handler } from '@/server/front'
import { FAILED, MALFORMED, refusalResponse } from '@/server/refusal'
import { createRouter, type Match, METHODS, type Method, type Route } from '@/server/router'

/** Mounts the route handlers of `app/api` on plain Node requests, without Next in between. */
export function createApi(routes: readonly Route[]): Handler {
  const match = createRouter(routes)
  return withLightResponse(() =>
    getRequestListener((request, { incoming }) => dispatch(match, request, incoming.url ?? '/'), { errorHandler }),
  )
}

function dispatch(
  match: (path: string) => Match | undefined,
  request: Request,
  target: string,
): Response | Promise<Response> {
  const found = match(target.split('?', 1)[0]!)
  // A method that Next would not route either answers as an unknown one does: 405 by the module itself.
  const method = METHODS.includes(request.method as Method) ? (request.method as Method) : 'PUT'
  const handler = found?.module[method] ?? (method === 'HEAD' ? found?.module.GET : undefined)
  if (!found || !handler)
    return refusalResponse({ status: 404, code: 'NOT_FOUND', message: 'There is no such endpoint.' })
  return handler(request, { params: Promise.resolve(found.params) })
}

/** What no handler answered: a target that is not a URL, or a fault in our own code. */
function errorHandler(error: unknown): Response {
  if (error instanceof RequestError || error instanceof URIError) return refusalResponse(MALFORMED)
  log().error({ err: error }, 'a handler threw')
  return refusalResponse(FAILED)
}

/**
 * The listener brings its own classes of `Request` and `Response`, which it writes out much faster, but only by putting
 * them in the platform's place, where Next would meet them too. Ours are told of the class instead.
 */
function withLightResponse<T>(create: () => T): T {
  const platform = { Request: globalThis.Request, Response: globalThis.Response }
  const created = create()
  setResponseClass(globalThis.Response)
  for (const [name, value] of Object.entries(platform)) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true })
  }
  return created
}
