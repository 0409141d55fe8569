import { dayOf, fitToCap, isDaySpent, parseCap, promptTokens } from '@/lib/client/caps'
import type { ChatQuestion } from '@/lib/client/chat-stream'
import { formatCap, formatCost } from '@/lib/client/cost'
import { CapReached } from '@/lib/client/failure'
import { readPreference } from '@/lib/client/preferences'
import { modelsQuery, queryClient } from '@/lib/client/queries'

/**
 * A question within the caps of this browser: bounded so that its answer cannot go over the cap of a message.
 *
 * @throws CapReached when it may not be asked at all.
 */
export async function allowed(question: ChatQuestion, isDayWaived: boolean): Promise<ChatQuestion> {
  const perDay = parseCap(readPreference('capPerDay'))
  if (perDay !== undefined && !isDayWaived && isDaySpent(await spentToday(), perDay)) {
    throw new CapReached('CAP_PER_DAY', `Your cap of ${formatCap(perDay)} a day is reached.`)
  }
  const perMessage = parseCap(readPreference('capPerMessage'))
  if (perMessage === undefined) return question
  // Without a price nothing can be bounded, so the prices are waited for.
  const models = await queryClient().ensureQueryData(modelsQuery())
  const price = models.find((model) => model.id === question.model)?.price
  const fit = fitToCap(perMessage, promptTokens(question.messages), price)
  if (fit.kind === 'free') return question
  if (fit.kind === 'bounded') return { ...question, maxOutputTokens: fit.maxOutputTokens }
  throw new CapReached(
    'CAP_PER_MESSAGE',
    `With this model even a short answer may cost ${formatCost(fit.least)}, and your cap is ${formatCap(perMessage)} a message.`,
  )
}

async function spentToday() {
  const { spentOn } = await import('@/lib/client/history')
  return await spentOn(dayOf(Date.now()))
}
