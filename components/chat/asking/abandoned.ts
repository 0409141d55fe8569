import { learnPrices } from '@/components/chat/asking/charges'
import { lockOf } from '@/components/chat/asking/start-run'
import { type AnswerKey, interruptAnswer } from '@/lib/browser/storage/answers'

/**
 * Ends an answer that nobody writes any more: its tab was closed or reloaded. The writer of an answer holds its lock
 * from before the answer is stored until it is finished, so a free lock means that it broke off.
 */
export async function settleAbandoned(key: AnswerKey): Promise<void> {
  const isSettled = await navigator.locks.request(lockOf(key.id), { ifAvailable: true }, async (lock) => {
    if (!lock) return false
    return await interruptAnswer(key)
  })
  if (isSettled) await learnPrices(key.conversationId)
}
