import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { GET as balanceRoute } from '@/app/api/v1/billing/balance/route'
import { GET as usageRoute } from '@/app/api/v1/billing/usage/route'
import { GET as analyticsRoute } from '@/app/api/v1/billing/usage-analytics/route'
import { GET as historyRoute } from '@/app/api/v1/billing/usage-history/route'
import { createKey } from '@/lib/access/api-keys'
import { testAccount, withEnvironment } from '@/lib/access/testing'
import type { RouteHandler } from '@/lib/api/endpoint'
import { testWallet } from '@/lib/api/testing'
import { allow, type Charge, type Currency, capture, credit, hold } from '@/lib/billing/ledger'
import { chargeOf } from '@/lib/billing/price'
import { dayOf } from '@/lib/billing/usage-groups'
import { uuid } from '@/lib/core/ids'
import { perMillion, perUnit, type Usd, usd } from '@/lib/core/money'
import { resetPerProcess } from '@/lib/core/per-process'
import { testDatabase } from '@/lib/db/testing'
import { installModels, textModel } from '@/lib/models/testing/models'

const database = await testDatabase()
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

beforeAll(() => installModels([textModel({ id: 'atlas', name: 'Atlas' })]))
beforeEach(() => {
  for (const name of ['failure-budget', 'windows', 'limits', 'usage-analytics']) resetPerProcess(name)
})

async function get(route: RouteHandler, path: string, headers: Record<string, string> = {}) {
  const url = `http://localhost:3000/api/v1/billing/${path}`
  const response = await route(new Request(url, { headers }), { params: Promise.resolve({}) })
  const text = await response.text()
  const isJson = response.headers.get('content-type') === 'application/json'
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined }
}

async function manager() {
  const accountId = await testAccount()
  const key = await createKey({ accountId, type: 'ADMIN', description: 'night job' })
  return { accountId, key, headers: { authorization: `Bearer ${key.secret}` } }
}

const give = (accountId: string, amount: Usd, currency: Currency = 'USD') =>
  credit({ accountId, currency, amount, kind: 'grant', idempotencyKey: uuid(), reason: 'test' })

/** An answer of the model: 412 tokens in and 500 out, at 1 and 3 dollars a million. 0.001912 USD. */
const answer = (): Charge => ({
  ...chargeOf([
    { sku: 'atlas-llm-input-mtoken', units: 412, price: perMillion(1) },
    { sku: 'atlas-llm-output-mtoken', units: 500, price: perMillion(3) },
  ]),
  modelId: 'atlas',
  modelType: 'LLM',
  promptTokens: 412,
  completionTokens: 500,
  durationMs: 1_830,
})
const rpcCall = (): Charge => chargeOf([{ sku: 'crypto-rpc-base-mainnet', units: 20, price: perUnit(0.0000007) }])

/** Charges an account what is there for it, and says when. */
async function charge(accountId: string, what: Charge, options: { keyId?: string; at?: string } = {}): Promise<string> {
  const requestId = `chatcmpl-${uuid()}`
  const { keyId, at } = options
  await capture(await hold({ accountId, keyId, requestId, amount: what.amount }), what)
  if (at)
    await database.query('update usage_record set at = $2::text::timestamptz where request_id = $1', [requestId, at])
  return requestId
}

/** What the ledger says an account was charged, in nano-dollars. */
async function ledgerSum(accountId: string): Promise<bigint> {
  const [row] = await database.query<{ sum: string }>(
    `select coalesce(-sum(e.amount), 0)::text as sum from entry e join txn t on t.id = e.txn_id
     where e.account_id = $1 and t.kind = 'charge'`,
    [accountId],
  )
  return BigInt(row!.sum)
}

const nanoOf = (decimal: string): bigint => -usd(decimal)
const refused = (path: string[]) => ({
  status: 400,
  body: { code: 'INVALID_REQUEST', issues: [expect.objectContaining({ path })] },
})

