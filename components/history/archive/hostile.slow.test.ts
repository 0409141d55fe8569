import 'fake-indexeddb/auto'
import { zipSync } from 'fflate'
import { beforeEach, expect, test } from 'vitest'
import { fileName } from '@/components/history/archive/chat-files'
import { importFile } from '@/components/history/archive/import'
import { unzip } from '@/components/history/archive/sinks'
import { branchToShare } from '@/components/history/encrypted-share'
import { forkConversation, withAllBelow } from '@/lib/browser/storage/branches'
import { loadThread } from '@/lib/browser/storage/chats'
import { db } from '@/lib/browser/storage/database'
import { pathTo, shownTurns, turnsTo } from '@/lib/browser/storage/thread'

beforeEach(() => Promise.all(db.tables.map((table) => table.clear())))

const conversation = { id: 'c', title: 'T', isNamed: false, createdAt: 1, updatedAt: 1, modelId: 'm', branches: {} }
const message = (id: string, parentId: string, more: object = {}) => ({
  ...{ id, conversationId: 'c', parentId, role: 'user', status: 'done', createdAt: 1 },
  ...more,
})
const take = (messages: object[], chat: object = conversation) =>
  importFile(
    new File([JSON.stringify({ chats: [{ conversation: chat, messages, parts: [], receipts: [] }] })], 'a.json'),
    db,
  )

test('a zip is unpacked a little at a time, however much comes out', () => {
  const packed = zipSync({ 'tables/parts.jsonl': new Uint8Array(40 * 1024 * 1024) }, { level: 9 })
  let largest = 0
  const sink = {
    write({ length }: Uint8Array) {
      largest = Math.max(largest, length)
    },
    end() {},
  }
  const reader = unzip(() => sink, packed.length * 1_000)
  reader.write(packed)
  reader.end()
  expect(largest).toBeLessThan(20 * 1024 * 1024)
})

test('a ring of parents, a message that is its own parent and names of every object end', async () => {
  await take(
    [
      message('a', 'b'),
      message('b', 'a'),
      message('self', 'self'),
      message('constructor', ''),
      message('__proto__', 'constructor'),
      message('hasOwnProperty', '__proto__'),
    ],
    { ...conversation, branches: JSON.parse('{"__proto__":"a","constructor":"hasOwnProperty","":"toString"}') },
  )
  const thread = (await loadThread('c'))!
  expect(thread.messages).toHaveLength(6)
  expect(shownTurns(thread).map(({ id }) => id)).toEqual(['constructor', '__proto__', 'hasOwnProperty'])
  for (const id of ['a', 'self']) {
    expect(turnsTo(thread, id).length).toBeLessThan(3)
    expect(pathTo(thread.messages, id).length).toBeLessThan(3)
    expect(withAllBelow(thread.messages, id).size).toBeLessThan(3)
    expect(branchToShare(thread, id).messages.length).toBeLessThan(5_001)
  }
  await forkConversation('c', 'hasOwnProperty', 'everything', 'd')
  expect(shownTurns((await loadThread('d'))!)).toHaveLength(3)
  expect(Object.getPrototypeOf({})).toBe(Object.prototype)
})

test('the id of an open price becomes part of an address, so it is an id or nothing', async () => {
  const open = (id: string) => ({ status: 'stopped', unpriced: [{ id, model: 'm', at: 1 }] })
  const report = await take([message('good', '', open('chatcmpl-1')), message('bad', 'good', open('../session'))])
  expect(report.messages).toBe(1)
})

test('a title does not turn the ending of a file round', () => {
  expect(fileName('\u202egpj.exe', 'md')).toBe('gpj.exe.md')
})
