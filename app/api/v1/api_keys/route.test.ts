import { describe, expect, test } from 'vitest'
import { POST as openSession } from '@/app/api/session/route'
import { GET as one } from '@/app/api/v1/api_keys/[id]/route'
import { GET as logRoute } from '@/app/api/v1/api_keys/rate_limits/log/route'
import { DELETE, GET, PATCH, POST } from '@/app/api/v1/api_keys/route'
import { call, make, manager, ORIGIN, prepareKeyTests, type Sent, spend } from '@/app/api/v1/api_keys/testing'
import { uuid } from '@/lib/contract/ids'
import { usd } from '@/lib/contract/money'
import { testDatabase } from '@/lib/db/testing'
import { stopClock } from '@/lib/kernel/testing/time'
import type { RouteHandler } from '@/lib/pipeline/route'
import { testWallet } from '@/lib/pipeline/testing'
import { type ApiKey, createKey } from '@/lib/services/identity/api-keys'
import { verifyKey } from '@/lib/services/identity/credentials'

const database = await testDatabase()
const UUID = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

prepareKeyTests()

const change = (headers: Record<string, string>, body: object) =>
  call(PATCH, '/api_keys', { method: 'PATCH', headers, body })

const refused = (path: string[]) => ({
  status: 400,
  body: { code: 'INVALID_REQUEST', error: 'Invalid request parameters', issues: [expect.objectContaining({ path })] },
})

describe('who may manage keys', () => {
  const routes: [string, RouteHandler, Sent][] = [
    ['/api_keys', GET, {}],
    ['/api_keys', POST, { method: 'POST', body: {} }],
    ['/api_keys', PATCH, { method: 'PATCH', body: {} }],
    ['/api_keys', DELETE, { method: 'DELETE' }],
    ['/api_keys/x', one, { id: 'x' }],
    ['/api_keys/rate_limits/log', logRoute, {}],
  ]

  test.each(routes)('%s %#: nobody is 401, an inference key is told of admin keys', async (path, route, sent) => {
    expect(await call(route, path, sent)).toMatchObject({ status: 401, body: { code: 'AUTHENTICATION_FAILED' } })
    const { headers } = await manager('INFERENCE')
    expect(await call(route, path, { ...sent, headers })).toMatchObject({
      status: 401,
      body: { code: 'ADMIN_KEY_REQUIRED', error: expect.stringContaining('admin key') },
    })
  })

  test('a wallet’s proof alone is not enough', async () => {
    expect(await call(GET, '/api_keys', { headers: await testWallet().signIn() })).toMatchObject({ status: 401 })
  })

  test('a browser that is signed in manages its wallet’s keys, from our own pages only', async () => {
    const headers = { origin: ORIGIN, ...(await testWallet().signIn()) }
    const opened = await openSession(new Request(`${ORIGIN}/api/session`, { method: 'POST', headers }), {
      params: Promise.resolve({}),
    })
    const cookie = opened.headers.get('set-cookie')!.split(';')[0]!
    const own = { cookie, origin: ORIGIN }
    for (const apiKeyType of ['ADMIN', 'INFERENCE']) {
      const made = await make(own, { apiKeyType })
      expect(made).toMatchObject({ status: 200, body: { data: { apiKeyType } } })
      expect(await verifyKey(made.body.data.apiKey)).toMatchObject({ account: { kind: 'wallet' }, type: apiKeyType })
    }
    expect((await call(GET, '/api_keys', { headers: own })).body.data).toHaveLength(2)
    expect(await call(GET, '/api_keys', { headers: { cookie, origin: 'https://elsewhere.test' } })).toMatchObject({
      status: 401,
    })
  })
})