test.each([
  ['balance', balanceRoute],
  ['usage', usageRoute],
  ['usage-history', historyRoute],
  ['usage-analytics', analyticsRoute],
])('%s is for admin keys alone', async (path, route) => {
  expect(await get(route, path)).toMatchObject({ status: 401, body: { code: 'AUTHENTICATION_FAILED' } })
  expect(await get(route, path, await testWallet().signIn())).toMatchObject({ status: 401 })
  const key = await createKey({ accountId: await testAccount(), type: 'INFERENCE', description: '' })
  const reply = await get(route, path, { authorization: `Bearer ${key.secret}` })
  expect(reply).toMatchObject({ status: 401, body: { code: 'ADMIN_KEY_REQUIRED' } })
})

describe('GET /billing/balance', () => {
  test('of an account without money says so', async () => {
    const { headers } = await manager()
    expect(await get(balanceRoute, 'balance', headers)).toMatchObject({
      status: 200,
      body: {
        canConsume: false,
        consumptionCurrency: null,
        balances: { diem: null, usd: null },
        diemEpochAllocation: 0,
      },
    })
  })

  test('names the currency that is spent next, and counts bundled credit as dollars', async () => {
    const { accountId, headers } = await manager()
    const show = async () => (await get(balanceRoute, 'balance', headers)).body
    await give(accountId, usd('12.25'))
    expect(await show()).toMatchObject({ canConsume: true, consumptionCurrency: 'USD', balances: { usd: 12.25 } })
    await give(accountId, usd('1'), 'BUNDLED_CREDITS')
    expect(await show()).toMatchObject({ consumptionCurrency: 'BUNDLED_CREDITS', balances: { usd: 13.25 } })
    await allow(accountId, dayOf(Date.now()), usd('7.5'))
    expect(await show()).toEqual({
      canConsume: true,
      consumptionCurrency: 'DIEM',
      balances: { diem: 7.5, usd: 13.25 },
      diemEpochAllocation: expect.any(Number),
    })
  })

  test('less than ten cents may not begin', async () => {
    const { accountId, headers } = await manager()
    await give(accountId, usd('0.099999999'))
    expect((await get(balanceRoute, 'balance', headers)).body).toMatchObject({ canConsume: false })
  })
})

