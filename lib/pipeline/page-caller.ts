import 'server-only'
import type { Caller } from '@/lib/kernel/caller'
import type { RequestContext } from '@/lib/kernel/request-context'
import { callerOfSession } from '@/lib/pipeline/admit-wallet'
import { ownSession } from '@/lib/services/identity/session'

/**
 * Who looks at one of the service's own pages: the browser's session, and nothing else. A blocked account may still see its
 * own books.
 *
 * @throws ApiError AUTHENTICATION_FAILED (401) without a session, and for another origin.
 */
export async function pageCaller(context: RequestContext): Promise<Caller> {
  return callerOfSession(await ownSession(context))
}
