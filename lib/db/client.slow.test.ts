import { spawn } from 'node:child_process'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { uuid } from '@/lib/contract/ids'
import { getDb, openDatabase } from '@/lib/db/client'
import { DatabaseInUseError, lockFolder } from '@/lib/db/embedded'
import { accounts } from '@/lib/db/schema/accounts'
import { testDatabase } from '@/lib/db/testing'

const root = process.cwd()
const own = await testDatabase()
const folder = await mkdtemp(path.join(tmpdir(), 'lagoon-db-test-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

/** A process that is gone, for its id. */
async function deadProcess(): Promise<number> {
  const child = spawn(process.execPath, ['-e', ''])
  await new Promise((ended) => child.once('exit', ended))
  return child.pid ?? 0
}

test('the embedded database keeps what it was told, in a folder for its owner only, and refuses a second opener', async () => {
  const database = await openDatabase({ root, dataDir: folder })
  expect(database.kind).toBe('pglite')
  expect((await stat(path.join(folder, 'db'))).mode & 0o777).toBe(0o700)
  const id = uuid()
  await database.drizzle.insert(accounts).values({ id, kind: 'account', name: 'first' })
  await expect(openDatabase({ root, dataDir: folder })).rejects.toThrow(DatabaseInUseError)
  await database.close()

  const retry = await openDatabase({ root, dataDir: folder })
  expect(await retry.query('select name from account where id = $1', [id])).toEqual([{ name: 'first' }])
  await retry.close()
})

describe('the lock where the kernel has no named sockets', () => {
  test('is a file that a living process keeps and a closed one gives back', async () => {
    const unlock = await lockFolder(folder, 'darwin')
    await expect(lockFolder(folder, 'darwin')).rejects.toThrow(/in use by another process/)
    await unlock()
    await (await lockFolder(folder, 'darwin'))()
  })

  test('is taken over from a dead process, by one of those that try', async () => {
    await writeFile(`${folder}.lock`, `${await deadProcess()} x`)
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => lockFolder(folder, 'darwin')))
    const taken = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    expect(taken).toHaveLength(1)
    await taken[0]?.()
  })
})

test('a test has the migrated snapshot as its process database', async () => {
  expect(await getDb()).toBe(own)
  expect(await own.drizzle.select().from(accounts)).toEqual([])
})
