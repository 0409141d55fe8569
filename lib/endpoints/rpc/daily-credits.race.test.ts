import { expect, test } from 'vitest'
import { uuid } from '@/lib/contract/ids'
import type { Database } from '@/lib/db/database'
import { realDatabase } from '@/lib/db/testing'
import { createCreditBook, hourOf } from '@/lib/endpoints/rpc/daily-credits'

const PROCESSES = 4
const server = await realDatabase()
const databases = await Promise.all(Array.from({ length: PROCESSES }, () => server.open(2)))
const database = databases[0] as Database
const books = databases.map((own) => createCreditBook(async () => own))

const usedIn = async (book: (typeof books)[number], account: string) =>
  (await book.dayOf(account)).total(hourOf(Date.now()))
const written = async (account: string) => {
  const [row] = await database.query<{ credits: number }>(
    'select coalesce(sum(credits), 0)::int as credits from rpc_credits where account_id = $1',
    [account],
  )
  return row?.credits
}

test('what many processes count of the same accounts at once adds up, and all of them learn of it', async () => {
  const accounts = Array.from({ length: 30 }, uuid)
  const expected = new Map(accounts.map((account) => [account, 0]))
  await Promise.all(
    books.map(async (book, n) => {
      for (let round = 0; round < 40; round++) {
        // Every process in an order of its own: their statements must not wait for each other in a circle.
        for (const account of n % 2 ? accounts : accounts.toReversed()) {
          const credits = 1 + ((round + n) % 7)
          book.count(account, credits)
          expected.set(account, (expected.get(account) ?? 0) + credits)
        }
        await book.flush()
      }
    }),
  )
  for (const account of accounts) expect(await written(account)).toBe(expected.get(account))
  for (const book of books) {
    for (const account of accounts) book.count(account, 1)
    await book.flush()
  }
  for (const account of accounts.slice(0, 5))
    expect(await usedIn(books.at(-1)!, account)).toBe((expected.get(account) ?? 0) + PROCESSES)
})

test('a process that counts while it reads and writes never knows less than it counted itself', async () => {
  const account = uuid()
  const [one, two] = books as [(typeof books)[number], (typeof books)[number]]
  let own = 0
  const flushes = (async () => {
    for (let n = 0; n < 60; n++) await one.flush()
  })()
  for (let n = 0; n < 300; n++) {
    one.count(account, 1)
    own++
    two.count(account, 1)
    if (n % 20 === 0) await two.flush()
    expect(await usedIn(one, account)).toBeGreaterThanOrEqual(own)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await flushes
  await Promise.all([one.flush(), two.flush()])
  expect(await written(account)).toBe(600)
})

test('a process that is cut off from the database loses nothing of what it counted', async () => {
  const own = await server.open(1)
  const book = createCreditBook(async () => own)
  const account = uuid()
  await book.dayOf(account)
  await database.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and state = 'idle' and query like '%rpc_credits%'`,
  )
  book.count(account, 10)
  for (let n = 0; n < 3; n++) await book.flush()
  expect(await written(account)).toBe(10)
})
