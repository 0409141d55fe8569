import { describe, expect, test } from 'vitest'
import { uuid } from '@/lib/contract/ids'
import { nano } from '@/lib/contract/money'
import { testDatabase } from '@/lib/db/testing'
import { capture, credit, extend, hold, release, settled } from '@/lib/services/ledger/ledger'
import type { HoldRequest } from '@/lib/services/ledger/ledger-types'
import { chargeOfNano, makeAccount, makeKey } from '@/lib/services/ledger/testing'

const database = await testDatabase()

const asking = (accountId: string, amount: bigint, more: Partial<HoldRequest> = {}): HoldRequest => ({
  accountId,
  requestId: uuid(),
  amount: nano(amount),
  ...more,
})

const keyRow = async (id: string) =>
  (await database.query(`select spent_usd::text as spent, held_usd::text as held from api_key where id = $1`, [id]))[0]

describe('who may hold', () => {
  test('without enough credit the caller hears 402 with what it may cost and what is there', async () => {
    const account = await makeAccount(database, { USD: 1_500_000n })
    const refusal = await hold(asking(account, 250_000_000n)).catch((error: unknown) => error)
    expect(refusal).toMatchObject({ code: 'INSUFFICIENT_BALANCE', status: 402 })
    expect(String(refusal)).toContain('0.25 USD, and 0.0015 USD is available')
    await expect(hold(asking(await makeAccount(database), 1n))).rejects.toMatchObject({ code: 'INSUFFICIENT_BALANCE' })
  })

  test('the balance over all currencies must reach the minimum balance', async () => {
    const account = await makeAccount(database, { USD: 60n, DIEM: 39n })
    await expect(hold(asking(account, 1n, { minimumBalance: nano(100n) }))).rejects.toMatchObject({
      code: 'INSUFFICIENT_BALANCE',
    })
    await credit({ accountId: account, currency: 'USD', amount: nano(1n), kind: 'grant', idempotencyKey: uuid() })
    await expect(hold(asking(account, 1n, { minimumBalance: nano(100n) }))).resolves.toMatchObject({ currency: 'DIEM' })
  })

  test('what running requests have set aside counts towards the minimum balance, and is not spent twice', async () => {
    const account = await makeAccount(database, { USD: 150n })
    const minimumBalance = nano(100n)
    const running = await hold(asking(account, 60n, { minimumBalance }))
    const next = await hold(asking(account, 80n, { minimumBalance }))
    await expect(hold(asking(account, 11n, { minimumBalance }))).rejects.toThrow(/may cost up to .* 0.00000001 USD is/)
    expect(await capture(running, chargeOfNano(60n))).toMatchObject({ charged: 60n })
    // Now it has 90, whoever holds them.
    await expect(hold(asking(account, 1n, { minimumBalance }))).rejects.toThrow(/needs at least/)
    expect(await capture(next, chargeOfNano(80n))).toMatchObject({ charged: 80n })
  })

  test('the first currency in spend order that covers the whole is used', async () => {
    const account = await makeAccount(database, { USD: 100n, BUNDLED_CREDITS: 50n, DIEM: 20n })
    const currencies = []
    for (const amount of [20n, 50n, 40n, 60n]) currencies.push((await hold(asking(account, amount))).currency)
    expect(currencies).toEqual(['DIEM', 'BUNDLED_CREDITS', 'USD', 'USD'])
  })

  test('open-ended work starts with less, down to its minimum', async () => {
    const account = await makeAccount(database, { USD: 30n, DIEM: 9n })
    expect(await hold(asking(account, 100n, { minimum: nano(10n) }))).toMatchObject({ currency: 'USD', amount: 30n })
    expect(await hold(asking(account, 100n, { minimum: nano(9n) }))).toMatchObject({ currency: 'DIEM', amount: 9n })
    await expect(hold(asking(account, 100n, { minimum: nano(1n) }))).rejects.toMatchObject({
      code: 'INSUFFICIENT_BALANCE',
    })
  })

  test('a disabled account, a revoked and an expired key are refused, and get no extension', async () => {
    const account = await makeAccount(database, { USD: 1000n })
    const [revoked, expired] = [await makeKey(database, account), await makeKey(database, account)]
    const running = await hold(asking(account, 1n, { keyId: revoked }))
    await database.query('update api_key set revoked_at = now() where id = $1', [revoked])
    await database.query('update api_key set expires_at = now() where id = $1', [expired])
    for (const keyId of [revoked, expired, uuid()]) {
      await expect(hold(asking(account, 1n, { keyId }))).rejects.toMatchObject({
        code: 'AUTHENTICATION_FAILED',
        status: 401,
      })
    }
    expect(await extend(running, nano(1n))).toBe(false)
    await database.query(`update account set status = 'disabled' where id = $1`, [account])
    await expect(hold(asking(account, 1n))).rejects.toMatchObject({ code: 'API_ACCESS_DISABLED', status: 403 })
    // Work that was done is paid, also what was not set aside for it.
    expect(await capture(running, chargeOfNano(30n))).toMatchObject({ charged: 30n })
  })

  test('the key of another account pays for nothing', async () => {
    const keyId = await makeKey(database, await makeAccount(database))
    const account = await makeAccount(database, { USD: 10n })
    await expect(hold(asking(account, 1n, { keyId }))).rejects.toMatchObject({ code: 'AUTHENTICATION_FAILED' })
  })
})

