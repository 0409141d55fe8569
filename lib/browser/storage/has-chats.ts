import { db } from '@/lib/browser/storage/database'

/** Tells whether any chat is kept here, a deleted one that can be restored too. Apart from the rest, which this needs none of. */
export async function hasChats(): Promise<boolean> {
  return (await db.conversations.count()) > 0
}
