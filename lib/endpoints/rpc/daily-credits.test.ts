import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ApiError } from '@/lib/contract/errors'
import { uuid } from '@/lib/contract/ids'
import { installDatabase } from '@/lib/db/client'
import { testDatabase } from '@/lib/db/testing'
import { assertDailyCredits, countCredits, flushCredits } from '@/lib/endpoints/rpc/daily-credits'
import { perProcess, resetPerProcess } from '@/lib/kernel/per-process'
import { parseLimits } from '@/lib/services/limits/limits-file'

const database = await testDatabase()

beforeEach(() => allow(1_000))
afterEach(() => {
  vi.useRealTimers()
  resetPerProcess('limits')
  resetPerProcess('rpc-credits')
})

function allow(creditsPerDay: number): void {
  resetPerProcess('limits')
  perProcess('limits', () => parseLimits(`cryptoRpc: { creditsPerDay: ${creditsPerDay} }`))
}

const otherProcess = () => resetPerProcess('rpc-credits')

async function refusalOf(account: string, credits: number, multiplier?: number): Promise<ApiError | undefined> {
  try {
    await assertDailyCredits(account, credits, multiplier)
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  return undefined
}

test('an account may use its cap to the last credit', async () => {
  const account = uuid()
  expect(await refusalOf(account, 1_000)).toBeUndefined()
  countCredits(account, 980)
  expect(await refusalOf(account, 20)).toBeUndefined()
  expect(await refusalOf(account, 21)).toMatchObject({ status: 429 })
  countCredits(account, 20)
  expect(await refusalOf(account, 1)).toMatchObject({ status: 429 })
  expect(await refusalOf(uuid(), 1_000)).toBeUndefined()
})

test('a known account is answered without waiting', async () => {
  const account = uuid()
  await assertDailyCredits(account, 1)
  expect(assertDailyCredits(account, 1)).toBeUndefined()
  countCredits(account, 1_000)
  expect(() => assertDailyCredits(account, 1)).toThrow(ApiError)
})

test('the refusal names the cap, what is used, and the moment at which there is room', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(`${new Date().toISOString().slice(0, 10)}T02:10:00Z`) })
  const account = uuid()
  await refusalOf(account, 1)
  countCredits(account, 990)
  vi.setSystemTime(Date.now() + 3 * 3_600_000)
  countCredits(account, 5)
  const refusal = await refusalOf(account, 20)
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
  expect(refusal?.body).toEqual({
    error: refusal?.message,
    code: 'RATE_LIMIT_EXCEEDED',
    customMessage: `Daily cap: 1,000 JSON-RPC credits in any 24 hours. 995 are used, and this request may need 20. Enough credits are available again at ${tomorrow}T03:00Z; smaller requests may fit earlier.`,
  })
  // From 05:10 to 03:00 of the next day.
  expect(refusal?.retryAfterSeconds).toBe(21 * 3_600 + 50 * 60)
  vi.setSystemTime(Date.now() + (refusal?.retryAfterSeconds ?? 0) * 1_000)
  expect(await refusalOf(account, 20)).toBeUndefined()
})

test('a request that is larger than the cap is told so', async () => {
  const refusal = await refusalOf(uuid(), 1_001)
  expect(refusal?.body).toMatchObject({ customMessage: expect.stringContaining('send a smaller batch') })
})

test('the cap is multiplied for callers with a multiplier', async () => {
  const account = uuid()
  expect(await refusalOf(account, 10_000, 10)).toBeUndefined()
  expect(await refusalOf(account, 10_001, 10)).toMatchObject({ status: 429 })
})

test('no cap asks nothing and writes nothing', async () => {
  allow(0)
  const account = uuid()
  expect(assertDailyCredits(account, 1_000_000_000)).toBeUndefined()
  countCredits(account, 1_000_000_000)
  await flushCredits()
  expect(await database.query('select 1 from rpc_credits where account_id = $1', [account])).toEqual([])
})

test('what one process counted keeps another from passing the cap', async () => {
  const account = uuid()
  countCredits(account, 990)
  await flushCredits()
  otherProcess()
  expect(await refusalOf(account, 20)).toMatchObject({ status: 429 })
})

test('a flush writes all, and another has nothing to do', async () => {
  const account = uuid()
  countCredits(account, 5)
  countCredits(account, 0)
  await Promise.all([flushCredits(), flushCredits()])
  await flushCredits()
  const rows = await database.query('select credits::int as credits from rpc_credits where account_id = $1', [account])
  expect(rows).toEqual([{ credits: 5 }])
})

test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('%d is no number of credits', (credits) => {
  expect(() => countCredits(uuid(), credits)).toThrow(RangeError)
})

test('an account that nobody can look up is not let through', async () => {
  installDatabase({ ...database, query: () => Promise.reject(new Error('connection refused at db.internal')) })
  try {
    const refusal = await refusalOf(uuid(), 1)
    expect(refusal).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' })
    expect(refusal?.message).not.toContain('db.internal')
  } finally {
    installDatabase(database)
  }
})
