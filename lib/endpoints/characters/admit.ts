import 'server-only'
import type { Caller, RequestContext } from '@/lib/kernel/request-context'
import { assertActive, callerOfSession } from '@/lib/pipeline/admit'
import { verifySession } from '@/lib/services/identity/credentials'
import { ownSecret, ownSession } from '@/lib/services/identity/session'
import { limitAddress, limitRoute } from '@/lib/services/limits/limits'

/**
 * Admits who creates, changes and rates characters: a page with its session, guests too. @throws ApiError
 * AUTHENTICATION_FAILED without one, API_ACCESS_DISABLED for a blocked account, RATE_LIMIT_EXCEEDED.
 */
export async function admitMaker(context: RequestContext): Promise<Caller> {
  const session = await ownSession(context)
  assertActive(session.account.status)
  const caller = callerOfSession(session)
  await limitRoute(context, caller, 'default')
  return caller
}

// An account that owns nothing and has rated nothing.
const NO_ACCOUNT = '00000000-0000-0000-0000-000000000000'

/**
 * Returns the account of the page's session, or one that owns nothing: looking at the gallery opens no session, and is
 * counted by the client's address. @throws ApiError RATE_LIMIT_EXCEEDED.
 */
export async function visitor(context: RequestContext): Promise<string> {
  await limitAddress(context, 'default')
  const secret = ownSecret(context)
  return (secret !== undefined && (await verifySession(secret))?.accountId) || NO_ACCOUNT
}
