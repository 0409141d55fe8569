import { databaseOf } from '@/lib/browser/storage/database'

/** Branches deeper than this are not followed: no chat is. */
const MAX_DEPTH = 100_000

/** Shows the branch that a message is on. False when the chat does not have it. */
export function revealMessage(conversationId: string, messageId: string): Promise<boolean> {
  const { conversations, messages } = databaseOf(conversationId)
  return conversations.db.transaction('rw', conversations, messages, async () => {
    const [chat, all] = await Promise.all([
      conversations.get(conversationId),
      messages.where({ conversationId }).toArray(),
    ])
    const known = new Map(all.map((message) => [message.id, message]))
    if (!chat || !known.has(messageId)) return false
    const branches = { ...chat.branches }
    let at = known.get(messageId)
    for (let depth = 0; at && depth < MAX_DEPTH; depth += 1) {
      branches[at.parentId] = at.id
      at = known.get(at.parentId)
    }
    await conversations.update(conversationId, { branches })
    return true
  })
}
