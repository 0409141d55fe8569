import { describe, expect, test } from 'vitest'
import { uuid } from '@/lib/contract/ids'
import { nano, pico } from '@/lib/contract/money'
import type { Database } from '@/lib/db/database'
import { DatabaseUnavailable } from '@/lib/db/outage'
import { testDatabase } from '@/lib/db/testing'
import type { Charge, HoldRequest, SharedHold } from '@/lib/services/ledger/hold'
import { checkLedger } from '@/lib/services/ledger/invariants'
import { balancesOf, createLedger, extend, hold, release, settled, shareHold } from '@/lib/services/ledger/ledger'
import { chargeOf } from '@/lib/services/ledger/meter'
import { chargeOfNano, makeAccount, makeKey } from '@/lib/services/ledger/testing'

const database = await testDatabase()

const asking = (accountId: string, amount: bigint, more: Partial<HoldRequest> = {}): HoldRequest => ({
  accountId,
  requestId: uuid(),
  amount: nano(amount),
  ...more,
})
const together = (count: number, ask: () => HoldRequest) =>
  Promise.all(Array.from({ length: count }, () => shareHold(ask())))
const endAll = (calls: SharedHold[], charge?: Charge) => Promise.all(calls.map((call) => call.end(charge)))
const usdOf = async (accountId: string) => (await balancesOf(accountId)).USD

type HoldRow = { id: string; state: string; amount: string; captured: string | null; currency: string }
const holdsOf = (accountId: string) =>
  database.query<HoldRow>('select id, state, amount::text, captured::text, currency from hold where account_id = $1', [
    accountId,
  ])
const recordsOf = (accountId: string) =>
  database.query<{ request_id: string; lines: { sku: string; units: number; price: string; amount: string }[] }>(
    'select request_id, lines from usage_record where account_id = $1',
    [accountId],
  )

async function expectSound(): Promise<void> {
  const findings = await checkLedger(database, { depth: 'full' })
  expect(findings.filter(({ broken }) => broken > 0)).toEqual([])
}

describe('a call that is alone', () => {
  test('is held for its amount, recorded under its own request id, and captured when its end is told', async () => {
    const account = await makeAccount(database, { USD: 1_000n })
    const request = asking(account, 20n)
    const call = await shareHold(request)
    expect(call.hold.balancesBefore).toMatchObject({ USD: 1_000n })
    expect(await usdOf(account)).toBe(980n)
    expect(await call.end(chargeOfNano(5n))).toMatchObject({
      charged: 5n,
      currency: 'USD',
      balancesAfter: { USD: 995n },
    })
    expect(await usdOf(account)).toBe(995n)
    expect(await recordsOf(account)).toMatchObject([{ request_id: request.requestId }])
  })

  test('shares nothing with the one after it', async () => {
    const account = await makeAccount(database, { USD: 1_000n })
    for (let n = 0; n < 3; n++) await (await shareHold(asking(account, 20n))).end(chargeOfNano(20n))
    expect(await holdsOf(account)).toMatchObject(Array(3).fill({ amount: '20', captured: '20' }))
    expect(await recordsOf(account)).toHaveLength(3)
  })

  test('of which nothing was delivered is told what can be spent, and charged nothing', async () => {
    const account = await makeAccount(database, { USD: 1_000n })
    const call = await shareHold(asking(account, 20n))
    expect(await call.end(undefined)).toEqual({
      charged: 0n,
      currency: 'USD',
      balancesAfter: { DIEM: 0n, BUNDLED_CREDITS: 0n, USD: 1_000n },
    })
    expect(await holdsOf(account)).toMatchObject([{ state: 'released' }])
  })

  test('that costs nothing is told its balances and asks for no hold', async () => {
    const account = await makeAccount(database, { USD: 7n })
    const call = await shareHold(asking(account, 0n))
    expect(call.hold.balancesBefore.USD).toBe(7n)
    expect(await call.end(undefined)).toMatchObject({ charged: 0n })
    expect(await holdsOf(account)).toEqual([])
  })
})

