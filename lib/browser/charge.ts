import { fetchJson } from '@/lib/browser/api'
import { moneyOf } from '@/lib/browser/format/cost'
import { queryClient, sessionQuery } from '@/lib/browser/queries'
import { SESSION_KEY } from '@/lib/browser/session'
import type { UnpricedRequest } from '@/lib/browser/storage/records'
import type { ChargeReply } from '@/lib/contract/billing'
import { walletId } from '@/lib/contract/chains'
import { newId } from '@/lib/contract/ids'
import type { Usd } from '@/lib/contract/money'
import type { Session } from '@/lib/contract/session'

export type Charge = { cost: Usd; modelId?: string; inputTokens: number; outputTokens: number }

export type LearnOptions = {
  /** The service has answered the request, with a result or an error of its own, so it is not on its way any more. */
  isAnswered?: boolean
}

/** A price is settled before the answer is sent; of aborted work, a moment after, or later if the database is busy. */
const ASK_AFTER_MS = [0, 300, 900, 2_000, 7_000, 12_000, 30_000, 60_000, 60_000]
const ARRIVES_WITHIN_MS = 10_000

/**
 * Learns a request's cost from the ledger (docs/adr/0018); what is not learnt now is asked for later.
 * @param keep called once, in whichever tab asks, with what is certain; a charge of nothing included.
 * @throws whatever `keep` throws.
 */
export async function learnCharge(
  request: UnpricedRequest,
  keep: (charge: Charge) => Promise<void>,
  { isAnswered = false }: LearnOptions = {},
): Promise<void> {
  await navigator.locks.request(`price:${request.id}`, { ifAvailable: true }, async (lock) => {
    // The service tells an account of its own requests only, and of any other that it cost nothing.
    if (!lock || !(await isPayer(request))) return
    for (const wait of ASK_AFTER_MS) {
      await new Promise((resolve) => setTimeout(resolve, wait))
      const found = await askFor(request.id)
      if (found === 'unreachable') return
      if (found === 'open') continue
      const isCertain = found.cost > 0n || isAnswered || Date.now() - request.at > ARRIVES_WITHIN_MS
      if (isCertain) return await keep(found)
    }
  })
}

async function isPayer({ payer }: UnpricedRequest): Promise<boolean> {
  if (payer === undefined) return true
  const session = await queryClient()
    .ensureQueryData(sessionQuery())
    .catch(() => undefined)
  return payerOf(session) === payer
}

async function askFor(requestId: string): Promise<Charge | 'open' | 'unreachable'> {
  try {
    const reply = await fetchJson<ChargeReply>(`/api/charges/${encodeURIComponent(requestId)}`)
    if (reply.state !== 'settled') return 'open'
    return {
      cost: moneyOf(reply.charged),
      inputTokens: reply.inputTokens ?? 0,
      outputTokens: reply.outputTokens ?? 0,
      ...(reply.modelId !== undefined && { modelId: reply.modelId }),
    }
  } catch {
    return 'unreachable'
  }
}

/**
 * Names a request that is about to be sent, as the ledger will know it.
 * @param prefix of the service's ids of such requests.
 */
export function newRequest(model: string, prefix = 'chatcmpl', at = Date.now()): UnpricedRequest {
  const payer = payerOf(queryClient().getQueryData<Session | null>(SESSION_KEY))
  return { id: newId(prefix), model, at, ...(payer && { payer }) }
}

export const payerOf = (session: Session | null | undefined): string | undefined =>
  session ? (session.address ? walletId(session.address) : session.id) : undefined
