import { describe, expect, test } from 'vitest'
import { answer, billingStage, charge, get, give, manager, refused, rpcCall } from '@/app/api/v1/billing/testing/stage'
import { GET as usageRoute } from '@/app/api/v1/billing/usage/route'
import { usd } from '@/lib/contract/money'
import { stopClock } from '@/lib/kernel/testing/time'
import { withEnvironment } from '@/lib/services/identity/testing'

await billingStage()

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
    stopClock()
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
