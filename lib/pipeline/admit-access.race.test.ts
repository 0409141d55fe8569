import pino from 'pino'
import { afterAll, expect, test } from 'vitest'
import { uuid } from '@/lib/contract/ids'
import { usd } from '@/lib/contract/money'
import { installDatabase } from '@/lib/db/client'
import { realDatabase } from '@/lib/db/testing'
import { perProcess, resetPerProcess } from '@/lib/kernel/per-process'
import { createKey, MAX_ACTIVE_KEYS, noteUse, revokeKey, saveLastUsed } from '@/lib/services/identity/api-keys'
import { verifyKey } from '@/lib/services/identity/credentials'
import { testAccount } from '@/lib/services/identity/testing'
import { credit, hold, release } from '@/lib/services/ledger/ledger'

const server = await realDatabase()
const database = await server.open()
installDatabase(database)
afterAll(() => installDatabase(undefined))

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
