import pino from 'pino'
import { afterAll, expect, test, vi } from 'vitest'
import { uuid } from '@/lib/contract/ids'
import { usd } from '@/lib/contract/money'
import { installDatabase } from '@/lib/db/client'
import { realDatabase } from '@/lib/db/testing'
import { perProcess, resetPerProcess } from '@/lib/kernel/per-process'
import { createKey, MAX_ACTIVE_KEYS, noteUse, revokeKey, saveLastUsed } from '@/lib/services/identity/api-keys'
import { verifyKey } from '@/lib/services/identity/credentials'
import { testAccount } from '@/lib/services/identity/testing'
import { credit, hold, release } from '@/lib/services/ledger/ledger'
import { createSharedPlaces } from '@/lib/services/limits/concurrency'
import { createFailureBudget } from '@/lib/services/limits/failed-requests'
import { countsInPostgres, failuresInPostgres, leasesInPostgres } from '@/lib/services/limits/postgres'
import { inBlocks, type WindowStore } from '@/lib/services/limits/window-blocks'

const server = await realDatabase()
const database = await server.open()
installDatabase(database)
afterAll(() => installDatabase(undefined))

// A machine that does other things must not have each process count by itself.
perProcess('shared-limits', () => ({ deadlineMs: 120_000, restsUntil: 0, complainAt: 0 }))

const leasing = () => createSharedPlaces(leasesInPostgres(async () => database))

const END = 4_000_000_020_000

test('four processes that share windows admit exactly the limit, at a fraction of a statement a request', async () => {
  const pools = await Promise.all([1, 2, 3, 4].map(() => server.open(2)))
  let statements = 0
  const processes = pools.map((pool) => {
    const query: typeof pool.query = (text, parameters) => {
      statements++
      return pool.query(text, parameters)
    }
    return inBlocks(countsInPostgres(async () => ({ ...pool, query })))
  })
  // Each asks until it is refused: one that ended earlier would keep places that it took and nobody asks for any more.
  const admittedBy = async (windows: WindowStore, key: string, limit: number): Promise<number> => {
    for (let admitted = 0; admitted <= limit; admitted++) {
      const { isAllowed } = await windows.take(key, limit, END)
      if (!isAllowed) return admitted
    }
    throw new Error(`One process alone passed the limit of ${limit}.`)
  }
  const counts = processes.flatMap((windows) => [admittedBy(windows, 'a', 1_000), admittedBy(windows, 'b', 50)])
  const admitted = (await Promise.all(counts)).reduce((sum, count) => sum + count)
  expect(admitted).toBe(1_050)
  expect(statements).toBeLessThan(200)
})

test('processes hear of each other’s tokens', async () => {
  const [one, two] = await Promise.all([1, 2].map(async () => countsInPostgres(async () => database)))
  const [first, second] = [inBlocks(one!), inBlocks(two!)]
  first.spend('t', 900, 1_000, END)
  await first.spent('t', 1_000, END)
  expect(await second.spent('t', 1_000, END)).toBe(900)
})

test('places for requests under way are given once over all processes, and unused ones move on', async () => {
  const [one, two] = [leasing(), leasing()]
  const takes = await Promise.all(
    Array.from({ length: 30 }, () => [one.take('key:a', 50), two.take('key:a', 50)]).flat(),
  )
  expect(takes.filter(Boolean)).toHaveLength(50)
  expect(await one.take('key:b', 50)).toBe(true)
  for (let n = 0; n < 25; n++) one.leave('key:a')
  // What is free again is another process's as soon as this one has given it back.
  await vi.waitFor(async () => expect(await two.take('key:a', 50)).toBe(true), 60_000)
  await Promise.all([one.close(), two.close()])
})

test('one request after another asks the database a few times, not each time', async () => {
  let statements = 0
  const query: typeof database.query = (text, parameters) => {
    statements++
    return database.query(text, parameters)
  }
  const concurrency = createSharedPlaces(leasesInPostgres(async () => ({ ...database, query })))
  for (let n = 0; n < 500; n++) {
    expect(await concurrency.take('key:busy', 50)).toBe(true)
    concurrency.leave('key:busy')
  }
  expect(statements).toBeLessThan(50)
  await concurrency.close()
})

test('a process that dies gives its places back', async () => {
  const ours = [{ name: 'key:dead', places: 5, limit: 5 }]
  // Nobody renews this lease.
  const dead = leasesInPostgres(async () => database, 1_500)
  expect(await dead.lease('dead', ours)).toEqual(new Map([['key:dead', 5]]))
  const living = leasing()
  expect(await living.take('key:dead', 5)).toBe(false)
  await vi.waitFor(async () => expect(await living.take('key:dead', 5)).toBe(true), 60_000)
  await living.close()
})

