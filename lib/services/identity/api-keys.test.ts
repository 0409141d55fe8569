import { expect, test } from 'vitest'
import { uuid } from '@/lib/contract/ids'
import { usd } from '@/lib/contract/money'
import { testDatabase } from '@/lib/db/testing'
import {
  createKey,
  getKey,
  listKeys,
  MAX_ACTIVE_KEYS,
  noteUse,
  revokeKey,
  saveLastUsed,
  updateKey,
} from '@/lib/services/identity/api-keys'
import { verifyKey } from '@/lib/services/identity/credentials'
import { testAccount } from '@/lib/services/identity/testing'

const database = await testDatabase()

test('a key is recognised by its secret, of which only the hash and the last six characters are stored', async () => {
  const accountId = await testAccount({ rateMultiplier: 2, isPro: true })
  const key = await createKey({ accountId, type: 'INFERENCE', description: 'batch job' })
  expect(key.secret).toMatch(/^SERVICE_INFERENCE_KEY_[A-Za-z0-9]{49}$/)
  expect(key.last6).toBe(key.secret.slice(-6))
  expect(await verifyKey(key.secret)).toEqual({
    id: key.id,
    accountId,
    type: 'INFERENCE',
    modelPrivacy: 'ALL',
    expiresAt: undefined,
    rateMultiplier: 2,
    account: { kind: 'account', status: 'active', isPro: true },
  })
  const rows = await database.query<{ row: string }>('select to_json(k)::text as row from api_key k where id = $1', [
    key.id,
  ])
  expect(rows[0]!.row).not.toContain(key.secret.slice(-12))
  expect(rows[0]!.row).not.toContain(key.secret.slice(22, 40))
})

test('a revoked key ends at once, and only its owner can end it', async () => {
  const accountId = await testAccount()
  const { id, secret } = await createKey({ accountId, type: 'INFERENCE', description: '' })
  await verifyKey(secret)
  expect(await revokeKey(id, await testAccount())).toBe(false)
  expect(await verifyKey(secret)).toBeDefined()
  expect(await revokeKey(id, accountId)).toBe(true)
  expect(await verifyKey(secret)).toBeUndefined()
  expect(await revokeKey(id, accountId)).toBe(false)
  expect(await revokeKey("'; drop table api_key; --")).toBe(false)
})

test('a list has the active keys of its account, newest first', async () => {
  const accountId = await testAccount()
  const expiresAt = new Date(Date.now() - 1_000)
  await createKey({ accountId, type: 'INFERENCE', description: 'expired', expiresAt })
  const revoked = await createKey({ accountId, type: 'INFERENCE', description: 'revoked' })
  await revokeKey(revoked.id)
  await createKey({ accountId, type: 'INFERENCE', description: 'first' })
  await createKey({ accountId, type: 'ADMIN', description: 'second', limits: { usd: usd('25') }, limitPeriod: 'MONTH' })
  expect(await listKeys(accountId)).toMatchObject([
    { description: 'second', type: 'ADMIN', limits: { usd: 25_000_000_000n, diem: null }, limitPeriod: 'MONTH' },
    { description: 'first', type: 'INFERENCE', limits: { usd: null, diem: null }, limitPeriod: 'EPOCH' },
  ])
  expect(
    JSON.stringify(await listKeys(accountId), (_, value) => (typeof value === 'bigint' ? `${value}` : value)),
  ).not.toMatch(/hash|SERVICE_/)
})

test('a change keeps what it leaves out, is seen at once, and is its owner’s alone', async () => {
  const accountId = await testAccount()
  const limits = { usd: usd('5'), diem: usd('3') }
  const { id, secret } = await createKey({ accountId, type: 'INFERENCE', description: 'before', limits })
  await verifyKey(secret)
  const changed = await updateKey(accountId, id, { modelPrivacy: 'PRIVATE_ONLY', limits: { usd: null } })
  expect(changed).toMatchObject({
    description: 'before',
    limits: { usd: null, diem: limits.diem },
    modelPrivacy: 'PRIVATE_ONLY',
  })
  expect(await verifyKey(secret)).toMatchObject({ modelPrivacy: 'PRIVATE_ONLY' })
  const stranger = await testAccount()
  expect(await updateKey(stranger, id, { description: 'stolen' })).toBeUndefined()
  expect(await getKey(stranger, id)).toBeUndefined()
  expect(await getKey(accountId, id)).toMatchObject({ description: 'before' })
})

test('an account has at most 500 active keys, also when two take the last place at once', async () => {
  const accountId = await testAccount()
  await database.query(
    `insert into api_key (id, account_id, type, hash, last6)
     select gen_random_uuid(), $1::uuid, 'INFERENCE', sha256(($1::text || n)::bytea), 'abcdef' from generate_series(1, $2) n`,
    [accountId, MAX_ACTIVE_KEYS - 1],
  )
  const made = await Promise.allSettled([1, 2].map(() => createKey({ accountId, type: 'INFERENCE', description: '' })))
  expect(made.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})

test('a key needs an account', async () => {
  await expect(createKey({ accountId: uuid(), type: 'ADMIN', description: '' })).rejects.toThrow(/no account/)
})

test('the last use of many keys is written in one go, and never moves back', async () => {
  const accountId = await testAccount()
  const keys = await Promise.all([1, 2, 3].map(() => createKey({ accountId, type: 'INFERENCE', description: '' })))
  for (const { id } of keys) noteUse(id, Date.UTC(2026, 6, 18))
  await saveLastUsed()
  noteUse(keys[0]!.id, Date.UTC(2026, 6, 17))
  await saveLastUsed()
  for (const { lastUsedAt } of await listKeys(accountId)) expect(lastUsedAt).toEqual(new Date(Date.UTC(2026, 6, 18)))
})
