import { echoOf, promptOf } from '@/e2e/contract/answer'
import { expect, test } from '@/e2e/contract/shared-stage'
import { ask, expectError } from '@/e2e/testing/ask'
import type { Stage } from '@/e2e/testing/contract-stage'

/** Characters: read by programs with a key, made and rated by people with a browser session. */

const LEAST_SHIPPED = 24
const SLUG = 'lantern-of-questions'

type Character = {
  id: string
  slug: string
  name: string
  tags: string[]
  featured: boolean
  modelId: string
  photoUrl: string
  stats: { averageRating: number; ratingCount: number; imports: number; userRating: number | null }
}
type Reply<T = Character> = { status: number; headers: Headers; data: T; body: Record<string, unknown> }

let stage: Stage
let key: string

test.beforeAll(async ({ shared }) => {
  stage = shared.stage
  key = await stage.newKey()
})

/** Reads with the key. */
async function read<T = Character[]>(path: string, headers: Record<string, string> = {}): Promise<Reply<T>> {
  return replyOf<T>(await fetch(`${stage.baseUrl}${path}`, { headers: { authorization: `Bearer ${key}`, ...headers } }))
}

async function replyOf<T>(response: Response): Promise<Reply<T>> {
  const body = (await response.json()) as Record<string, unknown>
  return { status: response.status, headers: response.headers, data: body.data as T, body }
}

const slugsOf = async (query: string) => (await read(`/characters${query}`)).data.map(({ slug }) => slug)

/** A guest's page of this service. */
async function openPage() {
  const origin = new URL(stage.baseUrl).origin
  const session = await fetch(`${origin}/api/session`, { method: 'POST', headers: { origin } })
  const cookie = session.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const send = (method: string, path: string, body?: BodyInit, type = 'application/json') =>
    fetch(`${origin}/api/characters${path}`, {
      method,
      headers: { origin, cookie, ...(body === undefined ? {} : { 'content-type': type }) },
      body,
    })
  return {
    /** Of a download: everything else has JSON. */
    load: (path: string) => send('GET', path),
    upload: async (body: BodyInit, type: string) => replyOf<Character>(await send('POST', '/import', body, type)),
    ask: async (method: string, path: string, body?: object) =>
      replyOf<Character>(await send(method, path, body && JSON.stringify(body))),
  }
}

test('the list has many, in several categories, each with a drawing of its own', async () => {
  const { status, data, body } = await read('/characters?limit=100')
  expect([status, body.object]).toEqual([200, 'list'])
  expect(data.length).toBeGreaterThanOrEqual(LEAST_SHIPPED)
  expect(new Set(data.map(({ slug }) => slug)).size).toBe(data.length)
  expect(JSON.stringify(data)).not.toMatch(/"(prompt|systemPrompt|context|categories|visibility)"/)
  for (const category of ['learning', 'coding', 'writing', 'languages', 'philosophy', 'games']) {
    expect((await slugsOf(`?categories=${category}`)).length).toBeGreaterThan(0)
  }
  const [portrait] = await Promise.all(data.slice(0, 1).map(({ photoUrl }) => fetch(photoUrl)))
  expect(portrait?.headers.get('content-type')).toBe('image/webp')
})

