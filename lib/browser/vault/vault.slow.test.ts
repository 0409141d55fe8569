import 'fake-indexeddb/auto'
import { liveQuery } from 'dexie'
import { IDBFactory, IDBKeyRange as MemoryRange } from 'fake-indexeddb'
import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import { HistoryDatabase } from '@/lib/browser/storage/database'
import type { Conversation, Message } from '@/lib/browser/storage/records'
import { newDataKey, unwrapByPassphrase, wrapByPassphrase } from '@/lib/browser/vault/encryption'
import { VaultGate } from '@/lib/browser/vault/gate'
import { recordBytes, recordOf } from '@/lib/browser/vault/record-bytes'
import { VaultSession, VaultStore } from '@/lib/browser/vault/session'
import {
  addCorpus,
  chat,
  closeTabs,
  corpus,
  everything,
  freshKeys,
  freshName,
  message,
  open,
  openedTab,
} from '@/lib/browser/vault/testing-tabs'
import { waitAfter } from '@/lib/browser/vault/vault'
import { eventually } from '@/lib/kernel/testing/time'

afterEach(closeTabs)

async function rawText(name: string): Promise<string> {
  const native = await new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(name)
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
  let text = ''
  const take = (value: unknown): void => {
    if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) {
      text += `\n${Buffer.from(value instanceof ArrayBuffer ? value : value.buffer).toString('utf8')}`
    } else if (value !== null && typeof value === 'object')
      for (const [key, item] of Object.entries(value)) {
        take(key)
        take(item)
      }
    else text += `\n${String(value)}`
  }
  for (const store of native.objectStoreNames) {
    const all = native.transaction(store).objectStore(store)
    for (const request of [all.getAll(), all.getAllKeys()]) {
      take(await new Promise((resolve) => (request.onsuccess = () => resolve(request.result))))
    }
  }
  native.close()
  return text
}

test('a record comes back as it was: whole numbers, files, and fields that look like marks', async () => {
  const record = {
    n: 12n,
    list: [1, 'a', null],
    $: 'whole',
    deep: { $: { value: 2n } },
    file: new Blob(['ab'], { type: 'x/y' }),
  }
  const back = recordOf(await recordBytes(record)) as typeof record
  expect({ ...back, file: '' }).toEqual({ ...record, file: '' })
  expect(back.file.type).toBe('x/y')
  expect(await back.file.text()).toBe('ab')
})

test('no word, id or hash of any chat is in what the vault keeps', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(corpus, { minLength: 1, maxLength: 6 }), async (chats) => {
      const name = freshName()
      const keys = await freshKeys()
      const { db } = await openedTab(name, keys)
      for (const [at, one] of chats.entries()) await addCorpus(db, at, one)
      const raw = await rawText(name)
      expect(raw.length).toBeGreaterThan(500)
      for (const { title, words, file } of chats) {
        for (const secret of [title, file, ...words, 'secretid', 'secrethash', 'conversations']) {
          expect(raw).not.toContain(secret)
        }
      }
      const retry = await openedTab(name, keys)
      expect(await everything(retry.db)).toEqual(await everything(db))
      expect(await (await retry.db.blobs.get('secrethash0'))?.data.text()).toBe(chats[0]?.file)
    }),
    { numRuns: 12, seed: 6 },
  )
})

test('what is asked before the vault is open waits, and is kept like all else', async () => {
  const name = freshName()
  const keys = await freshKeys()
  const gate = new VaultGate()
  const db = gate.guard(new HistoryDatabase(`${name}-memory`, gate.options))
  const written = db.conversations.put(chat('early'))
  const read = db.conversations.count()
  const store = new VaultStore(name)
  await store.state.put({ id: 'state', stage: 'on', wraps: [], wrongTries: 0, triedAt: 0 })
  const memory = { indexedDB: new IDBFactory(), IDBKeyRange: MemoryRange }
  const session = new VaultSession(store, keys, db, memory, {})
  open.add(session)
  await session.open(gate, memory)
  await written
  expect(await read).toBeLessThanOrEqual(1)
  const { db: later } = await openedTab(name, keys)
  expect(await later.conversations.get('early')).toMatchObject({ title: 'early' })
})

test('a write counts only when it is kept: one that cannot be is taken back', async () => {
  const name = freshName()
  const keys = await freshKeys()
  const { db, store } = await openedTab(name, keys)
  await db.conversations.put(chat('a', { title: 'before' }))
  const full = vi.spyOn(store.records, 'bulkPut').mockRejectedValueOnce(new Error('No room.'))
  await expect(db.conversations.update('a', { title: 'after' })).rejects.toThrow('No room.')
  full.mockRestore()
  expect(await db.conversations.get('a')).toMatchObject({ title: 'before' })
})