describe('POST /api_keys', () => {
  test('answers all that the key is, and its secret, which nothing tells again', async () => {
    const { headers } = await manager()
    const made = await make(headers, {
      consumptionLimit: { usd: 25, vcu: 3 },
      limitPeriod: 'MONTH',
      modelPrivacy: 'PRIVATE_TEXT',
      expiresAt: '2099-12-31',
    })
    expect(made).toMatchObject({ status: 200 })
    expect(made.headers.get('cache-control')).toBe('no-store')
    expect(made.body).toEqual({
      success: true,
      data: {
        id: UUID,
        apiKey: expect.stringMatching(/^SERVICE_INFERENCE_KEY_[A-Za-z0-9]{32,}$/),
        apiKeyType: 'INFERENCE',
        description: 'job',
        consumptionLimit: { usd: 25, diem: null, vcu: null },
        limitPeriod: 'MONTH',
        modelPrivacy: 'PRIVATE_TEXT',
        expiresAt: '2099-12-31T00:00:00.000Z',
      },
    })
    const { id, apiKey } = made.body.data
    const listed = JSON.stringify((await call(GET, '/api_keys', { headers })).body)
    expect(listed).toContain(id)
    expect(listed).not.toContain(apiKey)
    const [row] = await database.query<{ kept: string }>('select k::text as kept from api_key k where id = $1', [id])
    expect(row!.kept).not.toContain(apiKey.slice(-20))
  })

  test('has no limits, a day’s period, all models and no end when nothing is said', async () => {
    const { headers } = await manager()
    expect((await make(headers, {})).body.data).toMatchObject({
      consumptionLimit: { usd: null, diem: null, vcu: null },
      limitPeriod: 'EPOCH',
      modelPrivacy: 'ALL',
      expiresAt: null,
    })
    expect((await make(headers, { expiresAt: '' })).body.data.expiresAt).toBeNull()
    expect((await make(headers, { expiresAt: '2099-01-02T03:04:05Z' })).body.data.expiresAt).toBe(
      '2099-01-02T03:04:05.000Z',
    )
  })

  test.each<[object, string[]]>([
    [{ apiKeyType: 'OWNER' }, ['apiKeyType']],
    [{ apiKeyType: undefined }, ['apiKeyType']],
    [{ description: undefined }, ['description']],
    [{ description: 'x'.repeat(65) }, ['description']],
    [{ consumptionLimit: { usd: -1 } }, ['consumptionLimit', 'usd']],
    [{ consumptionLimit: { usd: 10_000_000_000 } }, ['consumptionLimit', 'usd']],
    [{ consumptionLimit: { usd: '5' } }, ['consumptionLimit', 'usd']],
    [{ consumptionLimit: { eur: 5 } }, ['consumptionLimit']],
    [{ consumptionLimits: { usd: 5 } }, []],
    [{ limitPeriod: 'WEEK' }, ['limitPeriod']],
    [{ modelPrivacy: 'SOME' }, ['modelPrivacy']],
    [{ expiresAt: '2020-01-01' }, ['expiresAt']],
    [{ expiresAt: 'tomorrow' }, ['expiresAt']],
    [{ expiresAt: '2099-02-30' }, ['expiresAt']],
    [{ expiresAt: 4_102_444_800 }, ['expiresAt']],
  ])('%j is 400 and names the field', async (body, path) => {
    const { headers } = await manager()
    expect(await make(headers, body)).toMatchObject(refused(path))
  })

  test('bodies that are no JSON, and of another type, are told apart', async () => {
    const { headers } = await manager()
    const send = (type: string, body: string) =>
      POST(
        new Request(`${ORIGIN}/api/v1/api_keys`, {
          method: 'POST',
          headers: { ...headers, 'content-type': type },
          body,
        }),
        { params: Promise.resolve({}) },
      )
    expect((await send('text/plain', '{}')).status).toBe(415)
    expect((await send('application/json', '{')).status).toBe(400)
    expect((await send('application/json', `"${'x'.repeat(20_000)}"`)).status).toBe(413)
  })

  test('takes twenty a minute, and tells when to come back', async () => {
    stopClock()
    const { headers } = await manager()
    for (let n = 0; n < 20; n++) expect((await make(headers, {})).status).toBe(200)
    const late = await make(headers, {})
    expect(late).toMatchObject({ status: 429, body: { code: 'RATE_LIMIT_EXCEEDED' } })
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  test('a limit beyond what the ledger counts to is taken, and is the largest that it counts to', async () => {
    const { headers } = await manager()
    const { body } = await make(headers, { consumptionLimit: { usd: 9_999_999_999, diem: 9_223_372_036 } })
    expect(body.data.consumptionLimit).toEqual({ usd: 9_223_372_036, diem: 9_223_372_036, vcu: null })
    const changed = await change(headers, { id: body.data.id, consumptionLimit: { usd: 9_999_999_998.999996 } })
    expect(changed).toMatchObject({ status: 200, body: { data: { consumptionLimits: { usd: 9_223_372_036 } } } })
  })
})

describe('GET /api_keys and GET /api_keys/{id}', () => {
  test('list the account’s active keys, newest first, with what each used', async () => {
    const { accountId, key: admin, headers } = await manager()
    const limited = (await make(headers, { consumptionLimit: { usd: 25 } })).body.data
    await spend(accountId, limited.id, usd('1.25'))
    await spend(accountId, limited.id, usd('0.5'), 'DIEM')
    const { status, body } = await call(GET, '/api_keys', { headers })
    expect(status).toBe(200)
    expect(body).toEqual({
      object: 'list',
      data: [
        {
          id: limited.id,
          apiKeyType: 'INFERENCE',
          description: 'job',
          consumptionLimits: { usd: 25, diem: null, vcu: null },
          limitPeriod: 'EPOCH',
          modelPrivacy: 'ALL',
          createdAt: TIME,
          expiresAt: null,
          lastUsedAt: null,
          last6Chars: limited.apiKey.slice(-6),
          usage: { trailingSevenDays: { usd: '1.2500', diem: '0.5000', vcu: '0.0000' } },
          currentPeriodUsage: { usd: '1.2500', diem: '0.5000' },
        },
        expect.objectContaining({
          id: admin.id,
          usage: { trailingSevenDays: { usd: '0.0000', diem: '0.0000', vcu: '0.0000' } },
        }),
      ],
    })
    expect(body.data[1]).not.toHaveProperty('currentPeriodUsage')
    const shown = await call(one, `/api_keys/${limited.id}`, { headers, id: limited.id })
    expect(shown).toMatchObject({ status: 200, body: { data: body.data[0] } })
  })

  test('what was used eight days ago is no part of seven', async () => {
    const { accountId, key, headers } = await manager()
    await spend(accountId, key.id, usd('1'))
    await database.query(`update usage_record set at = now() - interval '8 days' where account_id = $1`, [accountId])
    const shown = await call(one, `/api_keys/${key.id}`, { headers, id: key.id })
    expect(shown.body.data.usage.trailingSevenDays.usd).toBe('0.0000')
  })

  test('show no key of another account, none that ended, and none that cannot be one', async () => {
    const { headers, accountId } = await manager()
    const other = await manager()
    const expired = await createKey({ accountId, type: 'INFERENCE', description: '', expiresAt: new Date(1) })
    for (const id of [other.key.id, expired.id, uuid(), 'x']) {
      expect(await call(one, `/api_keys/${id}`, { headers, id })).toMatchObject(refused(['id']))
    }
    expect((await call(GET, '/api_keys', { headers })).body.data).toHaveLength(1)
  })
})

describe('PATCH /api_keys', () => {
  test('changes what is named and keeps the rest; a limit of null goes', async () => {
    const { headers } = await manager()
    const { id } = (await make(headers, { consumptionLimit: { usd: 25, diem: 3 }, expiresAt: '2099-01-01' })).body.data
    const changed = await change(headers, { id, consumptionLimit: { usd: null }, description: 'night' })
    expect(changed).toMatchObject({
      status: 200,
      body: { success: true, data: { id, description: 'night', consumptionLimits: { usd: null, diem: 3, vcu: null } } },
    })
    expect(changed.body.data).not.toHaveProperty('usage')
    expect(changed.body.data.expiresAt).toBe('2099-01-01T00:00:00.000Z')
    for (const expiresAt of ['', null]) {
      expect((await change(headers, { id, expiresAt })).body.data.expiresAt).toBeNull()
    }
    const last = await change(headers, { id, limitPeriod: 'LIFETIME', modelPrivacy: 'PRIVATE_ONLY' })
    expect(last.body.data).toMatchObject({
      limitPeriod: 'LIFETIME',
      modelPrivacy: 'PRIVATE_ONLY',
      description: 'night',
    })
    expect((await change(headers, { id })).body.data).toEqual(last.body.data)
  })

  test.each<[object, string[]]>([
    [{ apiKeyType: 'ADMIN' }, []],
    [{ id: 7 }, ['id']],
    [{ id: uuid() }, ['id']],
    [{ expiresAt: '2020-01-01' }, ['expiresAt']],
    [{ consumptionLimit: { usd: -1 } }, ['consumptionLimit', 'usd']],
  ])('%j is 400', async (body, path) => {
    const { headers, key } = await manager()
    expect(await change(headers, { id: key.id, ...body })).toMatchObject(refused(path))
  })

  test('an expired key, and one of another account, are unknown', async () => {
    const { headers, accountId } = await manager()
    const expired = await createKey({ accountId, type: 'INFERENCE', description: '', expiresAt: new Date(1) })
    const other = await manager()
    for (const { id } of [expired, other.key]) {
      expect(await change(headers, { id, description: 'mine' })).toMatchObject(refused(['id']))
    }
    expect((await call(one, '/api_keys/x', { headers: other.headers, id: other.key.id })).body.data.description).toBe(
      'manager',
    )
  })
})

describe('DELETE /api_keys', () => {
  const end = (headers: Record<string, string>, sent: Sent) =>
    call(DELETE, '/api_keys', { method: 'DELETE', headers, ...sent })
  const isGood = async (key: ApiKey & { secret: string }) => (await verifyKey(key.secret)) !== undefined

  test('ends a key at once, by the query or by a body; another account’s stays', async () => {
    const { headers, accountId } = await manager()
    const other = await manager()
    const keys = await Promise.all([1, 2].map(() => createKey({ accountId, type: 'INFERENCE', description: '' })))
    expect(await end(headers, { query: `?id=${keys[0]!.id}` })).toMatchObject({ status: 200, body: { success: true } })
    expect(await end(headers, { body: { id: keys[1]!.id } })).toMatchObject({ status: 200 })
    expect(await Promise.all(keys.map(isGood))).toEqual([false, false])
    expect(await end(headers, { query: `?id=${keys[0]!.id}` })).toMatchObject(refused(['id']))
    expect(await end(headers, { query: `?id=${other.key.id}` })).toMatchObject(refused(['id']))
    expect(await isGood(other.key)).toBe(true)
  })

  test('needs an id, and takes no other field', async () => {
    const { headers } = await manager()
    expect(await end(headers, {})).toMatchObject(refused(['id']))
    expect(await end(headers, { query: '?id=x' })).toMatchObject(refused(['id']))
    expect(await end(headers, { body: { id: uuid(), force: true } })).toMatchObject(refused([]))
  })

  test('a key may end itself', async () => {
    const { headers, key } = await manager()
    expect(await end(headers, { query: `?id=${key.id}` })).toMatchObject({ status: 200 })
    expect(await call(GET, '/api_keys', { headers })).toMatchObject({ status: 401 })
  })
})