describe('GET /billing/usage-history', () => {
  const history = (headers: Record<string, string>, query = '') => get(historyRoute, `usage-history${query}`, headers)

  test('has a row for each priced part, a debit is negative, tokens count by the million', async () => {
    const { accountId, key, headers } = await manager()
    await give(accountId, usd('1'))
    const requestId = await charge(accountId, answer(), { keyId: key.id })
    const rpc = await charge(accountId, rpcCall())
    const { status, body } = await history(headers)
    expect(status).toBe(200)
    const inferenceDetails = {
      requestId,
      promptTokens: 412,
      completionTokens: 500,
      inferenceExecutionTime: 1_830,
    }
    const common = { timestamp: TIME, currency: 'USD', notes: 'API Inference', inferenceDetails }
    expect(body).toEqual({
      data: [
        { ...common, sku: 'atlas-llm-input-mtoken', units: 0.000412, pricePerUnitUsd: 1, amount: -0.000412 },
        { ...common, sku: 'atlas-llm-output-mtoken', units: 0.0005, pricePerUnitUsd: 3, amount: -0.0015 },
        {
          timestamp: TIME,
          sku: 'crypto-rpc-base-mainnet',
          units: 20,
          pricePerUnitUsd: 0.0000007,
          amount: -0.000014,
          currency: 'USD',
          notes: 'Crypto RPC',
          inferenceDetails: {
            requestId: rpc,
            promptTokens: null,
            completionTokens: null,
            inferenceExecutionTime: null,
          },
        },
      ],
      nextCursor: null,
    })
  })

  test('is walked to its end in pages, each row once, and adds up to the ledger to the last digit', async () => {
    const { accountId, headers } = await manager()
    await give(accountId, usd('1'))
    // Several at one moment, so that a page may end between two of them, and within one.
    for (let n = 0; n < 17; n++) await charge(accountId, answer(), { at: `2026-07-18T10:00:0${n % 3}.123456Z` })
    for (let n = 0; n < 3; n++) await charge(accountId, rpcCall(), { at: '2026-07-18T10:00:01.123456Z' })
    const rows: { timestamp: string; amount: number }[] = []
    const sizes: number[] = []
    let query = '?pageSize=11'
    for (let page = 0; page < 10; page++) {
      const { body } = await history(headers, query)
      rows.push(...body.data)
      sizes.push(body.data.length)
      if (body.nextCursor === null) break
      expect(body.nextCursor).toMatch(/^[A-Za-z0-9_-]{1,512}$/)
      query = `?cursor=${body.nextCursor}`
    }
    expect(sizes).toEqual([11, 11, 11, 4])
    expect(rows.map(({ timestamp }) => timestamp)).toEqual(rows.map(({ timestamp }) => timestamp).sort())
    expect(new Set(rows.map((row) => JSON.stringify(row))).size).toBe(37)
    const csv = (await history({ ...headers, accept: 'text/csv' })).text
    const sum = csv
      .trim()
      .split('\n')
      .slice(1)
      .reduce((total, line) => total + nanoOf(line.split(',')[4]!), 0n)
    expect(sum).toBe(await ledgerSum(accountId))
  })

  test('a filter bounds time from its start on and before its end, and chooses a currency', async () => {
    const { accountId, headers } = await manager()
    await give(accountId, usd('1'))
    for (const second of [0, 1, 2]) await charge(accountId, rpcCall(), { at: `2026-07-18T10:00:0${second}Z` })
    await give(accountId, usd('1'), 'DIEM')
    await charge(accountId, rpcCall(), { at: '2026-07-18T10:00:01.5Z' })
    const range = '?startTimestamp=2026-07-18T10:00:01.000Z&endTimestamp=2026-07-18T10:00:02.000Z'
    expect((await history(headers, range)).body.data.map((row: { currency: string }) => row.currency)).toEqual([
      'USD',
      'DIEM',
    ])
    expect((await history(headers, '?currency=DIEM')).body.data).toHaveLength(1)
    expect((await history(headers, '?currency=BUNDLED_CREDITS')).body.data).toHaveLength(0)
  })

  test('a cursor keeps the filter of its first page', async () => {
    const { accountId, headers } = await manager()
    await give(accountId, usd('1'))
    for (let n = 0; n < 14; n++) await charge(accountId, rpcCall(), { at: `2026-07-18T10:00:${10 + n}Z` })
    const first = await history(headers, '?pageSize=10&endTimestamp=2026-07-18T10:00:22Z&currency=USD')
    const { body } = await history(headers, `?cursor=${first.body.nextCursor}`)
    expect(body).toMatchObject({ nextCursor: null })
    expect(body.data).toHaveLength(2)
  })

  test('a cursor with a filter, an altered one, and one of another account are 400', async () => {
    const { accountId, headers } = await manager()
    await give(accountId, usd('1'))
    for (let n = 0; n < 11; n++) await charge(accountId, rpcCall())
    const { nextCursor } = (await history(headers, '?pageSize=10')).body
    expect(await history(headers, `?cursor=${nextCursor}&currency=USD`)).toMatchObject({ status: 400 })
    const altered = nextCursor.slice(0, -4) + (nextCursor.endsWith('AAAA') ? 'BBBB' : 'AAAA')
    for (const cursor of [altered, 'abc', 'x'.repeat(512)]) {
      expect(await history(headers, `?cursor=${cursor}`)).toMatchObject(refused(['cursor']))
    }
    const other = await manager()
    expect(await history(other.headers, `?cursor=${nextCursor}`)).toMatchObject(refused(['cursor']))
  })

  test.each<[string, string[]]>([
    ['?unknown=1', []],
    ['?page=2', []],
    ['?currency=VCU', ['currency']],
    ['?pageSize=9', ['pageSize']],
    ['?pageSize=1001', ['pageSize']],
    ['?pageSize=ten', ['pageSize']],
    ['?startTimestamp=2026-07-18', ['startTimestamp']],
    ['?startTimestamp=2026-07-18T10:00:00%2B02:00', ['startTimestamp']],
    [`?startTimestamp=2026-07-18T10:00:00.${'0'.repeat(30)}Z`, ['startTimestamp']],
    ['?startTimestamp=2026-07-18T10:00:00Z&endTimestamp=2026-07-18T10:00:00Z', ['endTimestamp']],
    ['?cursor=', ['cursor']],
    [`?cursor=${'x'.repeat(513)}`, ['cursor']],
    ['?cursor=a%2Fb', ['cursor']],
  ])('%s is 400', async (query, path) => {
    const { headers } = await manager()
    expect(await history(headers, query)).toMatchObject(refused(path))
  })

  test('is CSV for who accepts it: the contract’s columns, plain line feeds, the cursor in a header', async () => {
    const { accountId, headers } = await manager()
    await give(accountId, usd('1'))
    for (let n = 0; n < 11; n++) await charge(accountId, rpcCall())
    const csv = { ...headers, accept: 'text/csv, application/json' }
    const first = await history(csv, '?pageSize=10')
    expect(first.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(first.headers.get('content-disposition')).toMatch(
      /^attachment; filename=billing-usage-history-\d{8}T\d{9}Z\.csv$/,
    )
    const lines = first.text.split('\n')
    expect(lines[0]).toBe(
      'timestamp,sku,pricePerUnitUsd,units,amount,currency,notes,inferenceDetails.requestId,inferenceDetails.inferenceExecutionTime,inferenceDetails.promptTokens,inferenceDetails.completionTokens',
    )
    expect(lines).toHaveLength(12)
    expect(lines[1]).toMatch(
      /^[\d:.TZ-]{24},crypto-rpc-base-mainnet,0\.0000007,20,-0\.000014,USD,Crypto RPC,chatcmpl-[\w-]+,,,$/,
    )
    const last = await history(csv, `?cursor=${first.headers.get('x-next-cursor')}`)
    expect(last.headers.has('x-next-cursor')).toBe(false)
    expect(last.text.trim().split('\n')).toHaveLength(2)
  })

  test('text that a spreadsheet would run is made harmless, numbers are not', async () => {
    const { accountId, headers } = await manager()
    await give(accountId, usd('1'))
    await charge(accountId, { ...chargeOf([{ sku: '=cmd()', units: 1, price: perUnit(0.01) }]), modelId: '=cmd()' })
    const { text } = await history({ ...headers, accept: 'text/csv' })
    expect(text.split('\n')[1]).toMatch(/,'=cmd\(\),0\.01,1,-0\.01,USD,/)
  })

  test('shows nothing of another account', async () => {
    const { accountId } = await manager()
    await give(accountId, usd('1'))
    await charge(accountId, rpcCall())
    const other = await manager()
    expect((await history(other.headers)).body).toEqual({ data: [], nextCursor: null })
  })
})

describe('GET /billing/usage', () => {
  const usage = (headers: Record<string, string>, query = '') => get(usageRoute, `usage${query}`, headers)

  test('pages by number, newest first, and names its successor on every reply', async () => {
    const { accountId, headers } = await manager()
    await give(accountId, usd('1'))
    await charge(accountId, answer(), { at: '2026-07-18T10:00:00Z' })
    await charge(accountId, rpcCall(), { at: '2026-07-18T11:00:00Z' })
    const reply = await usage(headers, '?limit=2&page=1')
    expect(reply.body).toMatchObject({
      warningMessage: expect.stringContaining('/api/v1/billing/usage-history'),
      data: [{ sku: 'crypto-rpc-base-mainnet' }, { sku: 'atlas-llm-output-mtoken' }],
      pagination: { limit: 2, page: 1, total: 3, totalPages: 2 },
    })
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'x-pagination-limit': '2',
      'x-pagination-page': '1',
      'x-pagination-total': '3',
      'x-pagination-total-pages': '2',
      deprecation: '@1783555200',
      link: '</api/v1/billing/usage-history>; rel="successor-version"',
    })
    expect((await usage(headers, '?limit=2&page=2')).body.data).toMatchObject([{ sku: 'atlas-llm-input-mtoken' }])
    expect((await usage(headers, '?limit=2&page=9')).body.data).toEqual([])
    expect((await usage(headers, '?sortOrder=asc')).body.data[0].sku).toBe('atlas-llm-input-mtoken')
    const range = '?startDate=2026-07-18T10:30:00Z&endDate=2026-07-18T13:30:00%2B02:00&currency=USD'
    expect((await usage(headers, range)).body.data).toHaveLength(1)
    expect((await usage(headers, '?currency=VCU')).body.pagination.total).toBe(0)
    const nobody = await usage({})
    expect(nobody).toMatchObject({ status: 401 })
    expect(nobody.headers.get('deprecation')).toBe('@1783555200')
  })

  test('of nothing is an empty page', async () => {
    const { headers } = await manager()
    expect((await usage(headers)).body).toMatchObject({
      data: [],
      pagination: { limit: 200, page: 1, total: 0, totalPages: 0 },
    })
  })

  test.each<[string, string[]]>([
    ['?currency=EUR', ['currency']],
    ['?startDate=yesterday', ['startDate']],
    ['?startDate=2026-07-19T00:00:00Z&endDate=2026-07-18T00:00:00Z', ['endDate']],
    ['?limit=0', ['limit']],
    ['?limit=501', ['limit']],
    ['?page=0', ['page']],
    ['?sortOrder=up', ['sortOrder']],
  ])('%s is 400, with the notice', async (query, path) => {
    const { headers } = await manager()
    const reply = await usage(headers, query)
    expect(reply).toMatchObject(refused(path))
    expect(reply.headers.get('link')).toContain('successor-version')
  })

  test('is CSV for who accepts it', async () => {
    const { accountId, headers } = await manager()
    await give(accountId, usd('1'))
    await charge(accountId, rpcCall())
    const reply = await usage({ ...headers, accept: 'text/csv' })
    expect(reply.headers.get('content-disposition')).toBe('attachment; filename=billing_usage.csv')
    expect(reply.headers.get('deprecation')).toBe('@1783555200')
    expect(reply.text.trim().split('\n')).toHaveLength(2)
  })

  test('takes ten a minute, and says when the next may come', async () => {
    const { headers } = await manager()
    for (let n = 0; n < 10; n++) expect((await usage(headers)).status).toBe(200)
    const late = await usage(headers)
    expect(late).toMatchObject({ status: 429, body: { code: 'RATE_LIMIT_EXCEEDED' } })
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(late.headers.get('x-ratelimit-remaining')).toBe('0')
    expect(Number(late.headers.get('x-ratelimit-resets'))).toBeGreaterThan(Date.now() - 1_000)
    expect(late.headers.get('deprecation')).toBe('@1783555200')
  })

  test('is gone once the operator’s day has come, and says what replaces each field', async () => {
    const { headers } = await manager()
    await withEnvironment({ BILLING_USAGE_SUNSET: '2026-01-01T00:00:00Z' }, async () => {
      const gone = await usage(headers)
      expect(gone).toMatchObject({ status: 410, body: { code: 'ENDPOINT_RETIRED' } })
      for (const words of ['usage-history', 'pageSize', 'startTimestamp']) expect(gone.body.error).toContain(words)
      expect(gone.headers.get('sunset')).toBe('Thu, 01 Jan 2026 00:00:00 GMT')
    })
    await withEnvironment({ BILLING_USAGE_SUNSET: '2099-01-01T00:00:00Z' }, async () => {
      expect((await usage(headers)).status).toBe(200)
    })
  })
})

