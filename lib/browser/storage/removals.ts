import { databaseOf } from '@/lib/browser/storage/database'
import { withAllBelow } from '@/lib/browser/storage/forks'
import type { Message, Part } from '@/lib/browser/storage/records'

/** What was taken out of a chat, to be put back. */
export type Removed = {
  conversationId: string
  parentId: string
  shown: string | undefined
  messages: Message[]
  parts: Part[]
}

/** Takes a message and all that follows it out of a chat. What was paid for it stays in the ledger. */
export async function removeMessage(conversationId: string, messageId: string): Promise<Removed | undefined> {
  const { conversations, messages, parts } = databaseOf(conversationId)
  return await conversations.db.transaction('rw', conversations, messages, parts, async () => {
    const all = await messages.where({ conversationId }).toArray()
    const first = all.find(({ id }) => id === messageId)
    if (!first) return undefined
    const ids = withAllBelow(all, messageId)
    const gone = all.filter(({ id }) => ids.has(id))
    const words = (await parts.where({ conversationId }).toArray()).filter((part) => ids.has(part.messageId))
    await messages.bulkDelete([...ids])
    await parts.bulkDelete(words.map(({ messageId: of, i }): [string, number] => [of, i]))
    const chat = await conversations.get(conversationId)
    const shown = chat?.branches[first.parentId]
    // What was asked for them is paid for all the same: the chat goes on looking for its price.
    const unpriced = gone.flatMap((message) => message.unpriced ?? [])
    if (chat && unpriced.length > 0) {
      await conversations.put({ ...chat, unpriced: [...(chat.unpriced ?? []), ...unpriced] })
    }
    return { conversationId, parentId: first.parentId, shown, messages: gone, parts: words }
  })
}

/** Puts back what was taken out. */
export async function restoreRemoved({
  conversationId,
  parentId,
  shown,
  messages: gone,
  parts: words,
}: Removed): Promise<void> {
  const { conversations, messages, parts } = databaseOf(conversationId)
  await conversations.db.transaction('rw', conversations, messages, parts, async () => {
    await messages.bulkPut(gone)
    await parts.bulkPut(words)
    await conversations.where({ id: conversationId }).modify((conversation) => {
      if (shown) conversation.branches[parentId] = shown
    })
  })
}