test('a transaction that is given up leaves nothing', async () => {
  const name = freshName()
  const keys = await freshKeys()
  const { db } = await openedTab(name, keys)
  const failing = db.transaction('rw', db.conversations, async () => {
    await db.conversations.put(chat('a'))
    throw new Error('No.')
  })
  await expect(failing).rejects.toThrow('No.')
  expect(await everything((await openedTab(name, keys)).db)).toEqual({})
})

test('two tabs that edit at once lose no write, and see each other', async () => {
  const name = freshName()
  const keys = await freshKeys()
  const tabs = [await openedTab(name, keys), await openedTab(name, keys)] as const
  await tabs[0].db.conversations.bulkPut([chat('a', { tags: [] }), chat('b', { tags: [] })])
  const edit = fc.record({ tab: fc.constantFrom(0, 1), id: fc.constantFrom('a', 'b'), kind: fc.nat({ max: 3 }) })
  const [plan = []] = fc.sample(fc.array(edit, { minLength: 500, maxLength: 500 }), { numRuns: 1, seed: 3 })
  const extra = new Set<string>()
  await Promise.all(
    plan.map(async ({ tab, id, kind }, at) => {
      const { db } = tabs[tab as 0 | 1]
      if (kind === 0) {
        extra.add(`x${at}`)
        await db.messages.add(message(`x${at}`, id))
      }
      if (kind === 3)
        await db.draftFiles.put({ chatId: `d${at}`, attachments: [] }).then(() => db.draftFiles.delete(`d${at}`))
      await db.conversations.where({ id }).modify((one) => {
        one.tags?.push(String(at))
      })
    }),
  )
  await Promise.all(tabs.map(({ session }) => session.refresh()))
  const final = await everything((await openedTab(name, keys)).db)
  for (const { db } of tabs) expect(await everything(db)).toEqual(final)
  const tags = (final.conversations as Conversation[]).flatMap(({ tags: all = [] }) => all)
  expect(tags.map(Number).sort((a, b) => a - b)).toEqual(plan.map((_, at) => at))
  expect((final.messages as Message[]).map(({ id }) => id).sort()).toEqual([...extra].sort())
  expect(final.draftFiles).toBeUndefined()
})

test('what another tab writes is told to whoever watches', async () => {
  const name = freshName()
  const keys = await freshKeys()
  const [one, two] = [await openedTab(name, keys), await openedTab(name, keys)]
  const seen: number[] = []
  const seenTwo = new Promise<void>((resolve) => {
    liveQuery(() => two.db.conversations.count()).subscribe((number) => {
      seen.push(number)
      if (number === 1) resolve()
    })
  })
  await eventually(() => expect(seen).toEqual([0]))
  await one.db.conversations.put(chat('a'))
  await two.session.refresh()
  await seenTwo
})

test('a record that was changed on disk is left out and counted', async () => {
  const name = freshName()
  const keys = await freshKeys()
  const { db, store } = await openedTab(name, keys)
  await db.conversations.bulkPut([chat('a'), chat('b')])
  const [one, two] = await store.records.toArray()
  if (one && two) await store.records.put({ ...one, sealed: two.sealed! })
  const { session, db: retry } = await openedTab(name, keys)
  expect(session.damaged).toBe(1)
  expect(await retry.conversations.count()).toBe(1)
})

test('only its passphrase opens the data key, and another one can take its place', async () => {
  const dataKey = newDataKey()
  const wrap = await wrapByPassphrase(dataKey, 'correct horse', 1_000)
  expect(await unwrapByPassphrase(wrap, 'correct hors')).toBeUndefined()
  expect(await unwrapByPassphrase(wrap, 'correct horse')).toEqual(dataKey)
  const next = await wrapByPassphrase(dataKey, 'battery staple', 1_000)
  expect(await unwrapByPassphrase(next, 'correct horse')).toBeUndefined()
  expect(await unwrapByPassphrase(next, 'battery staple')).toEqual(dataKey)
})

test('five wrong passphrases are free, then each costs more time, up to a minute', () => {
  const waits = [0, 4, 5, 6, 7, 30].map((tries) => waitAfter(tries, 1_000, 1_000))
  expect(waits).toEqual([0, 0, 2_000, 4_000, 8_000, 60_000])
  expect(waitAfter(5, 1_000, 10_000)).toBe(0)
})
