import { describe, expect, test } from 'vitest'
import { GET as balanceRoute } from '@/app/api/v1/billing/balance/route'
import { billingStage, get, give, manager } from '@/app/api/v1/billing/testing/stage'
import { dayOf } from '@/lib/contract/billing'
import { usd } from '@/lib/contract/money'
import { allow } from '@/lib/services/ledger/ledger'

await billingStage()

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
