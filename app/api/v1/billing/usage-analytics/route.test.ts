import { describe, expect, test } from 'vitest'
import {
  answer,
  billingStage,
  charge,
  get,
  give,
  ledgerSum,
  manager,
  refused,
  rpcCall,
} from '@/app/api/v1/billing/testing/stage'
import { GET as analyticsRoute } from '@/app/api/v1/billing/usage-analytics/route'
import { dayOf } from '@/lib/contract/billing'
import { perUnit, usd } from '@/lib/contract/money'
import { chargeOf } from '@/lib/services/ledger/meter'

await billingStage()

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
