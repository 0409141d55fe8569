import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { uuid } from '@/lib/contract/ids'
import type { Usd } from '@/lib/contract/money'
import type { Database } from '@/lib/db/database'
import { DatabaseUnavailable } from '@/lib/db/outage'
import { testDatabase } from '@/lib/db/testing'
import { claimReply, dropRow } from '@/lib/endpoints/rpc/idempotency'
import {
  age,
  body,
  claim,
  expectCounted,
  OTHER,
  PRINT,
  REPLY,
  refusalOf,
  replay,
  rowsOf,
} from '@/lib/endpoints/rpc/testing-replies'

const database = await testDatabase()
const MIB = 1_048_576

test('a reply that was kept is told again as it was, with the request id of the first call', async () => {
  const accountId = uuid()
  await (await claim({ accountId, requestId: REPLY.requestId })).keep(REPLY)
  for (let n = 0; n < 2; n++) expect(await replay({ accountId, requestId: 'a-later-request' })).toEqual(REPLY)
  await expectCounted(accountId)
})

test.each([
  ['an empty body', new Uint8Array()],
  ['every byte there is', Uint8Array.from({ length: 256 }, (_, n) => n)],
  ['a body that is stored compressed', body('0x0000'.repeat(10_000))],
  ['a body that cannot be made smaller', randomBytes(5_000)],
  ['a view into a larger buffer', body('-----{"result":1}-----').subarray(5, 17)],
  ['the largest body', body('ab'.repeat(MIB / 2))],
])('%s comes back to the byte', async (_, bytes) => {
  const accountId = uuid()
  await (await claim({ accountId })).keep({ ...REPLY, body: bytes })
  const { body: told } = await replay({ accountId })
  expect(Buffer.from(told).equals(bytes)).toBe(true)
  await expectCounted(accountId)
})

test('only what gets smaller is compressed', async () => {
  const accountId = uuid()
  const bodies = { a: body('x'.repeat(1_024)), b: body('x'.repeat(1_025)), c: randomBytes(2_000) }
  for (const [key, bytes] of Object.entries(bodies))
    await (await claim({ accountId, key })).keep({ ...REPLY, body: bytes })
  const rows = await rowsOf(accountId)
  expect(rows.map(({ is_packed }) => is_packed)).toEqual([false, true, false])
  expect(rows[1]!.size).toBeLessThan(100)
})

test('any charge is told again exactly', async () => {
  const accountId = uuid()
  const cost = 9_007_199_254_740_993n as Usd
  await (await claim({ accountId })).keep({ ...REPLY, status: 400, credits: 2_000_000_000, cost })
  expect(await replay({ accountId })).toMatchObject({ status: 400, credits: 2_000_000_000, cost })
})

test('the key of one request is refused for another, whether that runs or is over', async () => {
  const accountId = uuid()
  const own = await claim({ accountId })
  expect(await refusalOf({ accountId, fingerprint: OTHER })).toMatchObject({
    code: 'IDEMPOTENCY_KEY_REUSED',
    status: 400,
  })
  await own.keep(REPLY)
  expect(await refusalOf({ accountId, fingerprint: OTHER })).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' })
  expect(await replay({ accountId })).toEqual(REPLY)
})

test('a call whose first request still runs is told to wait', async () => {
  const accountId = uuid()
  await claim({ accountId })
  expect(await refusalOf({ accountId })).toMatchObject({
    code: 'IDEMPOTENCY_IN_PROGRESS',
    status: 409,
    retryAfterSeconds: expect.any(Number),
  })
})

test('keys of different accounts have nothing to do with each other', async () => {
  const [mine, theirs] = [uuid(), uuid()]
  await (await claim({ accountId: mine })).keep(REPLY)
  await (await claim({ accountId: theirs, fingerprint: OTHER })).keep({ ...REPLY, body: body('theirs') })
  expect(await replay({ accountId: mine })).toEqual(REPLY)
  expect((await replay({ accountId: theirs, fingerprint: OTHER })).body).toEqual(body('theirs'))
})

