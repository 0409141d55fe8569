import { z } from 'zod'
import type { RequestContext } from '@/lib/kernel/request-context'
import { json } from '@/lib/pipeline/body'
import { type Reply, uncachedJson } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'
import {
  closedOperatorCookie,
  hasOperatorCookie,
  isOperator,
  MAX_OPERATOR_TOKEN_CHARS,
  openOperatorSession,
} from '@/lib/services/identity/operator'
import { assertSameOrigin, isSameOrigin } from '@/lib/services/identity/same-origin-cookie'
import { limitAddress } from '@/lib/services/limits/limits'

const OWN_PAGES = 'Only this service’s own pages can sign an operator in or out.'
const MAX_BODY_BYTES = 1_024
const body = json(z.strictObject({ token: z.string().min(1).max(MAX_OPERATOR_TOKEN_CHARS) }), {
  maxBytes: MAX_BODY_BYTES,
})

// Shows whether this browser is the operator's. A page of another origin is nobody's.
async function show(context: RequestContext): Promise<Reply> {
  await limitAddress(context, 'default')
  const isKnown = await isOperator(context)
  const isStale = !isKnown && isSameOrigin(context.headers) && hasOperatorCookie(context)
  return reply(isKnown, isStale ? closedOperatorCookie() : undefined)
}

async function open(context: RequestContext, request: Request): Promise<Reply> {
  assertSameOrigin(context, OWN_PAGES)
  const { token } = await body(context, request)
  const { cookie } = await openOperatorSession(context, token)
  return reply(true, cookie)
}

async function end(context: RequestContext): Promise<Reply> {
  assertSameOrigin(context, OWN_PAGES)
  return reply(false, closedOperatorCookie())
}

function reply(isKnown: boolean, cookie?: string): Reply {
  return uncachedJson({ isOperator: isKnown }, cookie === undefined ? {} : { headers: { 'Set-Cookie': cookie } })
}

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: show,
  POST: open,
  DELETE: end,
})
