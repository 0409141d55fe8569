import 'fake-indexeddb/auto'
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest'
import { addMessages } from '@/lib/browser/storage/chats'
import { db } from '@/lib/browser/storage/database'
import type { Message } from '@/lib/browser/storage/records'

const CHAT = { id: 'waiting-chat', title: 'Tides', modelId: 'small' }
const KEY = `lagoon:queue:${CHAT.id}`
const SESSION = { id: 's', kind: 'guest', expiresAt: '9999-01-01T00:00:00Z' }
const asked: unknown[] = []

/** A tab has modules of its own, and one database with the others. */
async function tab({ isSessionKnown = true } = {}) {
  vi.resetModules()
  const queue = await import('@/components/chat/asking/queue')
  const { sendWaiting } = await import('@/components/chat/asking/send')
  const { queryClient } = await import('@/lib/browser/queries')
  if (isSessionKnown) queryClient().setQueryData(['session'], SESSION)
  return { ...queue, sendWaiting, db: (await import('@/lib/browser/storage/database')).db }
}

beforeEach(async () => {
  const kept = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
    removeItem: (name: string) => void kept.delete(name),
  })
  vi.stubGlobal('requestAnimationFrame', (draw: () => void) => setTimeout(draw, 0))
  vi.stubGlobal('document', { visibilityState: 'visible' })
  vi.stubGlobal('window', { location: { pathname: '/' }, addEventListener() {}, removeEventListener() {} })
  asked.length = 0
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    if (path === '/api/session') return Response.json({ session: SESSION, service: {} })
    if (!path.endsWith('/chat/completions')) return Response.json({}, { status: 404 })
    asked.push(JSON.parse(String(init.body)))
    return Response.json({ error: { code: 'INSUFFICIENT_BALANCE', message: 'No credit.' } }, { status: 402 })
  })
  await Promise.all(db.tables.map((table) => table.clear()))
  const first: Message = {
    ...{ id: 'q', conversationId: CHAT.id, parentId: '', role: 'user', status: 'done', createdAt: 1 },
  }
  await addMessages(CHAT, [{ message: first, text: 'Why?' }])
  localStorage.setItem(KEY, JSON.stringify([{ id: 'w1', modelId: 'small', text: 'And at night?' }]))
})
afterEach(async () => {
  await vi.dynamicImportSettled()
  vi.unstubAllGlobals()
})
afterAll(() => vi.resetModules())

test('a question that waits in two tabs is sent once, whoever sends it', async () => {
  const [one, two] = [await tab(), await tab()]
  expect([one, two].map(({ waitingIn }) => waitingIn(CHAT.id).length)).toEqual([1, 1])
  await Promise.all([one.sendWaiting(CHAT.id), two.sendWaiting(CHAT.id)])
  expect(asked).toHaveLength(1)
  const messages = await db.messages.where({ conversationId: CHAT.id }).toArray()
  expect(messages.map(({ role }) => role).sort()).toEqual(['assistant', 'user', 'user'])
})

test('a question waits for the session, where the page was opened without a connection and knows none', async () => {
  const { sendWaiting, waitingIn } = await tab({ isSessionKnown: false })
  await sendWaiting(CHAT.id)
  expect(asked).toHaveLength(1)
  expect(waitingIn(CHAT.id)).toEqual([])
})

test('a question that cannot be stored waits on', async () => {
  const { sendWaiting, waitingIn, db: own } = await tab()
  own.messages.add = () => {
    throw new DOMException('full', 'QuotaExceededError')
  }
  await expect(sendWaiting(CHAT.id)).rejects.toThrow('full')
  expect(waitingIn(CHAT.id).map(({ id }) => id)).toEqual(['w1'])
  expect(asked).toEqual([])
})

test('a question that was asked without a connection is known as one after a reload', async () => {
  const { enqueue } = await tab()
  enqueue(CHAT.id, { text: 'And without a line?', attachments: [] }, 'small', true)
  const { waitingIn } = await tab()
  expect(waitingIn(CHAT.id).map(({ outgoing, isForOnline }) => [outgoing.text, isForOnline])).toEqual([
    ['And at night?', undefined],
    ['And without a line?', true],
  ])
})
