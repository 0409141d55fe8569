import { expect, test } from 'vitest'
import { uuid } from '@/lib/contract/ids'
import { testDatabase } from '@/lib/db/testing'
import { openCursor, sealCursor, type UsageWalk } from '@/lib/services/usage/rows'

await testDatabase()

const DAY_MS = 86_400_000
const walk: UsageWalk = {
  accountId: uuid(),
  filter: { currency: 'BUNDLED_CREDITS', end: '2026-07-18T10:00:00.000Z' },
  pageSize: 1_000,
  after: { at: '2026-07-18T09:59:59.123456Z', txn: uuid(), part: 3 },
}

test('a cursor holds all of a walk, for the account that it was made for and for a day', async () => {
  const cursor = await sealCursor(walk, 0)
  expect(cursor).toMatch(/^[A-Za-z0-9_-]{1,512}$/)
  expect(await openCursor(cursor, walk.accountId, DAY_MS - 1)).toEqual(walk)
  await expect(openCursor(cursor, walk.accountId, DAY_MS)).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
  await expect(openCursor(cursor, uuid(), 1)).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
})
