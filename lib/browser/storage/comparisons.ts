import { databaseOf } from '@/lib/browser/storage/database'

/** Ends a comparison: the answer that is kept is the branch that is shown, the others become its other versions. */
export async function keepCompared(conversationId: string, parentId: string, keptId: string): Promise<void> {
  const { conversations, messages } = databaseOf(conversationId)
  await conversations.db.transaction('rw', conversations, messages, async () => {
    await messages
      .where({ conversationId })
      .filter((message) => message.parentId === parentId && message.comparison !== undefined)
      .modify((message) => {
        delete message.comparison
      })
    await conversations.where({ id: conversationId }).modify((conversation) => {
      conversation.branches[parentId] = keptId
    })
  })
}
