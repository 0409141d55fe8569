import { queryClient } from '@/lib/browser/queries'
import { SESSION_KEY } from '@/lib/browser/session'
import type { Session } from '@/lib/browser/session-type'
import type { UnpricedRequest } from '@/lib/browser/storage/records'
import { walletId } from '@/lib/contract/chains'
import { newId } from '@/lib/contract/ids'

/**
 * A request that is about to be sent, under the name that the ledger will know it by.
 *
 * @param prefix what the service's ids of such requests begin with.
 */
export function newRequest(model: string, prefix = 'chatcmpl', at = Date.now()): UnpricedRequest {
  const payer = payerOf(queryClient().getQueryData<Session | null>(SESSION_KEY))
  return { id: newId(prefix), model, at, ...(payer && { payer }) }
}

/** Whose account pays, by a name that stays the same as long as it does. */
export const payerOf = (session: Session | null | undefined): string | undefined =>
  session ? (session.address ? walletId(session.address) : session.id) : undefined
