import { type Answer, ask, expectError } from '@/e2e/testing/ask'
import { openStage, type Stage } from '@/e2e/testing/contract-stage'
import { expect, test } from '@/e2e/testing/contract-test'
import { DOCUMENTS } from '@/e2e/testing/documents'
import { type LocalSite, startLocalSite, TIDE_FACT } from '@/e2e/testing/local-site'
import { evmProof, newEvmAccount } from '@/e2e/testing/wallet-stage'
import { FORBIDDEN_SCHEMES } from '@/lib/kernel/testing/forbidden-addresses'
import { type LocalServer, startLocalServer } from '@/lib/kernel/testing/local-server'

/** Search, scrape and text-parser on the built server: what they answer, what they refuse, and what they cost. */

/** Of one call that succeeds, in USD. */
const CENT = 0.01
const MARKDOWN = '# Tides\n\n| High | Low |\n| --- | --- |\n| 09:12 | 15:30 |'

let site: LocalSite
/** A site that has Markdown for whoever asks for it first, one path that never answers, and forbids nothing. */
let press: LocalServer
let stage: Stage

test.beforeAll(async () => {
  test.setTimeout(120_000)
  site = await startLocalSite()
  press = await startLocalServer((request, response) => {
    if (request.url === '/silent') return
    const isAsked = request.headers.accept?.startsWith('text/markdown')
    response.writeHead(200, { 'content-type': isAsked ? 'text/markdown' : 'text/html' })
    response.end(isAsked ? MARKDOWN : '<h1>Tides</h1>')
  })
  stage = await openStage(
    { failedRequests: { count: 1_000 } },
    {
      SEARCH_PROVIDER: 'searxng',
      SEARCH_URL: site.origin,
      EGRESS_ALLOW_ORIGINS: `${site.origin},${press.origin}`,
      SCRAPE_BLOCKLIST: 'walled.example',
      WELCOME_CREDIT_USD: '1',
    },
  )
})
test.afterAll(async () => {
  await stage?.stop()
  await press?.close()
  await site?.close()
})

type Headers = Record<string, string>
const search = (key: string | undefined, body: object, headers?: Headers) =>
  ask(stage, key, body, headers, 'augment/search')
const scrape = (key: string | undefined, url: unknown, headers?: Headers) =>
  ask(stage, key, { url }, headers, 'augment/scrape')
async function parse(
  key: string | undefined,
  file: File,
  fields: Headers = {},
  headers: Headers = {},
): Promise<Answer> {
  const form = new FormData()
  form.set('file', file)
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  const encoded = new Response(form)
  const type = { 'content-type': encoded.headers.get('content-type')! }
  return ask(stage, key, await encoded.bytes(), { ...type, ...headers }, 'augment/text-parser')
}

/** What an account has, in USD. */
async function balanceOf(key: string): Promise<number> {
  const response = await fetch(`${stage.baseUrl}/api_keys/rate_limits`, { headers: { authorization: `Bearer ${key}` } })
  return ((await response.json()) as { data: { balances: { USD: number } } }).data.balances.USD
}

test('a search finds the pages of the web, as plain text', async () => {
  const key = await stage.newKey()
  const answer = await search(key, { query: 'Saint Malo', limit: 1, colour: 'red' })
  expect(answer.json).toEqual({
    query: 'Saint Malo',
    results: [{ title: 'The harbour', url: `${site.origin}/harbour`, content: expect.any(String), date: '' }],
  })
  expect(answer.headers.get('x-ratelimit-limit-requests')).toBe('20')
  expect(answer.headers.get('x-service-balance-usd')).toBe('5.000000')
  expect(await balanceOf(key)).toBe(5 - CENT)
  const all = (await search(key, { query: 'Saint Malo', search_provider: 'google' })).json.results
  expect(all).toEqual([
    expect.objectContaining({ url: `${site.origin}/harbour` }),
    { title: 'Tides of Saint Malo', url: `${site.origin}/tides`, content: TIDE_FACT, date: '2026-11-18' },
  ])
  expect(await balanceOf(key)).toBe(5 - 2 * CENT)
})

test('a page is Markdown: its own where it has that, else made of it; redirects are followed', async () => {
  const key = await stage.newKey()
  expect((await scrape(key, press.origin)).json).toEqual({ url: press.origin, content: MARKDOWN, format: 'markdown' })
  const made = await scrape(key, `${site.origin}/to?url=/tides`)
  expect(made.json).toEqual({
    url: `${site.origin}/tides`,
    content: expect.stringContaining(TIDE_FACT),
    format: 'markdown',
  })
  expect(made.text).not.toContain('document.title')
  expect((await scrape(key, `${site.origin}/note.txt`)).json.content).toContain('periwinkle')
  expect(await balanceOf(key)).toBe(5 - 3 * CENT)
})

