import { rememberCost } from '@/lib/browser/answer-costs'
import { type Charge, learnCharge } from '@/lib/browser/charge'
import { queryClient } from '@/lib/browser/queries'
import { SESSION_KEY } from '@/lib/browser/session'
import { type AnswerKey, listUnpriced, priceRequest } from '@/lib/browser/storage/answers'
import type { Receipt, UnpricedRequest } from '@/lib/browser/storage/records'
import { isTemporary } from '@/lib/browser/storage/temporary-id'

/**
 * Learns what the answers of a chat cost whose price was never said: stopped, broken off, or left by a reload. What is
 * not learnt now is asked for when the chat is opened next.
 */
export async function learnPrices(conversationId: string): Promise<void> {
  const unpriced = await listUnpriced(conversationId)
  const learn = (message: AnswerKey, request: UnpricedRequest) =>
    learnCharge(request, (charge) => keep(message, request, charge))
  await Promise.all(unpriced.flatMap((message) => (message.unpriced ?? []).map((request) => learn(message, request))))
}

async function keep({ id, conversationId }: AnswerKey, request: UnpricedRequest, charge: Charge): Promise<void> {
  const { cost, modelId, inputTokens, outputTokens } = charge
  if (cost === 0n) return await priceRequest({ id, conversationId }, request.id)
  const receipt: Receipt = {
    id: request.id,
    conversationId,
    messageId: id,
    model: modelId ?? request.model,
    tokens: { input: inputTokens, output: outputTokens, cached: 0, reasoning: 0 },
    cost,
    durationMs: request.durationMs ?? 0,
    at: request.at,
    ...(request.ray && { requestId: request.ray }),
    ...(request.purpose && { purpose: request.purpose }),
  }
  await priceRequest({ id, conversationId }, request.id, receipt)
  if (!isTemporary(conversationId)) rememberCost(cost)
  void queryClient().invalidateQueries({ queryKey: SESSION_KEY })
}
