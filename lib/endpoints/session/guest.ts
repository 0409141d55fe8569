import 'server-only'
import { config } from '@/lib/kernel/config'
import { createGuest, type OpenedSession, openSession } from '@/lib/services/identity/session'
import { credit } from '@/lib/services/ledger/ledger'

/**
 * Opens a guest account of the sandbox with the welcome credit, and a session for it.
 *
 * @throws ApiError UNAUTHORIZED where there are no guests, RATE_LIMIT_EXCEEDED after too many new ones.
 */
export async function openGuestSession(
  clientAddress: string,
  nowMs = Date.now(),
  browser = '',
): Promise<OpenedSession> {
  const accountId = await createGuest(clientAddress, nowMs)
  await credit({
    accountId,
    currency: 'USD',
    amount: config().welcomeCredit,
    kind: 'grant',
    idempotencyKey: `welcome:${accountId}`,
    reason: 'Welcome credit',
  })
  const account = { kind: 'guest', status: 'active', isPro: false } as const
  return openSession({ accountId, kind: 'guest', rateMultiplier: 1, account }, browser, nowMs)
}
