import 'server-only'
import type { Caller } from '@/lib/access/caller'
import { ownSession } from '@/lib/access/session'
import type { RequestContext } from '@/lib/core/context'

/**
 * Who looks at one of the service's own pages: the browser's session, and nothing else. A blocked account may still see its
 * own books.
 *
 * @throws ApiError AUTHENTICATION_FAILED (401) without a session, and for another origin.
 */
export async function pageCaller(context: RequestContext): Promise<Caller> {
  const { id, accountId, rateMultiplier, account } = await ownSession(context)
  const { kind, address, isPro } = account
  return { accountId, kind, address, isPro, rateMultiplier, via: { type: 'session', sessionId: id } }
}
