import OpenAI from 'openai'
import { command } from '@/e2e/testing/admin-line'
import { openStage, type Stage } from '@/e2e/testing/contract-stage'
import { expect, test } from '@/e2e/testing/contract-test'
import { COST_NANO } from '@/e2e/testing/contract-upstream'

/** Keys and books over the wire of the built server, with the stock client as the program that spends. */

const messages = [{ role: 'user' as const, content: 'What does the tide do?' }]

let stage: Stage
let adminKey: string

test.beforeAll(async () => {
  test.setTimeout(120_000)
  stage = await openStage({ tiers: { XS: { requestsPerMinute: 3 } } })
  const printed = await command(stage.dataDir, 'keys', 'create', '--name', 'e2e', '--type', 'ADMIN', '--credit', '5')
  adminKey = printed.split('\n').at(-1)!
})
test.afterAll(async () => stage?.stop())

async function call(path: string, init: RequestInit & { json?: unknown } = {}, key = adminKey) {
  const { json, ...rest } = init
  const response = await fetch(`${stage.baseUrl}${path}`, {
    ...rest,
    headers: {
      authorization: `Bearer ${key}`,
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...rest.headers,
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined }
}

test('a key is made, spends to its limit, shows in the books to the last digit, and ends', async () => {
  const limit = 0.5
  const made = await call('/api_keys', {
    method: 'POST',
    json: { apiKeyType: 'INFERENCE', description: 'night job', consumptionLimit: { usd: limit }, limitPeriod: 'MONTH' },
  })
  expect(made.status).toBe(200)
  const { id, apiKey } = made.body.data
  const client = new OpenAI({ apiKey, baseURL: stage.baseUrl, maxRetries: 0 })
  const ask = () => client.chat.completions.create({ model: 'say', messages })
  for (let n = 0; n < 3; n++) await ask()
  // The fourth of a minute is refused, and noted; unless the minute has just ended.
  const refused = await ask().then(
    () => undefined,
    (error: InstanceType<typeof OpenAI.APIError>) => error.status,
  )
  const answered = refused === undefined ? 4 : 3
  if (refused !== undefined) {
    expect(refused).toBe(429)
    const log = await call('/api_keys/rate_limits/log')
    expect(log.body.data[0]).toMatchObject({ apiKeyId: id, modelId: 'say', rateLimitTier: 'XS', rateLimitType: 'RPM' })
  }

  const shown = (await call(`/api_keys/${id}`)).body.data
  const spent = (Number(COST_NANO) * answered) / 1e9
  expect(Number(shown.currentPeriodUsage.usd)).toBeCloseTo(spent, 3)
  expect(shown.last6Chars).toBe(apiKey.slice(-6))

  const { body } = await call('/billing/usage-history')
  const rows = body.data as { amount: number }[]
  expect(rows).toHaveLength(answered * 2)
  const sum = rows.reduce((total, { amount }) => total + BigInt(Math.round(amount * 1e9)), 0n)
  expect(sum).toBe(-COST_NANO * BigInt(answered))
  const csv = await call('/billing/usage-history', { headers: { accept: 'text/csv' } })
  expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(csv.text.trim().split('\n')).toHaveLength(rows.length + 1)
  const analytics = (await call('/billing/usage-analytics?lookback=1d')).body
  expect(analytics.byKey).toEqual([
    expect.objectContaining({ apiKeyId: id, description: 'night job', totalUsd: spent }),
  ])
  const balance = (await call('/billing/balance')).body
  expect(balance).toMatchObject({ canConsume: true, consumptionCurrency: 'USD', balances: { usd: 5 - spent } })

  // Its own limits are told to the key itself; the rest is not for it.
  const own = await call('/api_keys/rate_limits', {}, apiKey)
  expect(own.body.data).toMatchObject({ accessPermitted: true, apiTier: { id: 'paid', isCharged: true } })
  expect(own.body.data.rateLimits.find((row: { apiModelId: string }) => row.apiModelId === 'say')).toEqual({
    apiModelId: 'say',
    rateLimits: expect.arrayContaining([{ type: 'RPM', amount: 3 }]),
  })
  expect(await call('/api_keys', {}, apiKey)).toMatchObject({ status: 401, body: { code: 'ADMIN_KEY_REQUIRED' } })

  const less = { method: 'PATCH', json: { id, consumptionLimit: { usd: 0 } } }
  expect((await call('/api_keys', less)).body.data.consumptionLimits.usd).toBe(0)
  const capped = await call('/chat/completions', { method: 'POST', json: { model: 'say', messages } }, apiKey)
  expect([402, 429]).toContain(capped.status)
  if (capped.status === 402) expect(capped.body.code).toBe('API_KEY_USD_SPEND_LIMIT_EXCEEDED')
  expect(await call(`/api_keys?id=${id}`, { method: 'DELETE' })).toMatchObject({ status: 200, body: { success: true } })
  expect(await ask().catch((error: InstanceType<typeof OpenAI.APIError>) => error.status)).toBe(401)
})
