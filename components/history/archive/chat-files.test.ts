import 'fake-indexeddb/auto'
import { beforeEach, expect, test } from 'vitest'
import { chatsAsJson, fileName, threadAsMarkdown } from '@/components/history/archive/chat-files'
import { importFile } from '@/components/history/archive/import'
import { addMessages, loadThread } from '@/lib/browser/storage/chats'
import { db } from '@/lib/browser/storage/database'
import type { Message } from '@/lib/browser/storage/records'
import { nano } from '@/lib/contract/money'

const message = (id: string, parentId: string, role: Message['role']): Message => ({
  id,
  conversationId: 'chat',
  parentId,
  role,
  status: 'done',
  createdAt: 1,
  ...(role === 'assistant' && { modelId: 'atlas' }),
})

beforeEach(async () => {
  await Promise.all(db.tables.map((table) => table.clear()))
  await addMessages({ id: 'chat', title: 'Tides\n# x', modelId: 'atlas' }, [
    { message: message('q', '', 'user'), text: 'Why?' },
    { message: message('a', 'q', 'assistant'), text: 'The **moon**.' },
  ])
  await db.receipts.add({
    id: 'r',
    conversationId: 'chat',
    messageId: 'a',
    model: 'atlas',
    cost: nano(12n),
    durationMs: 1,
    at: 1,
    tokens: { input: 1, output: 1, cached: 0, reasoning: 0 },
  })
})

test('a chat as Markdown says who said what', async () => {
  const words = threadAsMarkdown((await loadThread('chat'))!)
  expect(words).toMatch(/^# Tides # x\n\n\d{4}-\d\d-\d\d\n\n## You\n\nWhy\?\n\n## atlas\n\nThe \*\*moon\*\*\.\n$/)
})

test('a chat as JSON is taken back as it was', async () => {
  const before = await loadThread('chat')
  const file = new File([await chatsAsJson(['chat', 'unknown'])], 'chat.json')
  await Promise.all(db.tables.map((table) => table.clear()))
  expect(await importFile(file, db)).toMatchObject({ format: 'chats', added: 1, messages: 2, refused: 0 })
  expect(await loadThread('chat')).toEqual(before)
})

test.each([
  ['a/b\\c:d', 'a b c d.md'],
  ['..', 'chat.md'],
  ['', 'chat.md'],
  ['x'.repeat(200), `${'x'.repeat(80)}.md`],
])('%j is saved as %s', (title, name) => {
  expect(fileName(title, 'md')).toBe(name)
})
