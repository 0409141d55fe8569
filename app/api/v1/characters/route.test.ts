import { beforeAll, describe, expect, test } from 'vitest'
import { GET as one } from '@/app/api/v1/characters/[slug]/route'
import { GET, HEAD, POST } from '@/app/api/v1/characters/route'
import { type Character, NewCharacter } from '@/lib/contract/characters/character.schema'
import { uuid } from '@/lib/contract/ids'
import { testDatabase } from '@/lib/db/testing'
import { testWallet } from '@/lib/pipeline/testing'
import { type CharacterToSave, createCharacter } from '@/lib/services/characters/own'
import { shippedCharacters } from '@/lib/services/characters/shipped'
import { authorOf, idOfSlug } from '@/lib/services/characters/slug'
import { call, client, guest } from '@/lib/services/characters/testing'
import { testAccount } from '@/lib/services/identity/testing'
import { installModels, textModel } from '@/lib/services/models/testing/models'

const database = await testDatabase()
const reader = await client()
const list = (query = '', headers: Record<string, string> = reader.headers) =>
  call(GET, `/api/v1/characters${query}`, { headers })
const get = (slug: string, headers: Record<string, string> = reader.headers) =>
  call(one, `/api/v1/characters/${slug}`, { headers, params: { slug } })

async function data(query: string): Promise<Character[]> {
  const response = await list(query)
  expect(response.status).toBe(200)
  return (await response.json()).data
}
const slugs = async (query: string) => (await data(query)).map(({ slug }) => slug)

/** A character of somebody new: published, and found by its tag alone. */
async function make(tag: string, changes: Partial<CharacterToSave> = {}): Promise<Character> {
  const given = NewCharacter.parse({ name: `Someone ${tag}`, prompt: 'You are someone.', tags: [tag] })
  return createCharacter(await testAccount(), { ...given, visibility: 'published', picture: null, ...changes })
}
async function rate(id: string, ...ratings: number[]): Promise<void> {
  for (const rating of ratings) {
    await database.query(
      'insert into character_review (id, character_id, account_id, rating) values ($1, $2, $3, $4)',
      [uuid(), id, await testAccount(), rating],
    )
  }
}
async function use(id: string, times: number): Promise<void> {
  for (let n = 0; n < times; n++) {
    await database.query('insert into character_use (character_id, account_id) values ($1, $2)', [
      id,
      await testAccount(),
    ])
  }
}
const age = (id: string, days: number) =>
  database.query(`update "character" set created_at = now() - make_interval(days => $2) where id = $1`, [id, days])

beforeAll(() =>
  installModels([
    textModel({ id: 'plain-1', traits: ['default'] }),
    textModel({ id: 'pro-1', access: 'pro' }),
    textModel({ id: 'other-1' }),
  ]),
)

describe('who may read', () => {
  test('API keys of both types and our own pages do, each as itself', async () => {
    for (const { headers } of [reader, await client('ADMIN'), await guest()]) {
      const response = await list('', headers)
      expect(response.status).toBe(200)
      expect(response.headers.get('x-ratelimit-limit-requests')).toBe('500')
      expect(response.headers.get('x-service-balance-usd')).not.toBeNull()
    }
  })

  test('nobody else does: no credentials, a wallet’s header, a page of another origin', async () => {
    const { headers } = await guest()
    const strangers: Record<string, string>[] = [
      {},
      await testWallet().signIn(),
      { ...headers, origin: 'https://evil.example' },
      { cookie: 'service_session=nonsense', origin: headers.origin },
      { authorization: 'Bearer SERVICE_INFERENCE_KEY_nonsense' },
    ]
    for (const stranger of strangers) {
      for (const response of [await list('', stranger), await get('code-reviewer', stranger)]) {
        expect([response.status, (await response.json()).code]).toEqual([401, 'AUTHENTICATION_FAILED'])
      }
    }
  })

  test('other methods are told so, and HEAD has no body', async () => {
    const refused = await call(POST, '/api/v1/characters', { method: 'POST', body: {}, headers: reader.headers })
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
    const head = await call(HEAD, '/api/v1/characters', { method: 'HEAD', headers: reader.headers })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })
})

