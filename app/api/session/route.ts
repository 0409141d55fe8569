import { isSameOrigin } from '@/lib/access/same-origin'
import {
  clearedCookie,
  closeSession,
  extendSession,
  openGuestSession,
  type Session,
  sessionSecret,
  verifySession,
} from '@/lib/access/session'
import { endpoint } from '@/lib/api/endpoint'
import { jsonReply, type Reply } from '@/lib/api/reply'
import { route } from '@/lib/api/route'
import { balancesOf } from '@/lib/billing/ledger'
import { config } from '@/lib/core/config'
import type { RequestContext } from '@/lib/core/context'
import { ApiError } from '@/lib/core/errors'
import { nano, usdNumber } from '@/lib/core/money'

/** The session of this browser, or `null`. A page of another origin sees none. */
async function show(context: RequestContext): Promise<Reply> {
  if (!isSameOrigin(context.headers)) return reply(null)
  return (
    (await known(context)) ?? reply(null, sessionSecret(context.headers) === undefined ? undefined : clearedCookie())
  )
}

/** The session of this browser, or a new one for a guest. */
async function open(context: RequestContext): Promise<Reply> {
  assertSameOrigin(context)
  const shown = await known(context)
  if (shown) return shown
  const { session, cookie } = await openGuestSession(context.clientAddress)
  return describe(context, session, cookie)
}

/** Ends the session of this browser. */
async function end(context: RequestContext): Promise<Reply> {
  assertSameOrigin(context)
  const secret = sessionSecret(context.headers)
  if (secret !== undefined) await closeSession(secret)
  return reply(null, clearedCookie())
}

async function known(context: RequestContext): Promise<Reply | undefined> {
  const secret = sessionSecret(context.headers)
  const session = secret === undefined ? undefined : await verifySession(secret)
  if (secret === undefined || !session) return undefined
  const extended = await extendSession(session, secret)
  return describe(context, extended?.session ?? session, extended?.cookie)
}

async function describe(context: RequestContext, session: Session, cookie?: string): Promise<Reply> {
  context.facts.accountId = session.accountId
  const { USD, BUNDLED_CREDITS, DIEM } = await balancesOf(session.accountId)
  const shown = {
    kind: session.kind,
    balanceUsd: usdNumber(nano(USD + BUNDLED_CREDITS)),
    balanceDiem: usdNumber(DIEM),
    expiresAt: session.expiresAt.toISOString(),
    sandbox: config().isSandbox,
  }
  return reply(shown, cookie)
}

function reply(session: object | null, cookie?: string): Reply {
  const headers: Record<string, string> = { 'Cache-Control': 'no-store' }
  if (cookie !== undefined) headers['Set-Cookie'] = cookie
  return jsonReply({ session }, { headers })
}

function assertSameOrigin(context: RequestContext): void {
  if (isSameOrigin(context.headers)) return
  throw new ApiError(
    'UNAUTHORIZED',
    'A browser session can be opened and ended only by this service’s own pages. Use an API key.',
  )
}

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: endpoint(show),
  POST: endpoint(open),
  DELETE: endpoint(end),
})
