import 'server-only'
import type { RequestContext } from '@/lib/kernel/request-context'
import { ownSecret, verifySession } from '@/lib/services/identity/session'
import { limitAddress } from '@/lib/services/limits/rate-limit'

/** The account of nobody: it owns nothing and has rated nothing. */
const NOBODY = '00000000-0000-0000-0000-000000000000'

/**
 * Who looks at the gallery: the account of the page's session, or nobody. What is published is there for everybody, so
 * looking opens no session; it is counted by the client's address.
 *
 * @throws ApiError RATE_LIMIT_EXCEEDED.
 */
export async function visitor(context: RequestContext): Promise<string> {
  await limitAddress(context, 'default')
  const secret = ownSecret(context)
  return (secret !== undefined && (await verifySession(secret))?.accountId) || NOBODY
}
