import { afterEach, expect, test, vi } from 'vitest'
import { testDatabase } from '@/lib/db/testing'
import { recentBalances } from '@/lib/services/ledger/ledger'
import { makeAccount } from '@/lib/services/ledger/testing'

const database = await testDatabase()
afterEach(() => void vi.restoreAllMocks())

const HOUR_MS = 3_600_000

test('a clock that is set back keeps no balance for longer', async () => {
  const accountId = await makeAccount(database, { USD: 5n })
  expect((await recentBalances(accountId)).USD).toBe(5n)
  await database.query(`update balance set posted = 7 where account_id = $1 and currency = 'USD'`, [accountId])
  expect((await recentBalances(accountId)).USD).toBe(5n)

  const startedAt = performance.now()
  const wall = Date.now()
  vi.spyOn(Date, 'now').mockReturnValue(wall - HOUR_MS)
  vi.spyOn(performance, 'now').mockReturnValue(startedAt + 10_000)
  expect((await recentBalances(accountId)).USD).toBe(7n)
})