describe('calls at the same moment', () => {
  test('share one hold and one record, whose lines are merged by what and at which price', async () => {
    const account = await makeAccount(database, { USD: 10_000n })
    const calls = await together(10, () => asking(account, 60n))
    const lines = [
      { sku: 'crypto-rpc-base-mainnet', units: 20, price: pico(700n) },
      { sku: 'crypto-rpc-zksync-mainnet', units: 30, price: pico(700n) },
    ]
    await endAll(calls, chargeOf(lines))
    await settled()
    expect(await holdsOf(account)).toMatchObject([{ state: 'captured', amount: '600', captured: '350' }])
    expect(await usdOf(account)).toBe(9_650n)
    expect(await recordsOf(account)).toMatchObject([
      {
        lines: [
          { sku: 'crypto-rpc-base-mainnet', units: 200, price: '700', amount: '140' },
          { sku: 'crypto-rpc-zksync-mainnet', units: 300, price: '700', amount: '210' },
        ],
      },
    ])
    await expectSound()
  })

  test('are each told what can be spent before and after them, as if alone', async () => {
    const account = await makeAccount(database, { USD: 1_000n })
    const [one, two] = (await together(2, () => asking(account, 100n))) as [SharedHold, SharedHold]
    expect([one.hold.balancesBefore.USD, two.hold.balancesBefore.USD]).toEqual([1_000n, 900n])
    expect(await one.end(chargeOfNano(30n))).toMatchObject({ charged: 30n, balancesAfter: { USD: 870n } })
    expect(await two.end(undefined)).toMatchObject({ charged: 0n, balancesAfter: { USD: 970n } })
    await settled()
    expect(await usdOf(account)).toBe(970n)
  })

  test('keep their own request ids and amounts, under one hold', async () => {
    const account = await makeAccount(database, { USD: 1_000n })
    const requests = [asking(account, 10n), asking(account, 30n)]
    const calls = await Promise.all(requests.map((request) => shareHold(request)))
    expect(calls.map(({ hold: { requestId, amount } }) => ({ requestId, amount }))).toEqual(
      requests.map(({ requestId, amount }) => ({ requestId, amount })),
    )
    expect(calls[0]?.hold.id).toBe(calls[1]?.hold.id)
    await endAll(calls)
  })

  test('are ended once each, whatever is said later', async () => {
    const account = await makeAccount(database, { USD: 1_000n })
    const calls = await together(2, () => asking(account, 100n))
    const first = await endAll(calls, chargeOfNano(30n))
    expect(await endAll(calls, chargeOfNano(90n))).toEqual(first)
    await settled()
    expect(await usdOf(account)).toBe(940n)
  })

  test('pay no more than their amounts, also when more is asked of them', async () => {
    const account = await makeAccount(database, { USD: 1_000n })
    const calls = await together(2, () => asking(account, 100n))
    expect(await calls[0]?.end(chargeOfNano(400n))).toMatchObject({ charged: 100n })
    await calls[1]?.end(chargeOfNano(1n))
    await settled()
    expect(await usdOf(account)).toBe(899n)
    await expectSound()
  })

  test('of which none was delivered cost nothing and leave no record', async () => {
    const account = await makeAccount(database, { USD: 1_000n })
    await endAll(await together(5, () => asking(account, 100n)))
    await settled()
    expect(await holdsOf(account)).toMatchObject([{ state: 'released' }])
    expect(await usdOf(account)).toBe(1_000n)
  })

  test('of two keys of an account do not share', async () => {
    const account = await makeAccount(database, { USD: 1_000n })
    const keys = [await makeKey(database, account, { usd: 500n }), await makeKey(database, account)]
    const calls = await Promise.all(
      keys.flatMap((keyId) => [1, 2].map(() => shareHold(asking(account, 100n, { keyId })))),
    )
    await endAll(calls, chargeOfNano(100n))
    await settled()
    expect(await holdsOf(account)).toMatchObject([{ captured: '200' }, { captured: '200' }])
    await expectSound()
  })
})

