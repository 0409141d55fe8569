import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ApiError } from '@/lib/contract/errors'
import { testDatabase } from '@/lib/db/testing'
import { perProcess, resetPerProcess } from '@/lib/kernel/per-process'
import { testCaller, testContext } from '@/lib/services/identity/testing'
import { limitAddress, limitRequest, limitRoute, recordTokens } from '@/lib/services/limits/limits'
import { loadLimits } from '@/lib/services/limits/limits-file'
import { noteBreach, saveBreaches } from '@/lib/services/limits/note-breach'

const MINUTE = Date.UTC(2026, 6, 18, 10, 0, 0)
const large = { id: 'atlas-large', type: 'text', tier: 'L' } as const
const image = { id: 'atlas-image', type: 'image', tier: 'XS' } as const

const database = await testDatabase()
afterAll(saveBreaches)

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: MINUTE })
  for (const name of ['limits', 'windows']) resetPerProcess(name)
})
afterEach(() => void vi.useRealTimers())

const refusalOf = (run: () => unknown): ApiError => {
  try {
    run()
  } catch (error) {
    if (error instanceof ApiError) return error
  }
  throw new Error('nothing was refused')
}

test.each([
  ['XS', 'text', 500, 1_000_000],
  ['S', 'text', 75, 750_000],
  ['M', 'text', 50, 750_000],
  ['L', 'text', 20, 500_000],
  ['XS', 'image', 20, undefined],
  ['XS', 'inpaint', 20, undefined],
  ['XS', 'upscale', 20, undefined],
  ['XS', 'tts', 60, undefined],
  ['XS', 'asr', 60, undefined],
  ['XS', 'embedding', 500, undefined],
  ['XS', 'video', 40, undefined],
  ['XS', 'music', 40, undefined],
] as const)('a minute of tier %s, type %s, allows %d requests and %s tokens', (tier, type, requests, tokens) => {
  const context = testContext()
  const caller = testCaller()
  const model = { id: `${type}-${tier}`, type, tier }
  for (let n = 1; n <= requests; n++) {
    expect(limitRequest(context, caller, model)).toMatchObject({
      limitRequests: requests,
      remainingRequests: requests - n,
    })
  }
  expect(context.facts.rateLimit?.limitTokens).toBe(tokens)
  expect(refusalOf(() => limitRequest(context, caller, model)).code).toBe('RATE_LIMIT_EXCEEDED')
})

test('the request window resets at an absolute second, the token window after a number of seconds', () => {
  vi.setSystemTime(MINUTE + 12_345)
  const caller = testCaller()
  recordTokens(caller, large, 1_200)
  expect(limitRequest(testContext(), caller, large)).toEqual({
    limitRequests: 20,
    remainingRequests: 19,
    resetRequestsAt: MINUTE / 1_000 + 60,
    limitTokens: 500_000,
    remainingTokens: 498_800,
    resetTokensSeconds: 48,
  })
})

test('a refusal says when to come back, which limit it was, and leaves the true state', () => {
  const caller = testCaller()
  for (let n = 0; n < 20; n++) limitRequest(testContext(), caller, large)
  vi.setSystemTime(MINUTE + 59_500)
  const context = testContext()
  const error = refusalOf(() => limitRequest(context, caller, large))
  expect(error).toMatchObject({ status: 429, retryAfterSeconds: 1 })
  expect(context.facts).toMatchObject({
    rateLimitType: 'user',
    rateLimit: { remainingRequests: 0, resetTokensSeconds: 1 },
  })
  vi.setSystemTime(MINUTE + 60_000)
  expect(limitRequest(testContext(), caller, large)).toMatchObject({ remainingRequests: 19 })
})

test('tokens that were used refuse the next request, which costs none of the minute’s requests', () => {
  const caller = testCaller()
  limitRequest(testContext(), caller, large)
  recordTokens(caller, large, 499_999)
  expect(limitRequest(testContext(), caller, large)).toMatchObject({ remainingTokens: 1, remainingRequests: 18 })
  recordTokens(caller, large, 5_000)
  const context = testContext()
  expect(refusalOf(() => limitRequest(context, caller, large)).message).toContain('500000 tokens')
  expect(context.facts.rateLimit).toMatchObject({ remainingTokens: 0, remainingRequests: 18 })
  vi.setSystemTime(MINUTE + 60_000)
  expect(limitRequest(testContext(), caller, large)).toMatchObject({ remainingTokens: 500_000 })
})

