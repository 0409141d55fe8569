import { beforeAll, describe, expect, test } from 'vitest'
import { GET as one } from '@/app/api/v1/models/[...id]/route'
import { GET as aliases } from '@/app/api/v1/models/compatibility_mapping/route'
import { GET, POST } from '@/app/api/v1/models/route'
import { GET as traits } from '@/app/api/v1/models/traits/route'
import { ModelList } from '@/lib/contract/models.schema'
import { testDatabase } from '@/lib/db/testing'
import type { RouteHandler } from '@/lib/pipeline/route'
import { createKey } from '@/lib/services/identity/api-keys'
import { testAccount } from '@/lib/services/identity/testing'
import { installModels, textModel } from '@/lib/services/models/testing/models'

await testDatabase()

beforeAll(() =>
  installModels([
    textModel({ id: 'org/atlas:7b', traits: ['default'], aliases: ['gpt-4o'] }),
    textModel({ id: 'elsewhere', privacy: 'anonymized', traits: ['fastest'] }),
  ]),
)

async function get(
  handler: RouteHandler,
  path = '/models',
  options: { headers?: Record<string, string>; id?: string[] } = {},
) {
  const request = new Request(`http://localhost:3000/api/v1${path}`, { headers: options.headers })
  const response = await handler(request, { params: Promise.resolve(options.id ? { id: options.id } : {}) })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

const keyWith = async (modelPrivacy: 'ALL' | 'PRIVATE_ONLY') => {
  const key = await createKey({ accountId: await testAccount(), type: 'INFERENCE', description: 'test', modelPrivacy })
  return { authorization: `Bearer ${key.secret}` }
}

const idsOf = (body: unknown) => ModelList.parse(body).data.map(({ id }) => id)

describe('GET /models', () => {
  test('is open to everyone and may be cached', async () => {
    const { status, headers, body } = await get(GET)
    expect(status).toBe(200)
    expect(idsOf(body)).toEqual(['org/atlas:7b', 'elsewhere'])
    expect(headers.get('cache-control')).toBe('public, max-age=60')
    expect(headers.get('vary')).toBe('Authorization')
  })

  test('leaves out what a key may not use, and is then not cached', async () => {
    const { headers, body } = await get(GET, '/models', { headers: await keyWith('PRIVATE_ONLY') })
    expect(idsOf(body)).toEqual(['org/atlas:7b'])
    expect(headers.get('cache-control')).toBe('private, no-store')
    expect(idsOf((await get(GET, '/models', { headers: await keyWith('ALL') })).body)).toHaveLength(2)
  })

  test('ignores credentials that it does not use, valid or not', async () => {
    const useless: Record<string, string>[] = [
      { authorization: 'Bearer SERVICE_INFERENCE_KEY_nonsense' },
      { authorization: 'Basic x' },
      { 'sign-in-with-x': 'x' },
    ]
    for (const headers of useless) {
      const { status, body } = await get(GET, '/models', { headers })
      expect(status).toBe(200)
      expect(idsOf(body)).toHaveLength(2)
    }
  })

  test('refuses an unknown type with the detail', async () => {
    const { status, body } = await get(GET, '/models?type=nonsense')
    expect(status).toBe(400)
    expect(body).toMatchObject({
      error: 'Invalid request parameters',
      code: 'INVALID_REQUEST',
      details: { _errors: [], type: { _errors: [expect.any(String)] } },
      issues: [{ path: ['type'] }],
    })
  })

  test('is the only method', async () => {
    expect(await get(POST)).toMatchObject({ status: 405, body: { code: 'METHOD_NOT_ALLOWED' } })
  })
})

test('GET /models/{id} finds ids with slashes, and 404s for others', async () => {
  expect(await get(one, '/models/org/atlas:7b', { id: ['org', 'atlas:7b'] })).toMatchObject({
    status: 200,
    body: { id: 'org/atlas:7b', object: 'model' },
  })
  expect(await get(one, '/models/nope', { id: ['nope'] })).toMatchObject({
    status: 404,
    body: { code: 'MODEL_NOT_FOUND' },
  })
})

test('GET /models/traits and /models/compatibility_mapping', async () => {
  expect((await get(traits, '/models/traits')).body).toEqual({
    object: 'list',
    type: 'text',
    data: { default: 'org/atlas:7b', fastest: 'elsewhere' },
  })
  expect((await get(aliases, '/models/compatibility_mapping?type=text')).body).toEqual({
    object: 'list',
    type: 'text',
    data: { 'gpt-4o': 'org/atlas:7b' },
  })
  expect((await get(aliases, '/models/compatibility_mapping?type=all')).status).toBe(400)
})
