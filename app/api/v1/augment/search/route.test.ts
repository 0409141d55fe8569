import type { RequestListener } from 'node:http'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { POST as scrape } from '@/app/api/v1/augment/scrape/route'
import { POST } from '@/app/api/v1/augment/search/route'
import { GET as analytics } from '@/app/api/v1/billing/usage-analytics/route'
import { GET as history } from '@/app/api/v1/billing/usage-history/route'
import { chatStage } from '@/app/api/v1/chat/completions/testing/stage'
import { SearchResponse } from '@/lib/contract/augment.schema'
import { usd } from '@/lib/contract/money'
import { type Config, config } from '@/lib/kernel/config'
import { startLocalServer } from '@/lib/kernel/testing/local-server'
import { stopClock } from '@/lib/kernel/testing/time'
import { testWallet } from '@/lib/pipeline/testing'
import { createKey } from '@/lib/services/identity/api-keys'

let answer: RequestListener
const engine = await startLocalServer((request, response) => answer(request, response))
afterAll(() => engine.close())

const stage = await chatStage({
  route: { path: 'augment/search', POST, body: { query: 'tide tables' } },
  settings: { SEARCH_PROVIDER: 'searxng', SEARCH_URL: engine.origin, WELCOME_CREDIT_USD: '1' },
})
const { call, spent, linesOf } = stage

const finds =
  (results: object[]): RequestListener =>
  (_request, response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ results }))
const page = (n: number) => ({ url: `https://sea.example/${n}`, title: `Page ${n}`, content: `What ${n} says` })

const holder = globalThis as { __serviceConfig?: Config }
beforeEach(() => {
  engine.requests = []
  answer = finds([
    {
      ...page(1),
      title: 'Tides',
      content: 'High <b>water</b> 09:12 &amp; later',
      publishedDate: '2026-07-18T00:00:00Z',
    },
    page(2),
    { url: 'javascript:alert(1)', title: 'No page', content: '' },
  ])
})

test('the pages that were found come back as plain text, for a cent', async () => {
  const response = await call()
  expect(response.status).toBe(200)
  const body = await response.json()
  expect(SearchResponse.parse(body)).toEqual(body)
  expect(body).toEqual({
    query: 'tide tables',
    results: [
      { title: 'Tides', url: 'https://sea.example/1', content: 'High water 09:12 & later', date: '2026-07-18' },
      { title: 'Page 2', url: 'https://sea.example/2', content: 'What 2 says', date: '' },
    ],
  })
  expect(response.headers.get('x-ratelimit-limit-requests')).toBe('20')
  expect(response.headers.get('x-ratelimit-remaining-requests')).toBe('19')
  expect(response.headers.get('x-service-balance-usd')).toBe('5.000000')
  expect(await spent()).toBe(0.01)
  expect(await linesOf()).toEqual({ 'augment-search': [1, 0.01] })
})

test('finding nothing is an answer, too', async () => {
  answer = finds([])
  const response = await call({ query: 'nobody says this' })
  expect(response.status).toBe(200)
  expect(await response.json()).toEqual({ query: 'nobody says this', results: [] })
  expect(await spent()).toBe(0.01)
})

test('as many results as were asked for, ten by default', async () => {
  answer = finds(Array.from({ length: 30 }, (_, n) => page(n)))
  expect((await (await call()).json()).results).toHaveLength(10)
  expect((await (await call({ limit: 1 })).json()).results).toHaveLength(1)
  expect((await (await call({ limit: 20, query: 'q'.repeat(400) })).json()).results).toHaveLength(20)
  expect(new URL(engine.requests.at(-1)!.url, engine.origin).searchParams.get('q')).toBe('q'.repeat(400))
})

test('brave is what the service searches with, google the engine of that name', async () => {
  const enginesOf = async (search_provider?: string) => {
    expect((await call({ search_provider })).status).toBe(200)
    return new URL(engine.requests.at(-1)!.url, engine.origin).searchParams.get('engines')
  }
  expect([await enginesOf(), await enginesOf('brave'), await enginesOf('google')]).toEqual([null, null, 'google'])
})

test('google has a server of its own, or is refused in words; no key goes astray', async () => {
  const before = config()
  const { search } = before
  try {
    holder.__serviceConfig = {
      ...before,
      search: { provider: 'tavily', apiKey: 'secret', url: engine.origin, googleUrl: undefined },
    }
    const refusal = await call({ search_provider: 'google' })
    expect(refusal.status).toBe(400)
    expect((await refusal.json()).issues).toEqual([
      {
        code: 'custom',
        path: ['search_provider'],
        message: expect.stringMatching(/^google is not set up.*leave the field out/),
      },
    ])
    expect(engine.requests).toEqual([])
    holder.__serviceConfig = {
      ...before,
      search: { ...search, provider: 'tavily', apiKey: 'secret', googleUrl: engine.origin },
    }
    expect((await call({ search_provider: 'google' })).status).toBe(200)
    expect(engine.requests[0]!.rawHeaders.join()).not.toContain('secret')
  } finally {
    holder.__serviceConfig = before
  }
})