describe('calls that go on overlapping', () => {
  test('are given room without asking again, and all is settled when the last has ended', async () => {
    const account = await makeAccount(database, { USD: 1_000_000n })
    const running = await together(50, () => asking(account, 10n))
    for (let n = 0; n < 400; n++) {
      running.push(await shareHold(asking(account, 10n)))
      await running.shift()?.end(n % 4 === 0 ? undefined : chargeOfNano(10n))
    }
    await endAll(running, chargeOfNano(10n))
    await settled()
    expect(await usdOf(account)).toBe(1_000_000n - (300n + 50n) * 10n)
    expect((await holdsOf(account)).length).toBeLessThan(20)
    await expectSound()
  })

  test('join the next hold when the first is a second old', async () => {
    const account = await makeAccount(database, { USD: 1_000_000n })
    const first = await together(2, () => asking(account, 10n))
    const early = await together(2, () => asking(account, 10n))
    await endAll(early)
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    const late = await shareHold(asking(account, 10n))
    expect(first.concat(early).map((call) => call.hold.id)).not.toContain(late.hold.id)
    await endAll([...first, late], chargeOfNano(10n))
    await settled()
    expect(await usdOf(account)).toBe(1_000_000n - 30n)
  })

  test('have what was delivered on their hold, for a sweep to charge should this process die', async () => {
    const account = await makeAccount(database, { USD: 1_000_000n })
    const calls = await together(3, () => asking(account, 10n))
    await calls[0]?.end(chargeOfNano(10n))
    await calls[1]?.end(chargeOfNano(7n))
    await settled()
    const marked = await database.query('select checkpoint::text from hold where account_id = $1', [account])
    expect(marked).toEqual([{ checkpoint: '17' }])
    await calls[2]?.end(undefined)
    await settled()
  })
})