describe('GET /billing/usage-analytics', () => {
  const analytics = (headers: Record<string, string>, query = '') =>
    get(analyticsRoute, `usage-analytics${query}`, headers)

  test('tells usage by day, model and key, and adds up to the ledger', async () => {
    const { accountId, key, headers } = await manager()
    await give(accountId, usd('1'))
    const [today, before] = [dayOf(Date.now()), dayOf(Date.now() - 86_400_000)]
    await charge(accountId, answer(), { keyId: key.id, at: `${before}T10:00:00Z` })
    await charge(accountId, rpcCall())
    await give(accountId, usd('0.001912'), 'DIEM')
    await charge(accountId, answer(), { keyId: key.id })
    const { status, body } = await analytics(headers, '?lookback=3d')
    expect(status).toBe(200)
    expect(body).toEqual({
      lookback: '3d',
      byDate: [
        { date: dayOf(Date.now() - 2 * 86_400_000), USD: 0, DIEM: 0 },
        { date: before, USD: 0.001912, DIEM: 0 },
        { date: today, USD: 0.000014, DIEM: 0.001912 },
      ],
      byModel: [
        {
          modelName: 'Atlas',
          unitType: 'tokens',
          modelType: 'LLM',
          totalUsd: 0.001912,
          totalDiem: 0.001912,
          totalUnits: 1_824,
          breakdown: [
            { type: 'Input', usd: 0.000412, diem: 0.000412, units: 824 },
            { type: 'Output', usd: 0.0015, diem: 0.0015, units: 1_000 },
          ],
        },
        {
          modelName: 'crypto-rpc-base-mainnet',
          unitType: 'credits',
          modelType: null,
          totalUsd: 0.000014,
          totalDiem: 0,
          totalUnits: 20,
        },
      ],
      byModelDaily: [
        { date: Date.parse(before) - 86_400_000, Atlas: 0, 'crypto-rpc-base-mainnet': 0 },
        { date: Date.parse(before), Atlas: 0.001912, 'crypto-rpc-base-mainnet': 0 },
        { date: Date.parse(today), Atlas: 0.001912, 'crypto-rpc-base-mainnet': 0.000014 },
      ],
      topModels: ['Atlas', 'crypto-rpc-base-mainnet'],
      byKey: [
        { apiKeyId: key.id, description: 'night job', totalUsd: 0.001912, totalDiem: 0.001912, totalUnits: 1_824 },
        { apiKeyId: null, description: 'Web App', totalUsd: 0.000014, totalDiem: 0, totalUnits: 20 },
      ],
      byKeyDaily: expect.arrayContaining([{ date: Date.parse(today), 'night job': 0.001912, 'Web App': 0.000014 }]),
      topKeyNames: ['night job', 'Web App'],
    })
    expect(await ledgerSum(accountId)).toBe(usd('0.003838'))
  })

  test('names eight at most, and no name takes the place of the day', async () => {
    const { accountId, headers } = await manager()
    await give(accountId, usd('1'))
    for (let n = 0; n < 10; n++) {
      await charge(accountId, chargeOf([{ sku: n === 9 ? 'date' : `thing-${n}`, units: n + 1, price: perUnit(0.001) }]))
    }
    const { body } = await analytics(headers, '?lookback=1d')
    expect(body.topModels).toHaveLength(8)
    expect(body.topModels[0]).toBe('date')
    expect(body.byModelDaily[0].date).toBe(Date.parse(dayOf(Date.now())))
    expect(body.byModel).toHaveLength(10)
  })

  test('a period in two dates wins over the number of days, and more than ninety days are ninety', async () => {
    const { headers } = await manager()
    const dated = (await analytics(headers, '?startDate=2026-07-01&endDate=2026-07-03&lookback=5d')).body
    expect(dated).toMatchObject({ lookback: '2026-07-01:2026-07-03', byModel: [], topModels: [] })
    expect(dated.byDate).toHaveLength(3)
    expect((await analytics(headers)).body).toMatchObject({ lookback: '7d' })
    const clamped = (await analytics(headers, '?lookback=400d')).body
    expect(clamped.lookback).toBe('90d')
    expect(clamped.byDate).toHaveLength(90)
  })

  test('the same period is told again for ten minutes', async () => {
    const { accountId, headers } = await manager()
    await give(accountId, usd('1'))
    const first = (await analytics(headers)).body
    await charge(accountId, rpcCall())
    expect((await analytics(headers)).body).toEqual(first)
    expect((await analytics(headers, '?lookback=6d')).body.byModel).toHaveLength(1)
  })

  test.each<[string, string[]]>([
    ['?lookback=0d', ['lookback']],
    ['?lookback=7', ['lookback']],
    ['?lookback=7w', ['lookback']],
    ['?startDate=2026-07-01', ['endDate']],
    ['?endDate=2026-07-01', ['startDate']],
    ['?startDate=2026-07-02&endDate=2026-07-01', ['endDate']],
    ['?startDate=2026-01-01&endDate=2026-04-01', ['endDate']],
    ['?startDate=2026-02-30&endDate=2026-03-01', ['startDate']],
  ])('%s is 400', async (query, path) => {
    const { headers } = await manager()
    expect(await analytics(headers, query)).toMatchObject(refused(path))
  })
})
