import { fetchJson, isRecord } from '@/lib/client/api'
import { moneyOf } from '@/lib/client/cost'
import { payerOf } from '@/lib/client/new-request'
import { queryClient, sessionQuery } from '@/lib/client/queries'
import { refreshMoney } from '@/lib/client/refresh-money'
import type { Creation } from '@/lib/client/studio/creation'
import { priceCreation } from '@/lib/client/studio/store'
import type { Usd } from '@/lib/core/money'

/** A price is settled before the answer is sent; of work that was left, a moment after. */
const ASK_AFTER_MS = [0, 300, 900, 2_000, 5_000, 12_000, 30_000, 60_000, 60_000]
/** Within this time after it was sent, a request that the service does not know may still be on its way. */
const ARRIVES_WITHIN_MS = 10_000

type Open = Pick<Creation, 'id' | 'request' | 'state'>

/**
 * Learns what the request of a creation cost, from the ledger (docs/adr/0018). What is not learnt now is asked for when
 * the studio is opened next.
 */
export async function learnCost({ id, request, state }: Open): Promise<void> {
  if (!request) return
  // One tab asks; the price is kept once, whoever learns it.
  await navigator.locks.request(`price:${request.id}`, { ifAvailable: true }, async (lock) => {
    // The service tells an account of its own requests only, and of any other that it cost nothing.
    if (!lock || !(await isPayer(request.payer))) return
    for (const wait of ASK_AFTER_MS) {
      await new Promise((resolve) => setTimeout(resolve, wait))
      const found = await askFor(request.id)
      if (found === 'unreachable') return
      if (found === 'open') continue
      const isCertain = found > 0n || state === 'done' || Date.now() - request.at > ARRIVES_WITHIN_MS
      if (!isCertain) continue
      await priceCreation(id, found, request.at)
      refreshMoney()
      return
    }
  })
}

async function isPayer(payer: string | undefined): Promise<boolean> {
  if (payer === undefined) return true
  const session = await queryClient()
    .ensureQueryData(sessionQuery())
    .catch(() => undefined)
  return payerOf(session) === payer
}

async function askFor(requestId: string): Promise<Usd | 'open' | 'unreachable'> {
  try {
    const reply = await fetchJson<unknown>(`/api/charges/${encodeURIComponent(requestId)}`)
    if (!isRecord(reply) || reply.state !== 'settled' || typeof reply.charged !== 'number') return 'open'
    return moneyOf(reply.charged)
  } catch {
    return 'unreachable'
  }
}
