import { expect, test } from 'vitest'
import { GET as balanceRoute } from '@/app/api/v1/billing/balance/route'
import { billingStage, get } from '@/app/api/v1/billing/testing/stage'
import { GET as usageRoute } from '@/app/api/v1/billing/usage/route'
import { GET as analyticsRoute } from '@/app/api/v1/billing/usage-analytics/route'
import { GET as historyRoute } from '@/app/api/v1/billing/usage-history/route'
import { testWallet } from '@/lib/pipeline/testing'
import { createKey } from '@/lib/services/identity/api-keys'
import { testAccount } from '@/lib/services/identity/testing'

await billingStage()

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
