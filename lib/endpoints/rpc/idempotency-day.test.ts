import { expect, test } from 'vitest'
import { uuid } from '@/lib/contract/ids'
import { testDatabase } from '@/lib/db/testing'
import { MAX_BYTES, MAX_KEYS, sweepRows } from '@/lib/endpoints/rpc/idempotency'
import {
  age,
  body,
  claim,
  expectCounted,
  OTHER,
  REPLY,
  refusalOf,
  replay,
  rowsOf,
} from '@/lib/endpoints/rpc/testing-replies'

const database = await testDatabase()
const DAY = '24 hours'

test('the claim of a process that died is given on when its lease ends, to the same request only', async () => {
  const accountId = uuid()
  await claim({ accountId })
  await age(accountId, '30 seconds')
  expect(await refusalOf({ accountId })).toMatchObject({ code: 'IDEMPOTENCY_IN_PROGRESS' })
  await age(accountId, '30 seconds')
  expect(await refusalOf({ accountId, fingerprint: OTHER })).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' })
  const second = await claim({ accountId, requestId: 'second' })
  expect(await refusalOf({ accountId })).toMatchObject({ code: 'IDEMPOTENCY_IN_PROGRESS' })
  await second.keep(REPLY)
  expect(await replay({ accountId })).toEqual(REPLY)
  await expectCounted(accountId)
})

test('who comes back after a take-over neither keeps nor drops anything', async () => {
  const accountId = uuid()
  const late = [await claim({ accountId, key: 'a' }), await claim({ accountId, key: 'b' })] as const
  await age(accountId, '60 seconds')
  const next = [await claim({ accountId, key: 'a' }), await claim({ accountId, key: 'b' })] as const
  await Promise.all([late[0].keep({ ...REPLY, body: body('late') }), late[1].drop()])
  for (const key of ['a', 'b'])
    expect(await refusalOf({ accountId, key })).toMatchObject({ code: 'IDEMPOTENCY_IN_PROGRESS' })
  for (const own of next) await own.keep(REPLY)
  for (const key of ['a', 'b']) expect(await replay({ accountId, key })).toEqual(REPLY)
  await expectCounted(accountId)
})

test('a slow call that nobody took over is still kept after its lease', async () => {
  const accountId = uuid()
  const slow = await claim({ accountId })
  await age(accountId, '10 minutes')
  await slow.keep(REPLY)
  expect(await replay({ accountId })).toEqual(REPLY)
})

test('after a day a key is free, for another request too, before any sweep', async () => {
  const accountId = uuid()
  await (await claim({ accountId })).keep(REPLY)
  await age(accountId, '23 hours 59 minutes')
  expect(await replay({ accountId })).toEqual(REPLY)
  await age(accountId, '1 minute')
  await (await claim({ accountId, fingerprint: OTHER })).keep({ ...REPLY, body: body('new') })
  expect((await replay({ accountId, fingerprint: OTHER })).body).toEqual(body('new'))
  await expectCounted(accountId)
})

test('who keeps a reply a day late does not disturb the key’s next use', async () => {
  const accountId = uuid()
  const late = await claim({ accountId })
  await age(accountId, DAY)
  const next = await claim({ accountId, fingerprint: OTHER })
  await late.keep(REPLY)
  await next.keep({ ...REPLY, body: body('next') })
  expect((await replay({ accountId, fingerprint: OTHER })).body).toEqual(body('next'))
  await expectCounted(accountId)
})

test('a sweep removes what is over and nothing else', async () => {
  const [old, young] = [uuid(), uuid()]
  for (const key of ['a', 'b', 'c']) await (await claim({ accountId: old, key })).keep(REPLY)
  await claim({ accountId: old, key: 'never-ended' })
  await age(old, DAY)
  await (await claim({ accountId: old, key: 'new' })).keep(REPLY)
  await (await claim({ accountId: young })).keep(REPLY)
  await sweepRows(database)
  expect((await rowsOf(old)).map(({ key }) => key)).toEqual(['new'])
  expect(await replay({ accountId: young })).toEqual(REPLY)
  await expectCounted(old)
  await age(old, DAY)
  expect(await sweepRows(database)).toBe(1)
  expect(await database.query('select 1 from rpc_reply_total where account_id = $1', [old])).toEqual([])
})

test('a sweep of more than one batch removes all', async () => {
  const accountId = uuid()
  await fill(accountId, 1_203)
  await age(accountId, DAY)
  expect(await sweepRows(database)).toBe(1_203)
  await expectCounted(accountId)
})

async function fill(accountId: string, count: number, size = 1): Promise<void> {
  await database.query(
    `insert into rpc_reply (account_id, key, fingerprint, claim, request_id, lease_until, expires_at, status, body, credits, cost)
     select $1::uuid, 'filled-' || n, '\\x00', gen_random_uuid(), 'r', now(), now() + interval '24 hours', 200, '\\x00', 1, 1
     from generate_series(1, $2::int) n`,
    [accountId, count],
  )
  await database.query('insert into rpc_reply_total (account_id, keys, bytes) values ($1, $2, $3)', [
    accountId,
    count,
    count * size,
  ])
}

test('an account keeps 5,000 keys; then it is told what to do, replays go on, and others are not touched', async () => {
  const accountId = uuid()
  await fill(accountId, MAX_KEYS - 1)
  await (await claim({ accountId, key: 'last' })).keep(REPLY)
  const refusal = await refusalOf({ accountId, key: 'one-more' })
  expect(refusal).toMatchObject({ status: 429, code: 'RATE_LIMIT_EXCEEDED' })
  // When the oldest one's day is over.
  expect(refusal.retryAfterSeconds).toBeGreaterThan(80_000)
  expect(refusal.retryAfterSeconds).toBeLessThanOrEqual(86_400)
  expect(refusal.body).toMatchObject({
    code: 'RATE_LIMIT_EXCEEDED',
    customMessage: expect.stringContaining('5,000 keys'),
  })
  expect(await replay({ accountId, key: 'last' })).toEqual(REPLY)
  expect(await rowsOf(accountId)).toHaveLength(MAX_KEYS)
  await claim()
  // What is over makes room without waiting for a sweep, however much of others is over for longer.
  const others = uuid()
  await fill(others, 600)
  await age(others, '25 hours')
  await database.query(`update rpc_reply set expires_at = now() where account_id = $1 and key = 'filled-1'`, [
    accountId,
  ])
  await (await claim({ accountId, key: 'one-more' })).drop()
  await claim({ accountId, key: 'another' })
  expect(await refusalOf({ accountId, key: 'too-much' })).toMatchObject({ status: 429 })
  await expectCounted(accountId)
})

test('an account keeps 256 MiB', async () => {
  const accountId = uuid()
  await fill(accountId, 1, MAX_BYTES - 1)
  await claim({ accountId, key: 'fits' })
  await database.query('update rpc_reply_total set bytes = bytes + 1 where account_id = $1', [accountId])
  const { body: told } = await refusalOf({ accountId, key: 'does-not' })
  expect(told).toMatchObject({ customMessage: expect.stringContaining('256 MiB') })
})