test.each([
  ['no query', { query: undefined }, 'query'],
  ['an empty query', { query: '' }, 'query'],
  ['a query without a word', { query: ' \n\t' }, 'query'],
  ['a long query', { query: 'q'.repeat(401) }, 'query'],
  ['a number for a query', { query: 7 }, 'query'],
  ['no results', { limit: 0 }, 'limit'],
  ['too many results', { limit: 21 }, 'limit'],
  ['half a result', { limit: 1.5 }, 'limit'],
  ['a text for a number', { limit: '5' }, 'limit'],
  ['another provider', { search_provider: 'bing' }, 'search_provider'],
])('%s: 400 that says where; nobody is asked and nothing is charged', async (_, body, field) => {
  const response = await call(body)
  expect(response.status).toBe(400)
  const said = await response.json()
  expect(said).toMatchObject({ error: 'Invalid request parameters', code: 'INVALID_REQUEST' })
  expect(said.issues).toHaveLength(1)
  expect(said.issues[0].path).toEqual([field])
  expect(engine.requests).toEqual([])
  expect(await spent()).toBe(0)
})

test('what is no JSON, or no object, is refused', async () => {
  for (const raw of ['{', '[]', '"tides"', '']) expect((await call({}, { raw })).status).toBe(400)
  expect((await call({}, { headers: { 'content-type': 'text/plain' } })).status).toBe(415)
})

test.each<[string, RequestListener, RegExp]>([
  ['that answers with an error', (_, response) => void response.writeHead(503).end(), /answered with an error/],
  ['that answers in another form', (_, response) => void response.end('<html>'), /could not be read/],
  ['that takes us for a robot', (_, response) => void response.writeHead(202).end(), /turns this service away/],
  ['that hangs up', (request) => void request.socket.destroy(), /could not be reached/],
])('a provider %s: 500 in words of ours, and free', async (_, says, message) => {
  answer = says
  const response = await call()
  expect(response.status).toBe(500)
  expect(await response.json()).toEqual({ error: expect.stringMatching(message), code: 'SEARCH_FAILED' })
  expect(await spent()).toBe(0)
})

test('twenty a minute and account; scraping has a minute of its own', async () => {
  stopClock()
  const all = await Promise.all(Array.from({ length: 21 }, () => call()))
  const late = all.filter(({ status }) => status === 429)
  expect(all.filter(({ status }) => status === 200)).toHaveLength(20)
  expect(late).toHaveLength(1)
  expect(late[0]!.headers.get('x-ratelimit-type')).toBe('user')
  expect(Number(late[0]!.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await late[0]!.json()).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' })
  const other = { path: 'augment/scrape', POST: scrape, body: { url: 'http://127.0.0.1/' } }
  expect((await call({}, { route: other })).headers.get('x-ratelimit-remaining-requests')).toBe('19')
  expect(await spent()).toBe(0.2)
})

test('without credentials the reply says how to pay; a wrong key is none', async () => {
  const discovery = await call({}, { headers: { authorization: undefined }, raw: '' })
  expect(discovery.status).toBe(402)
  expect(discovery.headers.get('payment-required')).toBeTruthy()
  expect((await call({}, { headers: { authorization: 'Bearer nobody' } })).status).toBe(401)
})

test('a wallet pays with its signature, and is told what remains', async () => {
  const wallet = testWallet()
  const response = await call({}, { headers: { authorization: undefined, ...(await wallet.signIn()) } })
  expect(response.status).toBe(200)
  expect(response.headers.get('x-service-balance-usd')).toBe('1.000000')
  expect(response.headers.get('x-balance-remaining')).toBe('0.990000')
})

test('whoever has less than ten cents, or a key that may spend no cent more, is not served', async () => {
  const poor = await stage.openAccount(usd('0.09'))
  const refusal = await call({}, { headers: { authorization: `Bearer ${poor.secret}` } })
  expect(refusal.status).toBe(402)
  expect(await refusal.json()).toMatchObject({ code: 'INSUFFICIENT_BALANCE' })
  const limited = await stage.openAccount(usd('5'), { keyLimit: usd('0.009') })
  const limit = await call({}, { headers: { authorization: `Bearer ${limited.secret}` } })
  expect(await limit.json()).toMatchObject({ code: 'API_KEY_USD_SPEND_LIMIT_EXCEEDED' })
  expect(engine.requests).toEqual([])
})

test('whoever leaves before there is an answer pays nothing', async () => {
  const leaving = new AbortController()
  answer = () => leaving.abort()
  await call({}, { signal: leaving.signal })
  expect(await spent()).toBe(0)
})

test('a call is in the account’s usage under its own name', async () => {
  expect((await call()).status).toBe(200)
  await spent()
  const { secret } = await createKey({ accountId: stage.accountId, type: 'ADMIN', description: 'admin' })
  const read = async (GET: typeof history, path: string) => {
    const request = new Request(`http://localhost:3000/api/v1/billing/${path}`, {
      headers: { authorization: `Bearer ${secret}` },
    })
    return (await GET(request, { params: Promise.resolve({}) })).json()
  }
  expect((await read(history, 'usage-history')).data).toMatchObject([
    {
      sku: 'augment-search',
      units: 1,
      pricePerUnitUsd: 0.01,
      amount: -0.01,
      inferenceDetails: { requestId: expect.stringMatching(/^augment-search-/), promptTokens: null },
    },
  ])
  expect((await read(analytics, 'usage-analytics')).byModel).toMatchObject([
    { modelName: 'augment-search', modelType: null, totalUsd: 0.01, totalUnits: 1 },
  ])
})
