import 'fake-indexeddb/auto'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { learnPrices } from '@/components/chat/asking/run'
import { newRequest } from '@/lib/browser/charge'
import { queryClient } from '@/lib/browser/queries'
import { SESSION_KEY } from '@/lib/browser/session'
import { noteRequest } from '@/lib/browser/storage/answers'
import { addMessages } from '@/lib/browser/storage/chats'
import { db } from '@/lib/browser/storage/database'

const CHAT = 'charged-chat'
const signedInAs = (address: string) => queryClient().setQueryData(SESSION_KEY, { id: 's', kind: 'wallet', address })

beforeEach(async () => {
  vi.stubGlobal('window', new EventTarget())
  await Promise.all(db.tables.map((table) => table.clear()))
  await addMessages({ id: CHAT, title: 'T', modelId: 'm' }, [])
})
afterEach(() => {
  vi.unstubAllGlobals()
  queryClient().clear()
})

test('the price of a request is asked for by the account that paid, and by no other', async () => {
  const asked: string[] = []
  vi.stubGlobal('fetch', async (path: string) => {
    asked.push(path)
    return Response.json({ state: 'settled', charged: path.startsWith('/api/charges/') ? 0.000002 : 0 })
  })
  signedInAs('0xa')
  const request = newRequest('m', 'chatcmpl', 1)
  await noteRequest(CHAT, request)

  signedInAs('0xb')
  await learnPrices(CHAT)
  expect(asked).toEqual([])
  expect((await db.conversations.get(CHAT))?.unpriced).toEqual([request])

  signedInAs('0xa')
  await learnPrices(CHAT)
  expect(asked).toEqual([`/api/charges/${request.id}`])
  expect(await db.receipts.toArray()).toMatchObject([{ id: request.id, cost: 2_000n, messageId: '' }])
  expect((await db.conversations.get(CHAT))?.unpriced).toBeUndefined()
})