test('documents of every kind give their text', async () => {
  const key = await stage.newKey()
  const written = DOCUMENTS.filter(({ name }) => !/scan|\.(png|jpe?g|webp)$/.test(name))
  expect(written.length).toBeGreaterThan(5)
  for (const { name, mime, bytes, facts } of written) {
    const file = new File([new Uint8Array(await bytes())], name, { type: mime })
    const { status, json } = await parse(key, file)
    expect({ name, status }).toEqual({ name, status: 200 })
    for (const fact of facts) expect(json.text).toContain(fact)
    expect(json.tokens).toBe(Math.ceil((json.text as string).length / 3.2))
  }
  const plain = await parse(key, new File(['Größe "14"'], 'a.txt'), { response_format: 'text' })
  expect(plain.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(plain.text).toBe('Größe "14"')
  expect(await balanceOf(key)).toBeCloseTo(5 - (written.length + 1) * CENT, 9)
})

test('whatever is wrong is said, and costs nothing', async () => {
  const key = await stage.newKey()
  // Its ten seconds run while the others are answered.
  const silent = scrape(key, `${press.origin}/silent`)
  for (const body of [
    {},
    { query: '' },
    { query: 'q'.repeat(401) },
    { query: 'a', limit: 21 },
    { query: 'a', search_provider: 'x' },
  ]) {
    expectError(await search(key, body), 400, 'INVALID_REQUEST')
  }
  expectError(await search(key, { query: 'a' }, { 'content-type': 'text/plain' }), 415, 'INVALID_CONTENT_TYPE')
  const inside = [
    'http://127.0.0.1/',
    'http://[::1]/',
    'http://169.254.169.254/',
    'http://metadata/',
    'http://10.0.0.1/',
  ]
  const redirected = inside.slice(0, 3).map((url) => `${site.origin}/to?url=${encodeURIComponent(url)}`)
  const others = ['https://me:secret@sea.example/', 'https://walled.example/', 'tides', undefined]
  const addresses = [...inside, ...redirected, ...others, ...FORBIDDEN_SCHEMES]
  const refused = await Promise.all(addresses.map((url) => scrape(key, url)))
  for (const answer of refused) expectError(answer, 400, 'INVALID_REQUEST')
  expectError(await scrape(key, `${site.origin}/nowhere`), 500, 'SCRAPE_FAILED')
  expectError(await scrape(key, `${site.origin}/picture.png`), 500, 'SCRAPE_FAILED')
  expectError(await parse(key, new File([], 'a.txt')), 400, 'INVALID_REQUEST')
  expectError(await parse(key, new File(['%PDF-1.7'], 'a.pdf')), 400, 'INVALID_REQUEST')
  expectError(await parse(key, new File(['a'], 'a.txt'), { response_format: 'xml' }), 400, 'INVALID_REQUEST')
  expectError(await parse(key, new File([new Uint8Array(25_000_001)], 'a.txt')), 413, 'PAYLOAD_TOO_LARGE')
  expectError(await silent, 500, 'SCRAPE_FAILED')
  expect(await balanceOf(key)).toBe(5)
})

test('a wallet pays for each with its signature', async () => {
  const wallet = newEvmAccount()
  const proof = async () => ({ 'sign-in-with-x': await evmProof(stage.baseUrl, wallet) })
  const answers = [
    await search(undefined, { query: 'tides' }, await proof()),
    await scrape(undefined, press.origin, await proof()),
    await parse(undefined, new File(['High water'], 'a.txt'), {}, await proof()),
  ]
  expect(answers.map(({ status, headers }) => [status, headers.get('x-balance-remaining')])).toEqual([
    [200, '0.990000'],
    [200, '0.980000'],
    [200, '0.970000'],
  ])
})

test('who has no credentials is told how to pay', async () => {
  for (const path of ['search', 'scrape', 'text-parser']) {
    const answer = await ask(stage, undefined, '', {}, `augment/${path}`)
    expect([path, answer.status, answer.headers.has('payment-required')]).toEqual([path, 402, true])
    expectError(await ask(stage, 'nobody', {}, {}, `augment/${path}`), 401, 'AUTHENTICATION_FAILED')
  }
})

test('twenty searches a minute, and no log says what was asked', async () => {
  const key = await stage.newKey()
  const query = 'periwinkle-harbour-secret'
  const answers = await Promise.all(Array.from({ length: 45 }, () => search(key, { query })))
  const late = answers.filter(({ status }) => status === 429)
  // The minute of the clock may have turned in between.
  expect(late.length).toBeGreaterThanOrEqual(5)
  expect(late.length).toBeLessThanOrEqual(25)
  for (const answer of late) {
    expectError(answer, 429, 'RATE_LIMIT_EXCEEDED')
    expect(answer.headers.get('x-ratelimit-type')).toBe('user')
  }
  expect(await balanceOf(key)).toBeCloseTo(5 - (answers.length - late.length) * CENT, 9)
  const log = await stage.log()
  expect(log).toContain('/api/v1/augment/search')
  expect(log).not.toContain(query)
})
