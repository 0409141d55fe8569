import { dayOf } from '@/lib/browser/format/day'
import { SPENT_EVENT } from '@/lib/browser/spending-cap'
import { databaseOf, openDatabases } from '@/lib/browser/storage/database'
import type { Receipt } from '@/lib/browser/storage/records'
import { nano, type Usd, ZERO } from '@/lib/contract/money'

/** What was paid for answers on a day of this device's clock, temporary chats included while this page is open. */
export async function spentOn(day: string): Promise<Usd> {
  const days = await Promise.all(openDatabases().map((database) => database.spending.get(day)))
  return nano(days.reduce((sum, kept) => sum + (kept?.spent ?? 0n), 0n))
}

/**
 * Counts what was paid into its day: the cap of a day is for chats and calls together.
 *
 * @param conversationId the chat it was paid in; a temporary one's spending is not written down either.
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