test('filters, sorting and pages', async () => {
  const all = (await read('/characters?limit=100')).data
  const { name, tags } = all.find(({ slug }) => slug === SLUG)!
  expect(await slugsOf(`?search=${encodeURIComponent(name.toUpperCase())}`)).toContain(SLUG)
  expect(await slugsOf(`?search=${encodeURIComponent(`#${tags[0]}`)}`)).toContain(SLUG)
  expect(await slugsOf(`?tags=nothing-has-it,${tags[0]}`)).toContain(SLUG)
  expect(await slugsOf('?search=nobody-is-called-this')).toEqual([])
  expect(await slugsOf('?isAdult=true')).toEqual([])
  expect(await slugsOf('?isPro=true')).toEqual([])
  expect((await slugsOf('?modelId=say&limit=100')).length).toBeGreaterThan(0)
  expect(await slugsOf('?modelId=no-such-model')).toEqual([])
  for (const { featured } of (await read('/characters?sortBy=featured')).data) expect(featured).toBe(true)
  const sorts = ['highestRating', 'highlyRated', 'highlyRatedAndRecent', 'imports', 'mostRecent', 'ratingCount']
  for (const sort of sorts) expect((await read(`/characters?sortBy=${sort}&sortOrder=asc`)).status).toBe(200)
  const pages = [...(await slugsOf('?limit=5')), ...(await slugsOf('?limit=5&offset=5'))]
  expect(pages).toEqual(await slugsOf('?limit=10'))
})

test('bad filters are refused by name', async () => {
  for (const query of ['limit=0', 'limit=101', 'offset=-1', 'sortBy=best', 'sortOrder=up', 'isAdult=maybe']) {
    const { status, body } = await read(`/characters?${query}`)
    expect([query, status, body.code]).toEqual([query, 400, 'INVALID_REQUEST'])
    expect(body.details).toHaveProperty(query.split('=')[0]!)
  }
})

test('one, by slug and by id, and its reviews', async () => {
  const { data, body } = await read<Character>(`/characters/${SLUG}`)
  expect([body.object, data.slug, data.modelId]).toEqual(['character', SLUG, 'say'])
  expect((await read<Character>(`/characters/${data.id}`)).data).toEqual(data)
  const reviews = await read(`/characters/${SLUG}/reviews?pageSize=5`)
  expect(reviews.body).toEqual({
    object: 'list',
    data: [],
    pagination: { page: 1, pageSize: 5, total: 0, totalPages: 0 },
    summary: { averageRating: 0, totalReviews: 0 },
  })
  expect(reviews.headers.get('x-pagination-total')).toBe('0')
  for (const path of ['/characters/nobody', '/characters/nobody/reviews']) {
    const { status, body } = await read(path)
    expect([status, body.code]).toEqual([404, 'CHARACTER_NOT_FOUND'])
  }
})

test('without a key there is nothing to read', async () => {
  for (const path of ['/characters', `/characters/${SLUG}`, `/characters/${SLUG}/reviews`]) {
    for (const authorization of ['', 'Bearer SERVICE_INFERENCE_KEY_wrong']) {
      const { status, body } = await read(path, { authorization })
      expect([status, body.code]).toEqual([401, 'AUTHENTICATION_FAILED'])
    }
  }
})

test('a character speaks in a chat, by slug and by suffix; one that is not there is a 404', async () => {
  const messages = [
    { role: 'system', content: 'Answer in one line.' },
    { role: 'user', content: 'Hello' },
  ]
  const before = (await read<Character>(`/characters/${SLUG}`)).data.stats.imports
  for (const body of [
    { model: 'able', messages, service_parameters: { character_slug: SLUG } },
    { model: `able:character_slug=${SLUG}`, messages },
  ]) {
    const answer = await ask(stage, key, body)
    expect(answer.status).toBe(200)
    expect(echoOf(answer).character_slug).toBe(SLUG)
    expect(answer.json.model).toBe('able')
    const prompt = promptOf(stage.upstream.bodies.at(-1))
    expect(prompt.indexOf('You are')).toBeGreaterThanOrEqual(0)
    expect(prompt.indexOf('You are')).toBeLessThan(prompt.indexOf('Answer in one line.'))
  }
  await expect.poll(async () => (await read<Character>(`/characters/${SLUG}`)).data.stats.imports).toBe(before + 1)
  const sent = stage.upstream.bodies.length
  const nobody = { model: 'able', messages, service_parameters: { character_slug: 'nobody-at-all' } }
  expectError(await ask(stage, key, nobody), 404, 'CHARACTER_NOT_FOUND')
  expect(stage.upstream.bodies).toHaveLength(sent)
})

test('a person makes a character, publishes it, gets it rated by another, and takes it back', async () => {
  const [maker, other] = [await openPage(), await openPage()]
  const draft = { name: 'Salt Marsh', prompt: 'You are Salt Marsh, a patient surveyor.', tags: ['marsh'] }
  const made = await maker.ask('POST', '', draft)
  expect([made.status, made.data.slug]).toEqual([201, 'salt-marsh'])
  const seen = async () => (await slugsOf('?tags=marsh')).includes('salt-marsh')
  const chat = () =>
    ask(stage, key, { model: 'able:character_slug=salt-marsh', messages: [{ role: 'user', content: 'Hello' }] })
  expect(await seen()).toBe(false)
  expectError(await chat(), 404, 'CHARACTER_NOT_FOUND')

  expect((await maker.ask('PATCH', '/salt-marsh', { visibility: 'published' })).status).toBe(200)
  expect(await seen()).toBe(true)
  expect((await chat()).status).toBe(200)
  expect(promptOf(stage.upstream.bodies.at(-1))).toContain('a patient surveyor')

  expect((await other.ask('PATCH', '/salt-marsh', { name: 'Mine' })).status).toBe(404)
  const rated = await other.ask('PUT', '/salt-marsh/review', { rating: 4, message: 'Knows every ditch.' })
  expect([rated.status, rated.data.stats.userRating]).toEqual([200, 4])
  expect((await other.ask('PUT', '/salt-marsh/review', { rating: 6 })).status).toBe(400)
  const reviews = await read<{ rating: number; message: string }[]>('/characters/salt-marsh/reviews')
  expect(reviews.data).toMatchObject([{ rating: 4, message: 'Knows every ditch.', isOwner: false }])
  expect(reviews.body.summary).toEqual({ averageRating: 4, totalReviews: 1 })

  expect((await maker.ask('PATCH', '/salt-marsh', { visibility: 'draft' })).status).toBe(200)
  expect(await seen()).toBe(false)
  expect((await read('/characters/salt-marsh')).status).toBe(404)
  expectError(await chat(), 404, 'CHARACTER_NOT_FOUND')
})

test('without a session of this service’s own pages nothing is made', async () => {
  const origin = new URL(stage.baseUrl).origin
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ name: 'X', prompt: 'Y' })
  const strangers: Record<string, string>[] = [{}, { origin: 'https://elsewhere.example' }]
  for (const more of strangers) {
    const answer = await fetch(`${origin}/api/characters`, { method: 'POST', headers: { ...headers, ...more }, body })
    expect(answer.status).toBe(401)
  }
})

