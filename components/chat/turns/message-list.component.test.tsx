import { screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { answered, closeChatPage, openChatPage } from '@/components/testing/chat-page'
import { db } from '@/lib/browser/storage/database'

afterEach(closeChatPage)

test('a record that cannot be shown costs its own turn, not the page', async () => {
  // React reports what an error boundary caught.
  const reported = vi.spyOn(console, 'error').mockReturnValue()
  const page = await openChatPage()
  await page.ask('Begin')
  await answered()
  const [conversationId] = await db.conversations.toCollection().primaryKeys()
  const last = await db.messages
    .where({ conversationId })
    .filter(({ role }) => role === 'assistant')
    .first()
  let parentId = last?.id ?? ''
  const turns = [
    { role: 'user', text: 'Broken one?' },
    { role: 'assistant', text: 'Lost.', citations: 'none' },
    { role: 'user', text: 'And after it?' },
    { role: 'assistant', text: 'Here.' },
  ]
  for (const [at, { text, ...turn }] of turns.entries()) {
    const id = `kept-${at}`
    const createdAt = (last?.createdAt ?? 0) + 1 + at
    await db.table('messages').put({ id, conversationId, parentId, status: 'done', createdAt, ...turn })
    await db.table('parts').put({ messageId: id, conversationId, i: 0, type: 'text', payload: text })
    parentId = id
  }
  await page.reload()
  expect(await screen.findByText('This message can’t be shown.')).toBeTruthy()
  expect(await screen.findByText('Here.')).toBeTruthy()
  expect(screen.queryByText('Lost.')).toBeNull()
  expect(reported).toHaveBeenCalled()
})
