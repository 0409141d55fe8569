import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { uuid } from '@/lib/contract/ids'
import type { Database } from '@/lib/db/database'
import { testDatabase } from '@/lib/db/testing'
import { createCreditBook, HOUR_MS, hourOf, sweepCredits } from '@/lib/endpoints/rpc/daily-credits'

const database = await testDatabase()
const HOUR = hourOf(Date.now())

function openProcess() {
  const own = { statements: [] as string[], isAway: false, nowMs: HOUR * HOUR_MS }
  const counted: Database = {
    ...database,
    query(text, parameters) {
      own.statements.push(text)
      return own.isAway ? Promise.reject(new Error('connection refused')) : database.query(text, parameters)
    },
  }
  const book = createCreditBook(
    async () => counted,
    () => own.nowMs,
  )
  return { ...book, own, used: async (account: string) => (await book.dayOf(account)).total(hourOf(own.nowMs)) }
}

const rowsOf = (account: string) =>
  database.query<{ credits: number }>(
    'select credits::int as credits from rpc_credits where account_id = $1 order by hour',
    [account],
  )

test('an account is read once; then every answer comes at once', async () => {
  const one = openProcess()
  const account = uuid()
  expect(await one.used(account)).toBe(0)
  for (let n = 0; n < 1_000; n++) {
    one.count(account, 20)
    expect(one.dayOf(account)).not.toBeInstanceOf(Promise)
  }
  expect(await one.used(account)).toBe(20_000)
  expect(one.own.statements).toHaveLength(1)
})

test('those who ask for the same account at once share one look', async () => {
  const one = openProcess()
  const account = uuid()
  const days = await Promise.all(Array.from({ length: 50 }, () => one.dayOf(account)))
  expect(new Set(days).size).toBe(1)
  expect(one.own.statements).toHaveLength(1)
})

test('all accounts are written with one statement', async () => {
  const one = openProcess()
  const accounts = Array.from({ length: 300 }, uuid)
  for (const account of accounts) {
    one.count(account, 20)
    one.count(account, 5)
  }
  await one.flush()
  expect(one.own.statements).toHaveLength(1)
  for (const account of accounts.slice(0, 5)) expect(await rowsOf(account)).toEqual([{ credits: 25 }])
  await one.flush()
  expect(one.own.statements).toHaveLength(1)
})

test('a new process knows what an old one has written', async () => {
  const [old, young] = [openProcess(), openProcess()]
  const account = uuid()
  old.count(account, 123)
  await old.flush()
  expect(await young.used(account)).toBe(123)
})

test('a write brings what other processes used', async () => {
  const [one, two] = [openProcess(), openProcess()]
  const account = uuid()
  await Promise.all([one.used(account), two.used(account)])
  one.count(account, 100)
  await one.flush()
  expect(await two.used(account)).toBe(0)
  two.count(account, 1)
  await two.flush()
  expect(await two.used(account)).toBe(101)
})

test('what is counted while a statement runs is counted once', async () => {
  const one = openProcess()
  const account = uuid()
  one.count(account, 1)
  const first = one.flush()
  one.count(account, 10)
  await first
  expect(await one.used(account)).toBe(11)
  await one.flush()
  expect(await one.used(account)).toBe(11)
  expect(await rowsOf(account)).toEqual([{ credits: 11 }])
})

test('a question while a statement runs is answered with what that wrote', async () => {
  const one = openProcess()
  const account = uuid()
  one.count(account, 7)
  const [, used] = await Promise.all([one.flush(), one.used(account)])
  expect(used).toBe(7)
})

test('hours go by: what is older than a day counts no more, in memory and in what a new process reads', async () => {
  const one = openProcess()
  const account = uuid()
  await one.used(account)
  for (const [hoursAgo, credits] of [
    [25, 1_000],
    [24, 100],
    [23, 10],
    [0, 1],
  ] as const) {
    one.own.nowMs = (HOUR - hoursAgo) * HOUR_MS
    one.count(account, credits)
  }
  expect(await one.used(account)).toBe(111)
  await one.flush()
  expect(await one.used(account)).toBe(111)
  expect(await openProcess().used(account)).toBe(111)
  one.own.nowMs += HOUR_MS
  expect(await one.used(account)).toBe(11)
})

test('what was not written while the database was away is written when it is back', async () => {
  const one = openProcess()
  const account = uuid()
  await one.used(account)
  one.own.isAway = true
  one.count(account, 20)
  await expect(one.flush()).resolves.toBeUndefined()
  one.count(account, 5)
  await expect(one.dayOf(uuid())).rejects.toThrow('connection refused')
  expect(await one.used(account)).toBe(25)
  one.own.isAway = false
  await one.flush()
  expect(await rowsOf(account)).toEqual([{ credits: 25 }])
})

test('an account that was idle for long is read anew', async () => {
  const [one, two] = [openProcess(), openProcess()]
  const account = uuid()
  await one.used(account)
  two.count(account, 40)
  await two.flush()
  one.own.nowMs += 600_000
  expect(await one.used(account)).toBe(40)
})

test('what a clock of next year wrote keeps nobody out, and forgets nothing', async () => {
  const [wrong, right] = [openProcess(), openProcess()]
  const account = uuid()
  right.count(account, 20)
  await right.flush()
  wrong.own.nowMs += 365 * 24 * HOUR_MS
  wrong.count(account, 1_000_000)
  await wrong.flush()
  expect(await openProcess().used(account)).toBe(20)
})

test('a sweep removes the hours that count no more', async () => {
  const account = uuid()
  await database.query(
    `insert into rpc_credits (account_id, hour, credits)
     select $1::uuid, date_trunc('hour', now()) - make_interval(hours => n), n from generate_series(20, 40) n`,
    [account],
  )
  await sweepCredits(database)
  expect((await rowsOf(account)).map(({ credits }) => credits).toSorted()).toEqual([20, 21, 22, 23, 24, 25])
})

test('what is counted during a slow write is written two seconds after it, and nothing waits for a later request', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const sent: string[] = []
    const gates: (() => void)[] = []
    const slow: Database = {
      ...database,
      query(_, [added] = []) {
        sent.push(String(added))
        return new Promise((resolve) => gates.push(() => resolve([])))
      },
    }
    const book = createCreditBook(async () => slow)
    const turns = async () => {
      for (let n = 0; n < 10; n++) await nextTurn()
    }
    book.count('a', 1)
    vi.advanceTimersByTime(2_000)
    await turns()
    expect(sent).toHaveLength(1)
    book.count('a', 2)
    vi.advanceTimersByTime(60_000)
    await turns()
    expect(sent).toHaveLength(1)
    gates[0]?.()
    await turns()
    vi.advanceTimersByTime(2_000)
    await turns()
    expect(sent.map((added) => JSON.parse(added)[0].credits)).toEqual([1, 2])
    gates[1]?.()
    await turns()
    // Timers are not counted: those of files that share the process may be among them.
    vi.advanceTimersByTime(60_000)
    await turns()
    expect(sent).toHaveLength(2)
  } finally {
    vi.useRealTimers()
  }
})
