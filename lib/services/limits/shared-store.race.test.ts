import { afterAll, describe, expect, test, vi } from 'vitest'
import type { Database } from '@/lib/db/database'
import { realDatabase } from '@/lib/db/testing'
import { perProcess } from '@/lib/kernel/per-process'
import { createSharedPlaces } from '@/lib/services/limits/concurrency'
import { createFailureBudget } from '@/lib/services/limits/failed-requests'
import { countsInPostgres, failuresInPostgres, leasesInPostgres } from '@/lib/services/limits/postgres'
import {
  countsInRedis,
  failuresInRedis,
  leasesInRedis,
  openRedis,
  type RedisConnection,
} from '@/lib/services/limits/redis'
import type { FailureStore, LeaseStore, SharedCounter } from '@/lib/services/limits/shared-store'
import { inBlocks, type WindowStore } from '@/lib/services/limits/window-blocks'

// A machine that does other things must not have each process count by itself.
const DEADLINE_MS = 120_000
perProcess('shared-limits', () => ({ deadlineMs: DEADLINE_MS, restsUntil: 0, complainAt: 0 }))

const END = 4_000_000_020_000

/** What one process has of the store; `asked` counts what it sent. */
type Process = {
  counts: SharedCounter
  leases: (leaseMs?: number) => LeaseStore
  failures: FailureStore
  asked: () => number
}

const server = await realDatabase()

async function openPostgres(): Promise<Process> {
  const pool = await server.open(2)
  let asked = 0
  const query: typeof pool.query = (text, parameters) => {
    asked++
    return pool.query(text, parameters)
  }
  const database = async (): Promise<Database> => ({ ...pool, query })
  return {
    counts: countsInPostgres(database),
    leases: (leaseMs) => leasesInPostgres(database, leaseMs),
    failures: failuresInPostgres(database),
    asked: () => asked,
  }
}

const redisUrl = process.env.TEST_REDIS_URL
const connections: RedisConnection[] = []
afterAll(() => {
  for (const connection of connections) connection.close()
})

async function openRedisProcess(): Promise<Process> {
  if (!redisUrl) throw new Error('TEST_REDIS_URL: these tests need a Redis: npm run test:race starts one')
  const connection = openRedis(redisUrl, DEADLINE_MS)
  connections.push(connection)
  await connection.run((redis) => redis.ping())
  let asked = 0
  const counted: RedisConnection = {
    ...connection,
    run: (commands) => {
      asked++
      return connection.run(commands)
    },
  }
  return {
    counts: countsInRedis(counted),
    leases: (leaseMs) => leasesInRedis(counted, leaseMs),
    failures: failuresInRedis(counted),
    asked: () => asked,
  }
}

describe.each([
  ['PostgreSQL', openPostgres],
  ['Redis', openRedisProcess],
])('in %s', (_, open) => {
  test('four processes that share windows admit exactly the limit, at a fraction of a question a request', async () => {
    const processes = await Promise.all([1, 2, 3, 4].map(open))
    // Each asks until it is refused: one that ended earlier would keep places that it took and nobody asks for any more.
    const admittedBy = async (windows: WindowStore, key: string, limit: number): Promise<number> => {
      for (let admitted = 0; admitted <= limit; admitted++) {
        const { isAllowed } = await windows.take(key, limit, END)
        if (!isAllowed) return admitted
      }
      throw new Error(`One process alone passed the limit of ${limit}.`)
    }
    const counts = processes.flatMap(({ counts }) => {
      const windows = inBlocks(counts)
      return [admittedBy(windows, 'a', 1_000), admittedBy(windows, 'b', 50)]
    })
    const admitted = (await Promise.all(counts)).reduce((sum, count) => sum + count)
    expect(admitted).toBe(1_050)
    expect(processes.reduce((sum, { asked }) => sum + asked(), 0)).toBeLessThan(200)
  })

  test('processes hear of each other’s tokens', async () => {
    const [first, second] = [inBlocks((await open()).counts), inBlocks((await open()).counts)]
    first.spend('t', 900, 1_000, END)
    await first.spent('t', 1_000, END)
    expect(await second.spent('t', 1_000, END)).toBe(900)
  })

  test('places for requests under way are given once over all processes, and unused ones move on', async () => {
    const [one, two] = [createSharedPlaces((await open()).leases()), createSharedPlaces((await open()).leases())]
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

  test('one request after another asks a few times, not each time', async () => {
    const { leases, asked } = await open()
    const places = createSharedPlaces(leases())
    for (let n = 0; n < 500; n++) {
      expect(await places.take('key:busy', 50)).toBe(true)
      places.leave('key:busy')
    }
    expect(asked()).toBeLessThan(50)
    await places.close()
  })

  test('a process that dies gives its places back', async () => {
    const ours = [{ name: 'key:dead', places: 5, limit: 5 }]
    // Nobody renews this lease.
    const dead = (await open()).leases(1_500)
    expect(await dead.lease('dead', ours)).toEqual(new Map([['key:dead', 5]]))
    const living = createSharedPlaces((await open()).leases())
    expect(await living.take('key:dead', 5)).toBe(false)
    await vi.waitFor(async () => expect(await living.take('key:dead', 5)).toBe(true), 60_000)
    await living.close()
  })

  test('processes share the failures of a caller, and a caller that one has blocked is blocked in the others', async () => {
    const settings = { count: 20, windowSeconds: 3_600, blockSeconds: 3_600 }
    const stores = [(await open()).failures, (await open()).failures]
    const budgets = stores.map((store) => createFailureBudget(() => settings, store))
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
    const heard = await stores[0]!.report([{ ...caller, failures: 0, ...settings }])
    expect(heard.get(caller.name)!.blockedMs).toBeGreaterThan(3_000_000)
  })

  test('failures that lie further apart than the window do not add up', async () => {
    const { failures } = await open()
    const report = { name: 'key:slow', failures: 15, count: 20, windowSeconds: 1, blockSeconds: 30 }
    await failures.report([report])
    await vi.waitFor(async () => {
      const heard = await failures.report([{ ...report, failures: 0 }])
      expect(heard.get('key:slow')).toMatchObject({ total: 0, blockedMs: 0 })
    }, 60_000)
    expect((await failures.report([report])).get('key:slow')).toMatchObject({ total: 15, blockedMs: 0 })
    const other = { ...report, name: 'key:other', failures: 21 }
    const heard = await failures.report([report, other])
    expect(heard.get('key:other')!.blockedMs).toBeGreaterThan(0)
  })
})