describe('a character', () => {
  test('has every field of the contract, and nothing that is internal', async () => {
    const account = await testAccount()
    const given = NewCharacter.parse({
      name: 'Odd One',
      description: 'Odd.',
      prompt: 'secret prompt',
      context: [{ role: 'user', content: 'secret context' }],
      categories: ['secret category'],
      tags: ['Odd', '#ODD', 'second tag'],
      webEnabled: true,
      adult: true,
      visibility: 'published',
    })
    const { id } = await createCharacter(account, { ...given, picture: null })
    await rate(id, 5, 4)
    await use(id, 3)
    const response = await get('odd-one')
    const text = await response.text()
    expect(text).not.toContain('secret')
    expect(JSON.parse(text)).toEqual({
      object: 'character',
      data: {
        id,
        slug: 'odd-one',
        name: 'Odd One',
        description: 'Odd.',
        author: authorOf(account),
        adult: true,
        featured: false,
        webEnabled: true,
        modelId: 'plain-1',
        photoUrl: 'http://localhost:3000/api/characters/odd-one/portrait',
        shareUrl: 'http://localhost:3000/characters/odd-one',
        tags: ['odd', 'second tag'],
        stats: { averageRating: 4.5, imports: 3, ratingCount: 2, ratingSum: 9, userRating: null },
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        updatedAt: expect.stringMatching(/Z$/),
      },
    })
    expect(authorOf(account)).toMatch(/^[a-z0-9]{5}$/)
  })

  test('is found by its id in any case, as files’ characters are', async () => {
    const { id } = await make('by-id')
    for (const name of [id, id.toUpperCase()]) expect((await (await get(name)).json()).data.id).toBe(id)
    const shipped = idOfSlug('code-reviewer')
    expect((await (await get(shipped)).json()).data.slug).toBe('code-reviewer')
  })

  test('tells the caller’s own rating', async () => {
    const { id } = await make('rated')
    await database.query('insert into character_review (id, character_id, account_id, rating) values ($1, $2, $3, 2)', [
      uuid(),
      id,
      reader.accountId,
    ])
    expect((await (await get(id)).json()).data.stats).toMatchObject({ userRating: 2, averageRating: 2 })
    const other = await client()
    expect((await (await get(id, other.headers)).json()).data.stats.userRating).toBeNull()
  })

  test.each(['nobody-here', uuid(), 'code-reviewer ', '%', '\u0000', 'x'.repeat(5_000), '<script>', "'; drop table"])(
    'that is not there (%j) is 404',
    async (slug) => {
      const response = await call(one, '/api/v1/characters/x', { headers: reader.headers, params: { slug } })
      const body = await response.json()
      expect([response.status, body.code]).toEqual([404, 'CHARACTER_NOT_FOUND'])
      expect(body.error.length).toBeLessThan(600)
    },
  )

  test('that is not published is 404 for everybody here, and in no list', async () => {
    const maker = await client()
    const given = NewCharacter.parse({ name: 'Hidden', prompt: 'x', tags: ['hidden-tag'] })
    const { slug } = await createCharacter(maker.accountId, { ...given, picture: null })
    expect((await get(slug, maker.headers)).status).toBe(404)
    expect(await slugs('?tags=hidden-tag')).toEqual([])
  })

  test('takes the default model where its own is gone', async () => {
    const { id } = await make('model-gone', { modelId: 'other-1' })
    expect((await (await get(id)).json()).data.modelId).toBe('other-1')
    await database.query(`update "character" set model_id = 'was-here-once' where id = $1`, [id])
    expect((await (await get(id)).json()).data.modelId).toBe('plain-1')
  })
})

