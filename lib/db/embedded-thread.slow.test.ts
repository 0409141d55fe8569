import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { sql } from 'drizzle-orm'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { uuid } from '@/lib/contract/ids'
import { openDatabase } from '@/lib/db/client'
import { DatabaseUnavailable } from '@/lib/db/outage'
import { accounts } from '@/lib/db/schema/accounts'
import { testDatabase } from '@/lib/db/testing'
import { builtProgram } from '@/lib/kernel/testing/built-program'
import { eventually } from '@/lib/kernel/testing/time'

const root = process.cwd()
const inMemory = await testDatabase()
const folder = await mkdtemp(path.join(tmpdir(), 'lagoon-db-thread-'))
const database = await openDatabase({ root, dataDir: folder })
afterAll(async () => {
  await database.close()
  await rm(folder, { recursive: true, force: true })
})

const namesOf = async () =>
  (await database.query<{ name: string }>('select name from account order by name')).map(({ name }) => name)

test('values come as they do without a thread', async () => {
  const text = `select 1::int as small, 9007199254740993::int8 as large, 1.5::numeric as exact, '{"a":[1,null]}'::jsonb as json,
    '2026-11-27T10:00:00Z'::timestamptz as at, array['x','y'] as list, '\\x00ff'::bytea as bytes, null as nothing, $1::text as given`
  expect(await database.query(text, ['ü'])).toEqual(await inMemory.query(text, ['ü']))
  const [id, createdAt] = [uuid(), new Date('2026-11-27T10:00:00.123Z')]
  await database.drizzle.insert(accounts).values({ id, kind: 'account', name: 'dated', createdAt })
  expect(await database.drizzle.select().from(accounts)).toMatchObject([{ id, createdAt }])
  await database.drizzle.delete(accounts)
})

test.each([
  ['in a thread', database],
  ['in memory', inMemory],
])('the database %s has a small buffer of its own', async (_, { query }) => {
  expect(await query('show shared_buffers')).toEqual([{ shared_buffers: '16MB' }])
})

test('what the database refuses is said in its own words and fields, and the next statement works', async () => {
  const id = uuid()
  const insert = () => database.query('insert into account (id, kind) values ($1, $2)', [id, 'account'])
  await insert()
  await expect(insert()).rejects.toMatchObject({ code: '23505', severity: 'ERROR', constraint: 'account_pkey' })
  await expect(database.query('select nonsense')).rejects.toThrow('column "nonsense" does not exist')
  await database.query('delete from account')
  expect(await namesOf()).toEqual([])
})

test('a transaction is kept whole or not at all, and others wait for its end', async () => {
  const add = (name: string) => ({ id: uuid(), kind: 'account' as const, name })
  const order: string[] = []
  await Promise.all([
    database.drizzle.transaction(async (transaction) => {
      await transaction.insert(accounts).values(add('a'))
      await transaction.execute(sql`select pg_sleep(0.2)`)
      await transaction.insert(accounts).values(add('b'))
      order.push('kept')
    }),
    namesOf().then((names) => order.push(names.join())),
  ])
  expect(order).toEqual(['kept', 'a,b'])
  const failing = database.drizzle.transaction(async (transaction) => {
    await transaction.insert(accounts).values(add('c'))
    throw new Error('changed my mind')
  })
  await expect(failing).rejects.toThrow('changed my mind')
  expect(await namesOf()).toEqual(['a', 'b'])
})

test('notifications are heard until nobody listens', async () => {
  const heard: unknown[] = []
  const stop = database.listen('tide', (message) => heard.push(message))
  await eventually(async () => {
    await database.query(`select pg_notify('tide', 'high')`)
    expect(heard).toContain('high')
  })
  await stop()
  const { length } = heard
  await database.query(`select pg_notify('tide', 'low')`)
  await database.query('select 1')
  expect(heard).toHaveLength(length)
})

test('while a statement runs, the thread of the server does other things, and knows for how long', async () => {
  let turns = 0
  const timer = setInterval(() => turns++, 10)
  const slow = database.query('select pg_sleep(0.5)')
  await eventually(() => expect(database.oldestMs()).toBeGreaterThan(100))
  await slow
  clearInterval(timer)
  expect(turns).toBeGreaterThan(5)
  expect(database.oldestMs()).toBe(0)
})

test('an open database does not keep a process from ending, and a statement does', async () => {
  const program = await builtProgram('lib/db/testing-thread-child.ts')
  const other = await mkdtemp(path.join(tmpdir(), 'lagoon-db-thread-'))
  onTestFinished(() => rm(other, { recursive: true, force: true }))
  const { stdout } = await promisify(execFile)(process.execPath, [program, other], { timeout: 150_000 })
  expect(stdout).toBe('done\n')
})

test('a database that has ended is an outage', async () => {
  const other = await mkdtemp(path.join(tmpdir(), 'lagoon-db-thread-'))
  onTestFinished(() => rm(other, { recursive: true, force: true }))
  const closed = await openDatabase({ root, dataDir: other })
  await closed.close()
  await expect(closed.query('select 1')).rejects.toBeInstanceOf(DatabaseUnavailable)
})
