import { errorOf } from '@/lib/browser/api'
import { databaseOf, db } from '@/lib/browser/storage/database'
import type { StoredShare } from '@/lib/browser/storage/records'
import { SHARE_SECRET_HEADER } from '@/lib/contract/headers'

export const SHARES_PATH = '/api/shares'
export const SHARES_TIMEOUT_MS = 60_000

export async function listShares(now = Date.now()): Promise<StoredShare[]> {
  const all = await db.shares.toArray()
  return all.filter(({ expiresAt }) => expiresAt > now).toSorted((a, b) => b.createdAt - a.createdAt)
}

/** Revokes a link. @throws ApiError; TypeError when the service cannot be reached. */
export async function stopSharing({ id, secret, conversationId }: StoredShare): Promise<void> {
  const response = await fetch(`${SHARES_PATH}/${id}`, {
    method: 'DELETE',
    headers: { [SHARE_SECRET_HEADER]: secret },
    signal: AbortSignal.timeout(SHARES_TIMEOUT_MS),
  })
  // What is not there any more is not shared either.
  if (!response.ok && response.status !== 404) throw await errorOf(response)
  await databaseOf(conversationId).shares.delete(id)
}

export async function stopSharingAll(): Promise<void> {
  await Promise.allSettled((await listShares()).map(stopSharing))
}
