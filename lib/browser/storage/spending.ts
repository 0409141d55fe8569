import { dayOf } from '@/lib/browser/format/day'
import { databaseOf, openDatabases } from '@/lib/browser/storage/database'
import { type Receipt, SPENT_EVENT } from '@/lib/browser/storage/records'
import { nano, type Usd, ZERO } from '@/lib/contract/money'

export async function spentOn(day: string): Promise<Usd> {
  const days = await Promise.all(openDatabases().map((database) => database.spending.get(day)))
  return nano(days.reduce((sum, day) => sum + (day?.spent ?? 0n), 0n))
}

/**
 * Counts a payment into its day: the day's cap is for chats and calls together.
 * @param conversationId the chat it was paid in; a temporary one's spending is not stored either.
 */
export async function addSpending({ at, cost }: Pick<Receipt, 'at' | 'cost'>, conversationId = ''): Promise<void> {
  if (!cost) return
  const { spending } = databaseOf(conversationId)
  const day = dayOf(at)
  await spending.db.transaction('rw', spending, async () => {
    const spent = (await spending.get(day))?.spent ?? ZERO
    await spending.put({ day, spent: nano(spent + cost) })
  })
  if (typeof window !== 'undefined') window.dispatchEvent(new CustomEvent<Usd>(SPENT_EVENT, { detail: cost }))
}