describe('little credit', () => {
  test('for a group is shared out one by one, with the error that each alone would get', async () => {
    const account = await makeAccount(database, { USD: 350n })
    const asked = Array.from({ length: 5 }, () => shareHold(asking(account, 100n)))
    const outcomes = await Promise.allSettled(asked)
    const good = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    expect(good).toHaveLength(3)
    const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
    expect(errors).toMatchObject(Array(2).fill({ code: 'INSUFFICIENT_BALANCE' }))
    await endAll(good, chargeOfNano(100n))
    await settled()
    expect(await usdOf(account)).toBe(50n)
    await expectSound()
  })

  test('is also what a limited key has', async () => {
    const account = await makeAccount(database, { USD: 1_000n })
    const keyId = await makeKey(database, account, { usd: 250n })
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, () => shareHold(asking(account, 100n, { keyId }))),
    )
    const codes = outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.code : 'granted')).sort()
    const limit = 'API_KEY_USD_SPEND_LIMIT_EXCEEDED'
    expect(codes).toEqual([limit, limit, limit, 'granted', 'granted'])
    for (const outcome of outcomes) if (outcome.status === 'fulfilled') await outcome.value.end(undefined)
  })

  test('below the least that a request needs refuses all of a group, and none of one that reaches it together', async () => {
    const floor = { minimumBalance: nano(1_000n) }
    const poor = await makeAccount(database, { USD: 999n })
    const refused = await Promise.allSettled(Array.from({ length: 3 }, () => shareHold(asking(poor, 10n, floor))))
    expect(refused.map(({ status }) => status)).toEqual(Array(3).fill('rejected'))
    const edge = await makeAccount(database, { USD: 1_025n })
    const asked = Array.from({ length: 5 }, () => shareHold(asking(edge, 10n, floor)))
    const outcomes = await Promise.allSettled(asked)
    expect(outcomes.map(({ status }) => status)).toEqual(Array(5).fill('fulfilled'))
    for (const outcome of outcomes) if (outcome.status === 'fulfilled') await outcome.value.end(undefined)
    await settled()
  })

  test('that a call gave up is there for the next, in whatever hold it was', async () => {
    const account = await makeAccount(database, { USD: 300n })
    const calls = await together(3, () => asking(account, 100n))
    await calls[0]?.end(undefined)
    const other = await hold(asking(account, 100n, { requestId: 'chat' }))
    expect(other.amount).toBe(100n)
    await calls[1]?.end(undefined)
    expect(await extend(other, nano(100n))).toBe(true)
    await calls[2]?.end(chargeOfNano(100n))
    await release(other, 'done')
    await settled()
    expect(await usdOf(account)).toBe(200n)
    await expectSound()
  })

  test('in the currency that is spent first is spent to its end before the next', async () => {
    const account = await makeAccount(database, { DIEM: 250n, USD: 10_000n })
    const calls = await together(4, () => asking(account, 100n))
    expect(calls.map((call) => call.hold.currency).sort()).toEqual(['DIEM', 'DIEM', 'USD', 'USD'])
    await endAll(calls, chargeOfNano(100n))
    await settled()
    expect(await balancesOf(account)).toMatchObject({ DIEM: 50n, USD: 9_800n })
  })

  test('a key that may not spend the first currency shares the second all the same', async () => {
    const account = await makeAccount(database, { DIEM: 10_000n, USD: 10_000n })
    const keyId = await makeKey(database, account, { diem: 0n })
    const first = await shareHold(asking(account, 100n, { keyId }))
    const calls = await together(10, () => asking(account, 100n, { keyId }))
    await endAll([first, ...calls], chargeOfNano(100n))
    await settled()
    expect(await holdsOf(account)).toMatchObject([{ captured: '100' }, { currency: 'USD', captured: '1000' }])
  })
})

test('while the database is away everyone who waits hears it, and what was delivered is charged when it is back', async () => {
  const account = await makeAccount(database, { USD: 1_000n })
  let isAway = false
  const shaky: Database = {
    ...database,
    query: (...asked) =>
      isAway ? Promise.reject(new DatabaseUnavailable(new Error('away'))) : database.query(...asked),
  }
  const ledger = createLedger(shaky)
  const calls = await Promise.all([1, 2, 3].map(() => ledger.share(asking(account, 100n))))
  isAway = true
  const refused = await Promise.allSettled([1, 2, 3].map(() => ledger.share(asking(account, 100n))))
  expect(refused).toMatchObject(Array(3).fill({ status: 'rejected', reason: { code: 'SERVICE_UNAVAILABLE' } }))
  expect(await Promise.all(calls.map((call) => call.end(chargeOfNano(100n))))).toMatchObject(
    Array(3).fill({ charged: 100n }),
  )
  setTimeout(() => {
    isAway = false
  }, 50)
  await ledger.settled()
  ledger.abandon()
  expect(await usdOf(account)).toBe(700n)
  const retry = await ledger.share(asking(account, 100n))
  expect(await retry.end(undefined)).toMatchObject({ charged: 0n })
  await expectSound()
})

test('a revoked key gets no further hold, and what it had delivered is charged', async () => {
  const account = await makeAccount(database, { USD: 10_000n })
  const keyId = await makeKey(database, account)
  const calls = await together(3, () => asking(account, 100n, { keyId }))
  await database.query('update api_key set revoked_at = now() where id = $1', [keyId])
  await expect(together(2, () => asking(account, 200n, { keyId }))).rejects.toMatchObject({
    code: 'AUTHENTICATION_FAILED',
  })
  await endAll(calls, chargeOfNano(100n))
  await settled()
  expect(await usdOf(account)).toBe(9_700n)
})
