import 'fake-indexeddb/auto'
import { Dexie } from 'dexie'
import { afterEach, expect, test } from 'vitest'
import { HistoryDatabase } from '@/lib/browser/storage/database'
import { copyOut, moveIn, type OnProgress, removeVault } from '@/lib/browser/vault/move-records'
import { VaultStore } from '@/lib/browser/vault/session'
import {
  addCorpus,
  chat,
  closeTabs,
  everything,
  freshKeys,
  freshName,
  openedTab,
  quiet,
} from '@/lib/browser/vault/testing-tabs'

afterEach(closeTabs)

test('turning on, stopped anywhere, and begun again, loses nothing and leaves nothing plain', async () => {
  for (let stopAt = 0; stopAt < 14; stopAt += 1) {
    const name = freshName()
    const plainName = `${name}-plain`
    const keys = await freshKeys()
    const plain = await filledPlain(plainName)
    const before = await everything(plain)
    const first = await openedTab(name, keys)
    await moveIn(plainName, first.db, stopping(stopAt)).catch(() => undefined)
    first.session.close()
    const second = await openedTab(name, keys)
    await moveIn(plainName, second.db, quiet)
    expect(await everything(second.db)).toEqual(before)
    expect(await everything(plain)).toEqual({})
    plain.close()
  }
})

test('what another tab writes to the plain chats while they are moved is moved as well', async () => {
  const name = freshName()
  const plainName = `${name}-plain`
  const plain = await filledPlain(plainName)
  const { db } = await openedTab(name, await freshKeys())
  let isWritten = false
  const write = () => {
    if (isWritten) return
    isWritten = true
    void plain.conversations.update('c1', { title: 'late' })
  }
  await moveIn(plainName, db, write)
  await moveIn(plainName, db, quiet)
  plain.close()
  expect(await db.conversations.get('c1')).toMatchObject({ title: 'late' })
})

test('turning off, stopped anywhere, and begun again, loses nothing and leaves no vault', async () => {
  for (let stopAt = 0; stopAt < 10; stopAt += 1) {
    const name = freshName()
    const plainName = `${name}-plain`
    const keys = await freshKeys()
    const first = await openedTab(name, keys)
    for (let at = 0; at < 3; at += 1) await addCorpus(first.db, at, { title: `t${at}`, words: ['one'], file: 'f' })
    const before = await everything(first.db)
    await copyOut(first.session, plainName, stopping(stopAt)).catch(() => undefined)
    const stage = (await first.store.state.get('state'))?.stage
    first.session.close()
    if (stage !== 'emptied') {
      const second = await openedTab(name, keys)
      await copyOut(second.session, plainName, quiet)
      second.session.close()
    }
    await removeVault(new VaultStore(name))
    const plain = new HistoryDatabase(plainName)
    expect(await everything(plain)).toEqual(before)
    plain.close()
    expect(await Dexie.exists(name)).toBe(false)
  }
})

test('a tab does not write to a vault that another one turns off', async () => {
  const name = freshName()
  const keys = await freshKeys()
  const [one, two] = [await openedTab(name, keys), await openedTab(name, keys)]
  await one.db.conversations.put(chat('a'))
  await copyOut(one.session, `${name}-plain`, quiet)
  await expect(two.db.conversations.put(chat('b'))).rejects.toThrow('being turned off')
})

async function filledPlain(name: string): Promise<HistoryDatabase> {
  const plain = new HistoryDatabase(name)
  for (let at = 0; at < 3; at += 1)
    await addCorpus(plain, at, { title: `t${at}`, words: ['one', 'two'], file: `f${at}` })
  await plain.conversations.put(chat('c1'))
  return plain
}

function stopping(at: number): OnProgress {
  let steps = 0
  return () => {
    if (steps++ === at) throw new Error('The page ended.')
  }
}
