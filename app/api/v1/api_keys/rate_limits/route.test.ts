import { describe, expect, test } from 'vitest'
import { GET as logRoute } from '@/app/api/v1/api_keys/rate_limits/log/route'
import { GET as limitsRoute } from '@/app/api/v1/api_keys/rate_limits/route'
import { call, make, manager, prepareKeyTests, spend } from '@/app/api/v1/api_keys/testing'
import { uuid } from '@/lib/contract/ids'
import { usd } from '@/lib/contract/money'
import { testDatabase } from '@/lib/db/testing'
import { stopClock } from '@/lib/kernel/testing/time'
import { createKey } from '@/lib/services/identity/api-keys'
import { credit } from '@/lib/services/ledger/ledger'
import { noteBreach, saveBreaches } from '@/lib/services/limits/note-breach'

await testDatabase()

prepareKeyTests()

describe('GET /api_keys/rate_limits', () => {
  const limits = async (headers: Record<string, string>) =>
    (await call(limitsRoute, '/api_keys/rate_limits', { headers })).body.data

  test('tells what the calling key may do', async () => {
    const { accountId, headers, key } = await manager('INFERENCE')
    expect(await call(limitsRoute, '/api_keys/rate_limits', {})).toMatchObject({ status: 401 })
    expect(await limits(headers)).toEqual({
      accessPermitted: false,
      apiTier: { id: 'paid', isCharged: true },
      balances: { USD: 0, DIEM: 0 },
      keyExpiration: null,
      nextEpochBegins: expect.stringMatching(/T00:00:00\.000Z$/),
      rateLimits: [
        {
          apiModelId: 'atlas-large',
          rateLimits: [
            { type: 'RPM', amount: 20 },
            { type: 'TPM', amount: 500_000 },
          ],
        },
        {
          apiModelId: 'elsewhere',
          rateLimits: [
            { type: 'RPM', amount: 500 },
            { type: 'TPM', amount: 1_000_000 },
          ],
        },
      ],
    })
    await credit({
      accountId,
      currency: 'USD',
      amount: usd('12.25'),
      kind: 'grant',
      idempotencyKey: uuid(),
      reason: 't',
    })
    expect(await limits(headers)).toMatchObject({ accessPermitted: true, balances: { USD: 12.25, DIEM: 0 } })
    expect(Date.parse((await limits(headers)).nextEpochBegins)).toBeGreaterThan(Date.now())
    expect(key.type).toBe('INFERENCE')
  })

  test('a key that reached its limit is not let in, though the account has money; its models and end are its own', async () => {
    const { accountId } = await manager()
    const key = await createKey({
      accountId,
      type: 'INFERENCE',
      description: '',
      limits: { usd: usd('1') },
      modelPrivacy: 'PRIVATE_ONLY',
      expiresAt: new Date('2099-01-01'),
    })
    const headers = { authorization: `Bearer ${key.secret}` }
    await credit({ accountId, currency: 'USD', amount: usd('9'), kind: 'grant', idempotencyKey: uuid(), reason: 't' })
    expect(await limits(headers)).toMatchObject({ accessPermitted: true, keyExpiration: '2099-01-01T00:00:00.000Z' })
    expect((await limits(headers)).rateLimits).toHaveLength(1)
    await spend(accountId, key.id, usd('1'))
    expect(await limits(headers)).toMatchObject({ accessPermitted: false, balances: { USD: 9 } })
  })
})

describe('GET /api_keys/rate_limits/log', () => {
  test('tells the last fifty refusals of the account, newest first', async () => {
    const { accountId, headers, key } = await manager()
    for (let n = 0; n < 60; n++) {
      const breach = { accountId, keyId: key.id, modelId: `model-${n}`, tier: 'L', type: 'RPM' } as const
      noteBreach(breach, Date.UTC(2026, 6, 18, 10, 0, n))
    }
    noteBreach({ accountId: uuid(), modelId: 'of another', tier: 'L', type: 'TPM' }, Date.now())
    const { status, body } = await call(logRoute, '/api_keys/rate_limits/log', { headers })
    expect(status).toBe(200)
    expect(body.object).toBe('list')
    expect(body.data).toHaveLength(50)
    expect(body.data[0]).toEqual({
      apiKeyId: key.id,
      modelId: 'model-59',
      rateLimitTier: 'L',
      rateLimitType: 'RPM',
      timestamp: '2026-07-18T10:00:59.000Z',
    })
  })

  test('names a limit that belongs to no model by its path', async () => {
    stopClock()
    const { headers, key } = await manager()
    for (let n = 0; n < 21; n++) await make(headers, {})
    await saveBreaches()
    const { body } = await call(logRoute, '/api_keys/rate_limits/log', { headers })
    expect(body.data).toEqual([
      {
        apiKeyId: key.id,
        modelId: 'endpoint:api/v1/api_keys',
        rateLimitTier: 'api-keys',
        rateLimitType: 'RPM',
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
    ])
  })
})