for (const [format, type] of [
  ['json', 'application/json'],
  ['png', 'image/png'],
] as const) {
  test(`a character goes out as a card in ${format} and comes back the same`, async () => {
    const [maker, other] = [await openPage(), await openPage()]
    const said = {
      name: `Card ${format}`,
      description: 'Goes places.',
      prompt: 'You are {{char}}, who travels.',
      greeting: 'Hello {{user}}!',
      context: [{ role: 'assistant', content: 'Where to?' }],
      tags: ['travel'],
      visibility: 'published',
    }
    const { slug } = (await maker.ask('POST', '', said)).data
    const card = await maker.load(`/${slug}/export?format=${format}`)
    expect(card.headers.get('content-type')).toContain(type)
    const back = await other.upload(await card.arrayBuffer(), type)
    expect([back.status, back.body.warnings]).toEqual([201, []])
    expect(back.data.slug).not.toBe(slug)
    expect(back.data).toMatchObject({ ...said, visibility: 'draft' })
  })
}

test('what is no card is refused', async () => {
  const page = await openPage()
  for (const [body, type, status] of [
    ['{}', 'application/json', 400],
    ['no picture', 'image/png', 400],
    ['a: b', 'text/yaml', 415],
  ] as const) {
    expect((await page.upload(body, type)).status).toBe(status)
  }
})
