import { expect, test } from 'vitest'
import { branchToShare, openBundle, ownThread, sealBundle } from '@/components/history/encrypted-share'
import type { StoredThread } from '@/lib/browser/storage/chats'
import type { Message } from '@/lib/browser/storage/records'
import { shownTurns } from '@/lib/browser/storage/thread'

const message = (id: string, parentId: string, role: Message['role'], more: Partial<Message> = {}): Message => ({
  id,
  conversationId: 'c',
  parentId,
  role,
  status: 'done',
  createdAt: 5,
  ...more,
})
const THREAD: StoredThread = {
  conversation: {
    id: 'c',
    title: 'Tides',
    isNamed: false,
    createdAt: 1,
    updatedAt: 2,
    modelId: 'atlas',
    branches: { q: 'a1' },
    settings: { systemPrompt: 'private prompt' },
    tags: ['private tag'],
  },
  messages: [
    message('q', '', 'user', {
      attachments: [{ id: 'f', kind: 'image', name: 'sea.png', mediaType: 'image/png', size: 3, hash: 'a'.repeat(64) }],
    }),
    message('a1', 'q', 'assistant', { modelId: 'atlas', settings: { systemPrompt: 'private prompt' } }),
    message('a2', 'q', 'assistant'),
  ],
  parts: [
    { messageId: 'q', conversationId: 'c', i: 0, type: 'text', payload: 'Why?' },
    { messageId: 'a1', conversationId: 'c', i: 0, type: 'reasoning', payload: 'private thought' },
    { messageId: 'a1', conversationId: 'c', i: 1, type: 'text', payload: 'The moon.' },
    { messageId: 'a2', conversationId: 'c', i: 1, type: 'text', payload: 'other version' },
  ],
  receipts: [],
}

test('only the branch is shared: no settings, thoughts, tags or other versions', () => {
  const shared = branchToShare(THREAD)
  expect(shownTurns(shared).map(({ text }) => text)).toEqual(['Why?', 'The moon.'])
  expect(JSON.stringify(shared)).not.toMatch(/private|other version/)
  expect(shownTurns(branchToShare(THREAD, 'a2')).map(({ text }) => text)).toEqual(['Why?', 'other version'])
  expect(shownTurns(branchToShare(THREAD, 'q')).map(({ text }) => text)).toEqual(['Why?'])
})

test('what is sent says nothing; with the key it is the chat again', async () => {
  const files = new Map([['a'.repeat(64), new Blob(['sea'], { type: 'image/png' })]])
  const { bytes, key } = await sealBundle({ thread: branchToShare(THREAD), files })
  expect(new TextDecoder('latin1').decode(bytes)).not.toMatch(/moon|Tides|sea/)
  expect(key).toMatch(/^[\w-]{43}$/)
  const opened = await openBundle(bytes, key)
  expect(opened.thread.messages[0]?.attachments?.[0]?.name).toBe('sea.png')
  expect(shownTurns(opened.thread).map(({ text }) => text)).toEqual(['Why?', 'The moon.'])
  expect(await opened.files.get('a'.repeat(64))?.text()).toBe('sea')
  const own = ownThread(opened, 'f'.repeat(32), 9)
  expect(own.conversation).toMatchObject({ id: `share-${'f'.repeat(32)}`, updatedAt: 9 })
  expect(shownTurns(own)).toHaveLength(2)
  expect(own.messages.every(({ id }) => /^[\w-]{1,64}$/.test(id))).toBe(true)
})

test('another key, half a key and changed bytes open nothing', async () => {
  const { bytes, key } = await sealBundle({ thread: branchToShare(THREAD), files: new Map() })
  const other = await sealBundle({ thread: branchToShare(THREAD), files: new Map() })
  await expect(openBundle(bytes, other.key)).rejects.toThrow('key in the link is wrong')
  await expect(openBundle(bytes, key.slice(0, 20))).rejects.toThrow('link is incomplete')
  await expect(openBundle(bytes, '')).rejects.toThrow('link is incomplete')
  const changed = bytes.slice()
  changed[20] = (changed[20] ?? 0) ^ 1
  await expect(openBundle(changed, key)).rejects.toThrow('key in the link is wrong')
})

test('what a stranger put beside the words is not taken: settings, failures and open prices would be acted upon', async () => {
  const shared = branchToShare(THREAD)
  const [question, answer] = shared.messages as [Message, Message]
  const hostile = {
    ...answer,
    settings: { sources: { web: 'on' as const } },
    failure: { code: 'PAYMENT_REQUIRED' as const, message: 'Pay here.', at: 1 },
    unpriced: [{ id: '../wallet', model: 'atlas', at: 1 }],
    comparison: 'x',
  }
  const { bytes, key } = await sealBundle({
    thread: { ...shared, messages: [question, hostile] },
    files: new Map(),
  })
  const { thread } = await openBundle(bytes, key)
  expect(thread.messages).toHaveLength(1)
  const { unpriced: _, ...plain } = hostile
  const retry = await sealBundle({ thread: { ...shared, messages: [question, plain] }, files: new Map() })
  const taken = (await openBundle(retry.bytes, retry.key)).thread.messages[1]
  expect(Object.keys(taken ?? {}).sort()).toEqual([
    'conversationId',
    'createdAt',
    'id',
    'modelId',
    'parentId',
    'role',
    'status',
  ])
})