test('processes share the failures of a caller, and a caller that one has blocked is blocked in the others', async () => {
  const settings = { count: 20, windowSeconds: 3_600, blockSeconds: 3_600 }
  const budgets = [1, 2].map(() =>
    createFailureBudget(
      () => settings,
      failuresInPostgres(async () => database),
    ),
  )
  const caller = { name: 'key:failing' }
  const isBlocked = async (at: number) => {
    await budgets[at]!.refresh(caller)
    return budgets[at]!.isBlocked(caller)
  }
  let failed = 0
  for (; failed < 60; failed++) {
    if (await isBlocked(failed % 2)) break
    budgets[failed % 2]!.recordFailure(caller, 400, true)
  }
  // One more where the report of the last is still under way.
  expect([21, 22]).toContain(failed)
  await vi.waitFor(async () => expect([await isBlocked(0), await isBlocked(1)]).toEqual([true, true]), 60_000)
  const [row] = await database.query<{ left: number }>(
    'select blocked_until - extract(epoch from now()) as left from failed_request where caller = $1',
    [caller.name],
  )
  expect(Number(row!.left)).toBeGreaterThan(3_000)
})

test('failures that lie further apart than the window do not add up', async () => {
  const store = failuresInPostgres(async () => database)
  const report = { name: 'key:slow', failures: 15, count: 20, windowSeconds: 1, blockSeconds: 30 }
  await store.report([report])
  await vi.waitFor(async () => {
    const heard = await store.report([{ ...report, failures: 0 }])
    expect(heard.get('key:slow')).toMatchObject({ total: 0, blockedMs: 0 })
  }, 60_000)
  expect((await store.report([report])).get('key:slow')).toMatchObject({ total: 15, blockedMs: 0 })
  const other = { ...report, name: 'key:other', failures: 21 }
  const heard = await store.report([report, other])
  expect(heard.get('key:other')!.blockedMs).toBeGreaterThan(0)
})

test('the last places for keys are given once each', async () => {
  const accountId = await testAccount()
  await database.query(
    `insert into api_key (id, account_id, type, hash, last6)
     select gen_random_uuid(), $1::uuid, 'INFERENCE', sha256(($1::text || n)::bytea), 'abcdef' from generate_series(1, $2) n`,
    [accountId, MAX_ACTIVE_KEYS - 3],
  )
  const made = await Promise.allSettled(
    Array.from({ length: 8 }, () => createKey({ accountId, type: 'INFERENCE', description: '' })),
  )
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
})

test('no look at a key that began after its revocation succeeds, however many run', async () => {
  const accountId = await testAccount()
  for (let round = 0; round < 20; round++) {
    const { id, secret } = await createKey({ accountId, type: 'INFERENCE', description: '' })
    let isRevoked = false
    const looks = Array.from({ length: 8 }, async () => {
      for (let n = 0; n < 50; n++) {
        const wasRevoked = isRevoked
        const key = await verifyKey(secret, n % 3 === 0)
        if (wasRevoked) expect(key).toBeUndefined()
        await new Promise((resolve) => setImmediate(resolve))
      }
    })
    expect(await revokeKey(id)).toBe(true)
    isRevoked = true
    await Promise.all(looks)
  }
})

test('writing the last use never gets in the way of holds on the same keys', async () => {
  const accountId = await testAccount()
  await credit({ accountId, currency: 'USD', amount: usd('10'), kind: 'grant', idempotencyKey: uuid() })
  const keys = await Promise.all(
    Array.from({ length: 20 }, () => createKey({ accountId, type: 'INFERENCE', description: '' })),
  )
  const lines: string[] = []
  resetPerProcess('log')
  perProcess('log', () => pino({}, { write: (line: string) => void lines.push(line) }))
  const holds = keys.map(async ({ id: keyId }) => {
    for (let n = 0; n < 20; n++) {
      noteUse(keyId)
      await release(await hold({ accountId, keyId, requestId: uuid(), amount: usd('0.01') }))
    }
  })
  const writes = Array.from({ length: 4 }, async () => {
    for (let n = 0; n < 30; n++) {
      for (const { id } of keys.toReversed()) noteUse(id)
      await saveLastUsed()
    }
  })
  await Promise.all([...holds, ...writes])
  expect(lines).toEqual([])
})
