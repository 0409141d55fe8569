import { expect, test } from 'vitest'
import { uuid } from '@/lib/contract/ids'
import { nano, perUnit, usd } from '@/lib/contract/money'
import { testDatabase } from '@/lib/db/testing'
import { balancesOf, credit, flushCharges, hold } from '@/lib/services/ledger/ledger'
import type { HoldRequest } from '@/lib/services/ledger/ledger-types'
import { createMeter } from '@/lib/services/ledger/meter'
import { InsufficientBalance } from '@/lib/services/ledger/refusal'
import { makeAccount, makeKey } from '@/lib/services/ledger/testing'

const database = await testDatabase()

const CENT = usd('0.01')
const cents = (count: number) => nano(BigInt(count) * CENT)
async function meterOf(accountId: string, amount: number, more: Partial<HoldRequest> = {}) {
  return createMeter(await hold({ accountId, requestId: uuid(), amount: cents(amount), ...more }))
}
const charging = (count: number) => () => ({ lines: [{ sku: 'test-unit', units: count, price: perUnit(0.01) }] })
const balances = async (accountId: string) => await balancesOf(accountId)
const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )

test('what is set aside grows to the cost, and no further', async () => {
  const account = await makeAccount(database, { USD: cents(100) })
  const meter = await meterOf(account, 10)
  await meter.reserve(cents(5))
  expect(meter.hold.amount).toBe(cents(10))
  await meter.reserve(cents(60))
  expect(meter.hold.amount).toBe(cents(60))
  expect((await balances(account)).USD).toBe(cents(40))
  meter.readWith(charging(55))
  expect(await meter.settle()).toMatchObject({ usd: cents(55) })
  expect((await balances(account)).USD).toBe(cents(45))
})

test('credit that does not reach is told with what the hold itself has, and the hold stays as it was', async () => {
  const account = await makeAccount(database, { USD: cents(50) })
  const meter = await meterOf(account, 20)
  const error = await failureOf(meter.reserve(cents(51)))
  expect(error).toBeInstanceOf(InsufficientBalance)
  expect(error).toMatchObject({
    status: 402,
    balances: { USD: cents(50) },
    needed: cents(51),
    message: expect.stringMatching(/may cost up to 0\.51 USD, and 0\.50 USD is available/),
  })
  expect(meter.hold.amount).toBe(cents(20))
  await meter.reserve(cents(50))
  await meter.settle()
  expect((await balances(account)).USD).toBe(cents(50))
})

test('a currency that is too small gives way to the next one, and gets all of its own back', async () => {
  const account = await makeAccount(database, { DIEM: cents(15), USD: cents(100) })
  const meter = await meterOf(account, 10)
  expect(meter.hold.currency).toBe('DIEM')
  await meter.reserve(cents(14))
  expect(meter.hold).toMatchObject({ currency: 'DIEM', amount: cents(14) })
  await meter.reserve(cents(40))
  expect(meter.hold).toMatchObject({ currency: 'USD', amount: cents(40) })
  expect(await balances(account)).toMatchObject({ DIEM: cents(15), USD: cents(60) })
  meter.readWith(charging(33))
  expect(await meter.settle()).toMatchObject({ usd: cents(33), diem: 0n })
  expect(await balances(account)).toMatchObject({ DIEM: cents(15), USD: cents(67) })
})

test('what was marked of a hold that gave way to another is not left to a sweep', async () => {
  const account = await makeAccount(database, { DIEM: cents(15), USD: cents(100) })
  const meter = await meterOf(account, 10)
  meter.readWith(charging(7))
  meter.mark()
  await flushCharges()
  const marks = () => database.query('select 1 from checkpoint where request_id = $1', [meter.hold.requestId])
  expect(await marks()).toHaveLength(1)
  await meter.reserve(cents(40))
  await flushCharges()
  expect(await marks()).toEqual([])
  expect(await meter.settle()).toMatchObject({ usd: cents(7), diem: 0n })
  expect(await balances(account)).toMatchObject({ DIEM: cents(15), USD: cents(93) })
})

test('two currencies that only reach together do not: a request is paid in one', async () => {
  const account = await makeAccount(database, { DIEM: cents(15), USD: cents(30) })
  const meter = await meterOf(account, 10)
  expect(await failureOf(meter.reserve(cents(40)))).toBeInstanceOf(InsufficientBalance)
  expect(meter.hold).toMatchObject({ currency: 'DIEM', amount: cents(10) })
})

test('work that seemed free gets a hold when it turns out to cost something', async () => {
  const account = await makeAccount(database, { USD: cents(12) })
  const meter = await meterOf(account, 0)
  await meter.reserve(nano(0n))
  expect(meter.hold.amount).toBe(0n)
  await meter.reserve(cents(3))
  expect(meter.hold.amount).toBe(cents(3))
  meter.readWith(charging(2))
  expect(await meter.settle()).toMatchObject({ usd: cents(2) })
  expect((await balances(account)).USD).toBe(cents(10))
})

test('to begin to pay takes as much credit as for any paid request', async () => {
  const account = await makeAccount(database, { USD: cents(9) })
  const meter = await meterOf(account, 0)
  expect(await failureOf(meter.reserve(cents(1)))).toBeInstanceOf(InsufficientBalance)
  expect((await meter.settle()).usd).toBe(0n)
})

test('work that asks for more after its end holds nothing', async () => {
  const account = await makeAccount(database, { DIEM: cents(15), USD: cents(100) })
  const meter = await meterOf(account, 10)
  const late = meter.reserve(cents(40))
  await meter.settle()
  await late
  await meter.reserve(cents(50))
  expect(await balances(account)).toMatchObject({ DIEM: cents(15), USD: cents(100) })
  const open = await database.query(`select id from hold where account_id = $1 and state = 'open'`, [account])
  expect(open).toEqual([])
})

test('a key hears of its own limit, and of its end', async () => {
  const account = await makeAccount(database, { USD: cents(100) })
  const keyId = await makeKey(database, account, { usd: cents(20), period: 'LIFETIME' })
  const meter = await meterOf(account, 10, { keyId })
  expect(await failureOf(meter.reserve(cents(21)))).toMatchObject({ code: 'API_KEY_USD_SPEND_LIMIT_EXCEEDED' })
  await meter.reserve(cents(20))
  await database.query('update api_key set revoked_at = now() where id = $1', [keyId])
  await credit({ accountId: account, currency: 'USD', amount: cents(1), kind: 'grant', idempotencyKey: uuid() })
  expect(await failureOf(meter.reserve(cents(25)))).toMatchObject({ code: 'AUTHENTICATION_FAILED' })
  await meter.settle()
})
