import { IDBFactory, IDBKeyRange as MemoryRange } from 'fake-indexeddb'
import fc from 'fast-check'
import { HistoryDatabase } from '@/lib/browser/storage/database'
import type { Conversation, Message } from '@/lib/browser/storage/records'
import { keysOf, newDataKey, type VaultKeys } from '@/lib/browser/vault/encryption'
import { VaultGate } from '@/lib/browser/vault/gate'
import type { OnProgress } from '@/lib/browser/vault/move-records'
import { VaultSession, VaultStore } from '@/lib/browser/vault/session'
import { nano } from '@/lib/contract/money'

export const quiet: OnProgress = () => undefined
let count = 0
export const open = new Set<VaultSession>()

export function closeTabs(): void {
  for (const session of open) session.close()
  open.clear()
}

export const freshName = () => `vault-${++count}`
export const freshKeys = () => keysOf(newDataKey())

async function openTab(name: string, keys: VaultKeys) {
  const store = new VaultStore(name)
  const state = await store.state.get('state')
  if (!state) await store.state.put({ id: 'state', stage: 'on', wraps: [], wrongTries: 0, triedAt: 0 })
  const gate = new VaultGate()
  const db = gate.guard(new HistoryDatabase(`${name}-memory-${++count}`, gate.options))
  const memory = { indexedDB: new IDBFactory(), IDBKeyRange: MemoryRange }
  const session = new VaultSession(store, keys, db, memory, {})
  open.add(session)
  return { store, db, session, ready: session.open(gate, memory) }
}

export async function openedTab(name: string, keys: VaultKeys) {
  const tab = await openTab(name, keys)
  await tab.ready
  return tab
}

export const chat = (id: string, more: Partial<Conversation> = {}): Conversation => ({
  id,
  title: id,
  isNamed: false,
  createdAt: 1,
  updatedAt: 1,
  modelId: 'm',
  branches: {},
  ...more,
})

export const message = (id: string, conversationId: string): Message => ({
  id,
  conversationId,
  parentId: '',
  role: 'user',
  status: 'done',
  createdAt: 1,
})

export async function everything(db: HistoryDatabase): Promise<Record<string, unknown[]>> {
  const tables = await Promise.all(
    db.tables.map(async (table) => [table.name, (await table.toArray()).map(comparable)] as const),
  )
  return Object.fromEntries(tables.filter(([, records]) => records.length > 0))
}

const comparable = (record: unknown) =>
  JSON.parse(JSON.stringify(record, (_, v) => (typeof v === 'bigint' ? `${v}n` : v)))

const word = fc.stringMatching(/^[a-zäß]{6,12}$/)
export const corpus = fc.record({ title: word, words: fc.array(word, { minLength: 1, maxLength: 12 }), file: word })

export async function addCorpus(
  db: HistoryDatabase,
  at: number,
  { title, words, file }: { title: string; words: string[]; file: string },
) {
  const id = `secretid${at}`
  await db.transaction('rw', db.conversations, db.messages, db.parts, async () => {
    await db.conversations.add(chat(id, { title, tags: [words[0] ?? ''] }))
    await db.messages.add(message(`${id}-m`, id))
    await db.parts.add({ messageId: `${id}-m`, conversationId: id, i: 0, type: 'text', payload: words.join(' ') })
  })
  await db.spending.put({ day: `day-${at}`, spent: nano(123_456_789_012_345_678n) })
  const data = new Blob([file], { type: 'text/plain' })
  await db.blobs.put({ hash: `secrethash${at}`, size: data.size, data })
}