describe('the list', () => {
  test('has the shipped characters, none of them adult, with a portrait each', async () => {
    const all = await data('?limit=100')
    const { bySlug } = await shippedCharacters()
    expect(bySlug.size).toBeGreaterThanOrEqual(24)
    const listed = all.filter(({ slug }) => bySlug.has(slug))
    expect(listed).toHaveLength(bySlug.size)
    expect(new Set(listed.map(({ author }) => author)).size).toBe(1)
    expect(all.every(({ adult }) => !adult)).toBe(true)
  })

  test('searches names, descriptions and tags, whatever the case', async () => {
    const { slug } = await make('Zebra-Tag', { name: 'Ümlaut Zephyr', description: 'Keeps 100%_sure bees' })
    for (const search of [
      'zephyr',
      'ZEPH',
      'ümlaut',
      'keeps+bees',
      'zebra-tag',
      'zephyr+bees',
      '100%25_',
      '%23zebra',
      'bees+%23zebra-tag',
    ]) {
      expect(await slugs(`?search=${search}`), search).toEqual([slug])
    }
    for (const search of ['zephyrx', '100__sure', 'keeps%25bees', '%23zephyr', 'bees+%23horse', '%5C']) {
      expect(await slugs(`?search=${search}`), search).toEqual([])
    }
    expect((await data('?search=+&limit=1')).length).toBe(1)
    expect((await data('?search=%23&limit=1')).length).toBe(1)
  })

  test('filters by any of several tags and categories, repeated or with commas', async () => {
    const [one, two] = [
      await make('alpha-t', { categories: ['cat-a'] }),
      await make('beta-t', { categories: ['cat-b'] }),
    ]
    const both = [one.slug, two.slug].sort()
    for (const query of [
      '?tags=alpha-t,beta-t',
      '?tags=alpha-t&tags=beta-t',
      '?tags=ALPHA-T,%20,beta-t',
      '?categories=cat-a&categories=cat-b,none',
    ]) {
      expect((await slugs(query)).sort(), query).toEqual(both)
    }
    expect(await slugs('?tags=alpha-t&categories=cat-b')).toEqual([])
    expect(await slugs('?tags=alpha-t&categories=cat-a')).toEqual([one.slug])
    expect((await slugs('?categories=coding')).length).toBeGreaterThanOrEqual(5)
  })

  test('filters by model, Pro and web', async () => {
    const plain = await make('mod')
    const pro = await make('mod', { modelId: 'pro-1', webEnabled: true })
    expect(await slugs('?tags=mod&modelId=pro-1')).toEqual([pro.slug])
    expect(await slugs('?tags=mod&modelId=plain-1&modelId=x')).toEqual([plain.slug])
    expect(await slugs('?tags=mod&isPro=true')).toEqual([pro.slug])
    expect(await slugs('?tags=mod&isPro=false')).toEqual([plain.slug])
    expect(await slugs('?tags=mod&isWebEnabled=true')).toEqual([pro.slug])
    expect(await slugs('?tags=mod&isWebEnabled=false')).toEqual([plain.slug])
  })

  test('shows what is for adults only when asked, and then nothing else', async () => {
    const [mild, adult] = [await make('age'), await make('age', { adult: true })]
    expect(await slugs('?tags=age')).toEqual([mild.slug])
    expect(await slugs('?tags=age&isAdult=false')).toEqual([mild.slug])
    expect(await slugs('?tags=age&isAdult=true')).toEqual([adult.slug])
  })

  test('sorts as asked, both ways', async () => {
    const [a, b, c] = [await make('sorted'), await make('sorted'), await make('sorted')]
    await rate(a.id, 5)
    await rate(b.id, 4, 5)
    await rate(c.id, 2, 2, 2)
    await use(a.id, 2)
    await use(c.id, 3)
    await age(b.id, 3)
    await age(a.id, 2)
    await age(c.id, 1)
    const names = new Map([a, b, c].map(({ slug }, index) => [slug, 'abc'[index]]))
    const order = async (query: string) => (await slugs(`?tags=sorted${query}`)).map((slug) => names.get(slug)).join('')
    expect(await order('')).toBe('cab')
    expect(await order('&sortBy=imports&sortOrder=asc')).toBe('bac')
    expect(await order('&sortBy=highestRating')).toBe('abc')
    expect(await order('&sortBy=highestRating&sortOrder=asc')).toBe('cba')
    expect(await order('&sortBy=highlyRated')).toBe('bc')
    expect(await order('&sortBy=highlyRatedAndRecent')).toBe('ab')
    expect(await order('&sortBy=mostRecent')).toBe('cab')
    expect(await order('&sortBy=mostRecent&sortOrder=asc')).toBe('bac')
    expect(await order('&sortBy=ratingCount')).toBe('cba')
    expect(await order('&sortBy=featured')).toBe('')
    const featured = await data('?sortBy=featured')
    expect(featured.length).toBeGreaterThan(3)
    expect(featured.every((character) => character.featured)).toBe(true)
  })

  test('comes in pages that neither overlap nor leave anything out', async () => {
    const made = [await make('paged'), await make('paged'), await make('paged')]
    const paged = [...(await slugs('?tags=paged&limit=2')), ...(await slugs('?tags=paged&limit=2&offset=2'))]
    expect(paged.sort()).toEqual(made.map(({ slug }) => slug).sort())
    expect(await slugs('?tags=paged&offset=3')).toEqual([])
    expect(await slugs('?tags=paged&offset=999999999')).toEqual([])
  })

  test.each([
    ['search', 'x'.repeat(201)],
    ['tags', Array.from({ length: 21 }, (_, n) => n).join(',')],
    ['tags', 'x'.repeat(101)],
    ['categories', Array.from({ length: 21 }, (_, n) => n).join(',')],
    ['categories', 'x'.repeat(101)],
    ['modelId', Array.from({ length: 21 }, (_, n) => n).join(',')],
    ['modelId', 'x'.repeat(201)],
    ['isAdult', 'yes'],
    ['isPro', '1'],
    ['isWebEnabled', 'TRUE'],
    ['limit', '0'],
    ['limit', '101'],
    ['limit', '1.5'],
    ['limit', 'ten'],
    ['limit', ''],
    ['offset', '-1'],
    ['offset', '1e3'],
    ['offset', '10000000000'],
    ['sortBy', 'name'],
    ['sortOrder', 'up'],
  ])('a wrong %s is refused by name: %.30s', async (name, value) => {
    const { headers } = await client()
    const response = await list(`?${name}=${value}`, headers)
    const body = await response.json()
    expect([response.status, body.code]).toEqual([400, 'INVALID_REQUEST'])
    expect(body.issues[0].path[0]).toBe(name)
  })

  test.each([
    `search=${'x'.repeat(200)}`,
    `tags=${Array.from({ length: 20 }, (_, n) => n).join(',')}`,
    `tags=${'x'.repeat(100)}`,
    `modelId=${'x'.repeat(200)}`,
    'tags=',
    'limit=1',
    'limit=100',
    'offset=0',
    'colour=blue',
    'search=%00%F0%9F%98%80%ED%A0%80',
    'tags=%00,a',
    'limit=5&limit=1',
  ])('takes what is at its bound or not known: %.30s', async (query) => {
    expect((await list(`?${query}`)).status).toBe(200)
  })
})