describe('key limits', () => {
  test('the USD limit counts USD and bundled credits, held and spent', async () => {
    const account = await makeAccount(database, { USD: 100n, BUNDLED_CREDITS: 10n })
    const keyId = await makeKey(database, account, { usd: 30n })
    const bundled = await hold(asking(account, 10n, { keyId }))
    await capture(await hold(asking(account, 15n, { keyId })), chargeOfNano(12n))
    await settled()
    expect(await keyRow(keyId)).toEqual({ spent: '12', held: '10' })
    const refusal = hold(asking(account, 9n, { keyId }))
    await expect(refusal).rejects.toMatchObject({ code: 'API_KEY_USD_SPEND_LIMIT_EXCEEDED', status: 402 })
    await release(bundled)
    await expect(hold(asking(account, 18n, { keyId }))).resolves.toMatchObject({ currency: 'USD' })
  })

  test('the DIEM limit counts DIEM; other money that the key may spend is used instead', async () => {
    const account = await makeAccount(database, { DIEM: 100n })
    const keyId = await makeKey(database, account, { diem: 10n })
    await hold(asking(account, 10n, { keyId }))
    await expect(hold(asking(account, 1n, { keyId }))).rejects.toMatchObject({
      code: 'API_KEY_DIEM_SPEND_LIMIT_EXCEEDED',
    })
    await credit({ accountId: account, currency: 'USD', amount: nano(5n), kind: 'grant', idempotencyKey: uuid() })
    await expect(hold(asking(account, 1n, { keyId }))).resolves.toMatchObject({ currency: 'USD' })
  })

  test('a limit bounds extensions, and what is taken beyond a hold', async () => {
    const account = await makeAccount(database, { USD: 100n })
    const keyId = await makeKey(database, account, { usd: 30n })
    const held = await hold(asking(account, 20n, { keyId }))
    expect(await extend(held, nano(11n))).toBe(false)
    expect(await extend(held, nano(5n))).toBe(true)
    expect(held.amount).toBe(25n)
    expect(await capture(held, chargeOfNano(40n))).toMatchObject({ charged: 30n })
    await settled()
    expect(await keyRow(keyId)).toEqual({ spent: '30', held: '0' })
  })

  test.each([
    ['EPOCH', '1 day', true],
    ['MONTH', '32 days', true],
    ['LIFETIME', '1000 days', false],
  ] as const)('a %s limit starts anew after %s: %s', async (period, ago, isFree) => {
    const account = await makeAccount(database, { USD: 100n })
    const keyId = await makeKey(database, account, { usd: 10n, period })
    await capture(await hold(asking(account, 7n, { keyId })), chargeOfNano(7n))
    await settled()
    const open = await hold(asking(account, 3n, { keyId }))
    await database.query(`update api_key set period_start = now() - $2::interval where id = $1`, [keyId, ago])
    if (!isFree) return expect(hold(asking(account, 1n, { keyId }))).rejects.toMatchObject({ status: 402 })
    // The open hold of the earlier period stays set aside.
    await expect(hold(asking(account, 8n, { keyId }))).rejects.toMatchObject({ status: 402 })
    await hold(asking(account, 7n, { keyId }))
    await capture(open, chargeOfNano(3n))
    await settled()
    expect(await keyRow(keyId)).toEqual({ spent: '3', held: '7' })
  })
})
