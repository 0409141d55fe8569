import { afterAll, expect, test } from 'vitest'
import { installDatabase } from '@/lib/db/client'
import { realDatabase } from '@/lib/db/testing'
import { testAccount } from '@/lib/services/identity/testing'
import { createShare, MAX_SHARED_BYTES } from '@/lib/services/shares/shares'

const { open } = await realDatabase()
const database = await open(10)
installDatabase(database)
afterAll(() => installDatabase(undefined))

test('links that are made at the same moment do not get past what an account may have', async () => {
  const accountId = await testAccount()
  const body = Buffer.alloc(2 * 1024 * 1024, 1)
  const made = await Promise.allSettled(Array.from({ length: 40 }, () => createShare(accountId, body, '1h')))
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(MAX_SHARED_BYTES / body.length)
})