test('a multiplier multiplies requests and tokens', () => {
  expect(limitRequest(testContext(), testCaller({ rateMultiplier: 3 }), large)).toMatchObject({
    limitRequests: 60,
    remainingRequests: 59,
    limitTokens: 1_500_000,
  })
})

test('keys of one account share its minute; models and accounts do not', () => {
  const accountId = testCaller().accountId
  for (let n = 0; n < 20; n++) limitRequest(testContext(), testCaller({ accountId }), large)
  expect(refusalOf(() => limitRequest(testContext(), testCaller({ accountId }), large)).status).toBe(429)
  expect(limitRequest(testContext(), testCaller({ accountId }), image)).toMatchObject({ remainingRequests: 19 })
  expect(limitRequest(testContext(), testCaller(), large)).toMatchObject({ remainingRequests: 19 })
})

test('a limit of 0 is none: nothing is refused and no number is made up for the headers', () => {
  const unlimited = {
    ...loadLimits(),
    tiers: { ...loadLimits().tiers, L: { requestsPerMinute: 0, tokensPerMinute: 0 } },
  }
  perProcess('limits', () => unlimited)
  const context = testContext()
  const caller = testCaller()
  recordTokens(caller, large, 10_000_000)
  for (let n = 0; n < 1_000; n++) expect(limitRequest(context, caller, large)).toBeUndefined()
  expect(context.facts.rateLimit).toBeUndefined()
})

test('routes without a model have buckets of their own', () => {
  const caller = testCaller()
  for (let n = 0; n < 20; n++) limitRoute(testContext(), caller, 'augment')
  expect(refusalOf(() => limitRoute(testContext(), caller, 'augment')).status).toBe(429)
  expect(limitRoute(testContext(), caller, 'default')).toEqual({
    limitRequests: 500,
    remainingRequests: 499,
    resetRequestsAt: MINUTE / 1_000 + 60,
  })
})

test('refusals are noted for the account’s log, a thousand of one kind as one', async () => {
  const caller = testCaller()
  for (let n = 0; n < 1_020; n++) {
    try {
      limitRequest(testContext(), caller, image)
    } catch {
      // Counted below.
    }
  }
  recordTokens(caller, large, 600_000)
  refusalOf(() => limitRequest(testContext(), caller, large))
  await saveBreaches()
  const rows = await database.query(
    'select key_id as "keyId", model_id as "modelId", tier, type, at::text from rate_limit_breach where account_id = $1 order by type',
    [caller.accountId],
  )
  const keyId = caller.via.type === 'key' && caller.via.keyId
  expect(rows).toMatchObject([
    { keyId, modelId: 'atlas-image', tier: 'XS', type: 'RPM' },
    { keyId, modelId: 'atlas-large', tier: 'L', type: 'TPM' },
  ])
})

test('an account’s log is bounded, and other accounts’ are left alone', async () => {
  const [noisy, quiet] = [testCaller(), testCaller()]
  const breach = (caller: typeof noisy, modelId: string) =>
    noteBreach({ accountId: caller.accountId, modelId, tier: 'L', type: 'RPM' }, Date.now())
  breach(quiet, 'kept')
  for (let n = 0; n < 450; n++) breach(noisy, `model-${n}`)
  await saveBreaches()
  const counts = await database.query<{ count: number }>(
    'select count(*)::int as count from rate_limit_breach where account_id = any($1::uuid[]) group by account_id order by 1',
    [[noisy.accountId, quiet.accountId]],
  )
  expect(counts.map(({ count }) => count)).toEqual([1, 200])
})

test('a route without credentials is limited by the client’s address, and leaves no account a breach', async () => {
  const from = (clientAddress: string) => testContext({ clientAddress })
  for (let n = 0; n < 10; n++) limitAddress(from('192.0.2.1'), 'top-up')
  const refused = from('192.0.2.1')
  expect(refusalOf(() => limitAddress(refused, 'top-up'))).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', status: 429 })
  expect(refused.facts.rateLimitType).toBe('user')
  expect(limitAddress(from('192.0.2.2'), 'top-up')).toMatchObject({ limitRequests: 10, remainingRequests: 9 })
  const before = await database.query('select 1 from rate_limit_breach')
  await saveBreaches()
  expect(await database.query('select 1 from rate_limit_breach')).toHaveLength(before.length)
})
