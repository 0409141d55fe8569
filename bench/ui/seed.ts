import type { Page } from 'playwright'

const CHAT_ID = '00000000-0000-4000-8000-0000000005ee'

/**
 * Writes a chat of `turns` short turns into the browser's database, each second one with a block of code. The page must
 * have opened its database before.
 *
 * @returns the chat's id
 */
export async function seedChat(page: Page, turns: number): Promise<string> {
  await page.evaluate(
    async ({ id, count }) => {
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
        title: 'A long chat',
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
          id: `turn-${n}`,
          conversationId: id,
          parentId: n === 0 ? '' : `turn-${n - 1}`,
          role: isAnswer ? 'assistant' : 'user',
          status: 'done',
          createdAt: startedAt + n * 1000,
          ...(isAnswer && { modelId: 'mock' }),
        })
        writing
          .objectStore('parts')
          .put({ messageId: `turn-${n}`, conversationId: id, i: isAnswer ? 1 : 0, type: 'text', payload: text })
      }
      await new Promise((resolve, reject) => {
        writing.oncomplete = resolve
        writing.onerror = () => reject(writing.error)
      })
      database.close()
    },
    { id: CHAT_ID, count: turns },
  )
  return CHAT_ID
}
