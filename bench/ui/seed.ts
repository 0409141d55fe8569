import type { Page } from 'playwright'

/**
 * Writes a chat of `turns` short turns into the browser's database, each second one with a block of code. The page must
 * have opened its database before.
 *
 * @param at which of several it is.
 * @returns the chat's id
 */
export async function seedChat(page: Page, turns: number, at = 0): Promise<string> {
  const chatId = `00000000-0000-4000-8000-0000000005${at.toString(16).padStart(2, '0')}`
  await page.evaluate(
    async ({ id, at, count }) => {
      const open = indexedDB.open('lagoon')
      await new Promise((resolve, reject) => {
        open.onsuccess = resolve
        open.onerror = () => reject(open.error)
      })
      const database = open.result
      const writing = database.transaction(['conversations', 'messages', 'parts'], 'readwrite')
      const startedAt = Date.now() - count * 1000
      writing.objectStore('conversations').put({
        id,
        title: `Long chat ${at}`,
        isNamed: true,
        createdAt: startedAt,
        updatedAt: Date.now(),
        modelId: 'mock',
        branches: {},
      })
      for (let n = 0; n < count; n++) {
        const isAnswer = n % 2 === 1
        const text = isAnswer
          ? `Answer ${n}: twice a day, about every **12.4 hours**.\n\n\`\`\`ts\nconst next = last + ${n} * 12.4\nreturn next\n\`\`\``
          : `Question ${n}: when is the next high tide?`
        writing.objectStore('messages').put({
          id: `turn-${at}-${n}`,
          conversationId: id,
          parentId: n === 0 ? '' : `turn-${at}-${n - 1}`,
          role: isAnswer ? 'assistant' : 'user',
          status: 'done',
          createdAt: startedAt + n * 1000,
          ...(isAnswer && { modelId: 'mock' }),
        })
        writing
          .objectStore('parts')
          .put({ messageId: `turn-${at}-${n}`, conversationId: id, i: isAnswer ? 1 : 0, type: 'text', payload: text })
      }
      await new Promise((resolve, reject) => {
        writing.oncomplete = resolve
        writing.onerror = () => reject(writing.error)
      })
      database.close()
    },
    { id: chatId, at, count: turns },
  )
  return chatId
}
