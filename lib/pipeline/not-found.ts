import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import type { Handle } from '@/lib/pipeline/endpoint'
import { preflightHeaders } from '@/lib/pipeline/headers'

/** Any path that the API does not have: 404 as JSON. A preflight is answered all the same, so that a page can read it. */
export const notFound: Handle = (context) => {
  if (context.method === 'OPTIONS')
    return { status: 204, body: null, headers: preflightHeaders(context.headers.get('access-control-request-headers')) }
  throw new ApiError('NOT_FOUND', 'There is no such endpoint. Check the path and its spelling.')
}
