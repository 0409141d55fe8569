import { rememberCost } from '@/lib/client/answer-costs'
import { fetchJson, isRecord } from '@/lib/client/api'
import { moneyOf } from '@/lib/client/cost'
import { type AnswerKey, listUnpriced, priceRequest } from '@/lib/client/history/answers'
import type { Receipt, UnpricedRequest } from '@/lib/client/history/records'
import { payerOf } from '@/lib/client/new-request'
import { queryClient, sessionQuery } from '@/lib/client/queries'
import { SESSION_KEY } from '@/lib/client/session'
import { isTemporary } from '@/lib/client/temporary-id'
import { nano } from '@/lib/core/money'

/** What an answer that was left costs is settled a moment after it was left; a database that is busy takes longer. */
const ASK_AFTER_MS = [300, 900, 2_000, 5_000, 12_000, 30_000]
/** Within this time after it was sent, a request that the service does not know may still be on its way. */
const ARRIVES_WITHIN_MS = 10_000

/**
 * Learns what the answers of a chat cost whose price was never said: stopped, broken off, or left by a reload. What is
 * not learnt now is asked for when the chat is opened next.
 */
export async function learnPrices(conversationId: string): Promise<void> {
  const unpriced = await listUnpriced(conversationId)
  await Promise.all(unpriced.flatMap((message) => (message.unpriced ?? []).map((request) => learn(message, request))))
}

async function learn(message: AnswerKey, request: UnpricedRequest): Promise<void> {
  // One tab asks; the price is kept once, whoever learns it.
  await navigator.locks.request(`price:${request.id}`, { ifAvailable: true }, async (lock) => {
    // The service tells an account of its own requests only, and of any other that it cost nothing.
    if (!lock || !(await isPayer(request))) return
    for (const wait of ASK_AFTER_MS) {
      await new Promise((resolve) => setTimeout(resolve, wait))
      const found = await askFor(request.id)
      if (found === 'unreachable') return
      if (found === 'open') continue
      const isCertain = found.charged > 0 || Date.now() - request.at > ARRIVES_WITHIN_MS
      if (!isCertain) continue
      await keep(message, request, found)
      return
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

type Found = { charged: number; modelId?: string; inputTokens: number; outputTokens: number }

async function askFor(requestId: string): Promise<Found | 'open' | 'unreachable'> {
  try {
    const reply = await fetchJson<unknown>(`/api/charges/${encodeURIComponent(requestId)}`)
    if (!isRecord(reply) || reply.state !== 'settled' || typeof reply.charged !== 'number') return 'open'
    return {
      charged: reply.charged,
      inputTokens: Number(reply.inputTokens ?? 0),
      outputTokens: Number(reply.outputTokens ?? 0),
      ...(typeof reply.modelId === 'string' && { modelId: reply.modelId }),
    }
  } catch {
    return 'unreachable'
  }
}

async function keep({ id, conversationId }: AnswerKey, request: UnpricedRequest, found: Found): Promise<void> {
  if (found.charged === 0) return await priceRequest({ id, conversationId }, request.id)
  const cost = nano(moneyOf(found.charged))
  const receipt: Receipt = {
    id: request.id,
    conversationId,
    messageId: id,
    model: found.modelId ?? request.model,
    tokens: { input: found.inputTokens, output: found.outputTokens, cached: 0, reasoning: 0 },
    cost,
    durationMs: request.durationMs ?? 0,
    at: request.at,
    ...(request.ray && { requestId: request.ray }),
  }
  await priceRequest({ id, conversationId }, request.id, receipt)
  if (!isTemporary(conversationId)) rememberCost(cost)
  void queryClient().invalidateQueries({ queryKey: SESSION_KEY })
}
