import { db } from '@/lib/browser/storage/database'

/** Notes that an answer ended while its chat was not looked at, or that it was looked at since. */
export async function setUnread(id: string, isUnread: boolean): Promise<void> {
  await db.conversations.where({ id }).modify((chat) => {
    if (isUnread) chat.isUnread = true
    else delete chat.isUnread
  })
}
