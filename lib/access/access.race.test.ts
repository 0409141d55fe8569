import pino from 'pino'
import { afterAll, expect, test } from 'vitest'
import { createKey, MAX_ACTIVE_KEYS, revokeKey, verifyKey } from '@/lib/access/api-keys'
import { noteUse, saveLastUsed } from '@/lib/access/last-used'
import { testAccount } from '@/lib/access/testing'
import { inBlocks } from '@/lib/access/window-blocks'
import type { WindowStore } from '@/lib/access/window-store'
import { sharedByPostgres } from '@/lib/access/windows-postgres'
import { credit, hold, release } from '@/lib/billing/ledger'
import { uuid } from '@/lib/core/ids'
import { usd } from '@/lib/core/money'
import { perProcess, resetPerProcess } from '@/lib/core/per-process'
import { installDatabase } from '@/lib/db/client'
import { realDatabase } from '@/lib/db/testing'

const server = await realDatabase()
const database = await server.open()
installDatabase(database)
afterAll(() => installDatabase(undefined))

const END = 4_000_000_020_000

test('four processes that share windows admit exactly the limit, at a fraction of a statement a request', async () => {
  const pools = await Promise.all([1, 2, 3, 4].map(() => server.open(2)))
  let statements = 0
  const processes = pools.map((pool) => {
    const query: typeof pool.query = (text, parameters) => {
      statements++
      return pool.query(text, parameters)
    }
    return inBlocks(sharedByPostgres(async () => ({ ...pool, query })))
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
  const [one, two] = await Promise.all([1, 2].map(async () => sharedByPostgres(async () => database)))
  const [first, second] = [inBlocks(one!), inBlocks(two!)]
  first.spend('t', 900, 1_000, END)
  await first.spent('t', 1_000, END)
  expect(await second.spent('t', 1_000, END)).toBe(900)
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
      await release(await hold({ accountId, keyId, requestId: uuid(), amount: usd('0.01') }), 'test')
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