test('keys are told apart to the letter, also the longest', async () => {
  const accountId = uuid()
  const keys = ['k', 'K', '_', '-', 'k'.repeat(254), 'k'.repeat(255), `${'k'.repeat(254)}j`, '1e1', '10', '-0', '0']
  for (const key of keys) await (await claim({ accountId, key })).keep({ ...REPLY, body: body(key) })
  for (const key of keys) expect((await replay({ accountId, key })).body).toEqual(body(key))
})

test('a dropped claim leaves nothing behind, and the key is free for any request', async () => {
  const accountId = uuid()
  await (await claim({ accountId })).drop()
  expect(await rowsOf(accountId)).toEqual([])
  await expectCounted(accountId)
  await (await claim({ accountId, fingerprint: OTHER })).keep(REPLY)
  expect(await replay({ accountId, fingerprint: OTHER })).toEqual(REPLY)
})

test.each([429, 500, 502, 503, 504])('a reply of status %i is not kept', async (status) => {
  const accountId = uuid()
  await (await claim({ accountId })).keep({ ...REPLY, status })
  expect(await rowsOf(accountId)).toEqual([])
})

test('a reply of more than 1 MiB is not kept, however well it compresses: a retry runs anew', async () => {
  const accountId = uuid()
  await (await claim({ accountId })).keep({ ...REPLY, body: Buffer.alloc(MIB + 1) })
  await claim({ accountId })
  await expectCounted(accountId)
})

test('a claim ends once: what comes after its end is without effect', async () => {
  const accountId = uuid()
  const kept = await claim({ accountId, key: 'kept' })
  await Promise.all([kept.keep(REPLY), kept.drop(), kept.keep({ ...REPLY, body: body('late') })])
  expect(await replay({ accountId, key: 'kept' })).toEqual(REPLY)
  const dropped = await claim({ accountId, key: 'dropped' })
  await dropped.drop()
  await dropped.keep(REPLY)
  await claim({ accountId, key: 'dropped' })
  await expectCounted(accountId)
})

test('a reply that is kept cannot be dropped by its own claim', async () => {
  const accountId = uuid()
  await (await claim({ accountId })).keep(REPLY)
  const [row] = await database.query<{ claim: string }>('select claim::text from rpc_reply where account_id = $1', [
    accountId,
  ])
  expect(await dropRow(database, { accountId, key: 'key', claim: row!.claim })).toBe(false)
  expect(await replay({ accountId })).toEqual(REPLY)
})

test('nothing is run while the database is away', async () => {
  const away = async (): Promise<Database> => ({
    ...database,
    query: () => Promise.reject(new Error('connection refused at db.internal:5432')),
  })
  const refusal = await refusalOf({}, away)
  expect(refusal).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 2 })
  expect(refusal.message).not.toContain('db.internal')
  expect(await refusalOf({}, () => Promise.reject(new Error('no database')))).toMatchObject({ status: 503 })
})

test('a reply is kept although the database was away for a moment, once', async () => {
  const accountId = uuid()
  let faults = 0
  const flaky = async (): Promise<Database> => ({
    ...database,
    async query<Row>(text: string, parameters?: unknown[]) {
      const rows = await database.query<Row>(text, parameters)
      // Written, and the answer lost.
      if (text.includes('keep_rpc_reply') && faults++ === 0) throw new DatabaseUnavailable('the connection was lost')
      return rows
    },
  })
  const answer = await claimReply({ accountId, key: 'key', fingerprint: PRINT, requestId: 'r' }, flaky)
  if ('claim' in answer) await answer.claim.keep(REPLY)
  expect(faults).toBe(2)
  expect(await replay({ accountId })).toEqual(REPLY)
  await expectCounted(accountId)
})

test('a claim that cannot be ended fails nobody: its lease does it', async () => {
  const accountId = uuid()
  let isBroken = false
  const refused = Object.assign(new Error('no such function'), { severity: 'ERROR', code: '42883' })
  const broken = async (): Promise<Database> => ({
    ...database,
    query: (text, parameters) => (isBroken ? Promise.reject(refused) : database.query(text, parameters)),
  })
  const answer = await claimReply({ accountId, key: 'key', fingerprint: PRINT, requestId: 'r' }, broken)
  if ('replay' in answer) throw new Error('a reply was there already')
  isBroken = true
  await expect(answer.claim.keep(REPLY)).resolves.toBeUndefined()
  await age(accountId, '60 seconds')
  await claim({ accountId })
})
