import type { RequestListener } from 'node:http'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { POST } from '@/app/api/v1/augment/scrape/route'
import { chatStage } from '@/app/api/v1/chat/completions/testing/stage'
import { ScrapeResponse } from '@/lib/contract/augment.schema'
import { usd } from '@/lib/contract/money'
import { resetPerProcess } from '@/lib/kernel/per-process'
import { FORBIDDEN_SCHEMES, forbiddenUrls } from '@/lib/kernel/testing/forbidden-addresses'
import { startLocalServer } from '@/lib/kernel/testing/local-server'

let answer: RequestListener
const site = await startLocalServer((request, response) => answer(request, response))
afterAll(() => site.close())

const stage = await chatStage({
  route: { path: 'augment/scrape', POST, body: {} },
  settings: {
    EGRESS_ALLOW_ORIGINS: `${site.origin},http://walled.example:${site.port}`,
    SCRAPE_BLOCKLIST: 'walled.example, Näh.example',
    RATE_LIMITS_FILE: '',
  },
})
const { call, spent, linesOf } = stage

const PARAGRAPH = 'The Moon pulls the water of the seas, and twice a day it rises and falls along the shore. '.repeat(8)
const ARTICLE = `<!doctype html><title>Tides</title><nav><a href="/">Home</a></nav><article><h1>Tides</h1><p>${PARAGRAPH}</p>
  <p>See the <a href="/table">table</a>.</p></article><script>evil()</script>`
const says =
  (type: string, body: string | Uint8Array, status = 200): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': type }).end(body)
const sends =
  (location: string): RequestListener =>
  (_request, response) =>
    void response.writeHead(302, { location }).end()
const read = (path = '/tides') => call({ url: site.origin + path })

beforeEach(() => {
  site.requests = []
  answer = says('text/html', ARTICLE)
  // This file asks more often, and wrongly, than one account may.
  for (const name of ['windows', 'failure-budget']) resetPerProcess(name)
})

test('a page becomes Markdown, for a cent', async () => {
  const response = await read()
  expect(response.status).toBe(200)
  const body = ScrapeResponse.parse(await response.json())
  expect(body).toMatchObject({ url: `${site.origin}/tides`, format: 'markdown' })
  expect(body.content).toContain('twice a day it rises and falls')
  expect(body.content).toContain(`[table](${site.origin}/table)`)
  expect(body.content).not.toMatch(/evil|Home/)
  expect(response.headers.get('x-ratelimit-limit-requests')).toBe('20')
  expect(await spent()).toBe(0.01)
  expect(await linesOf()).toEqual({ 'augment-scrape': [1, 0.01] })
})

test('a site that has Markdown is asked for it first, and it is left as it is', async () => {
  answer = (request, response) => {
    const [type, body] = request.headers.accept?.startsWith('text/markdown,')
      ? ['text/markdown', '# Tides\n\n| High | Low |\n| --- | --- |\n| 09:12 | 15:30 |']
      : ['text/html', ARTICLE]
    says(type!, body!)(request, response)
  }
  expect((await (await read()).json()).content).toBe('# Tides\n\n| High | Low |\n| --- | --- |\n| 09:12 | 15:30 |')
  expect(site.requests).toHaveLength(1)
})

test('the address is as it was sent, or where it led to', async () => {
  expect((await (await call({ url: site.origin })).json()).url).toBe(site.origin)
  answer = (request, response) =>
    request.url === '/old' ? sends('/new')(request, response) : says('text/html', ARTICLE)(request, response)
  expect((await (await read('/old')).json()).url).toBe(`${site.origin}/new`)
})

test('a long page is whole', async () => {
  answer = says('text/plain', 'word '.repeat(200_000))
  expect((await (await read()).json()).content.length).toBeGreaterThan(990_000)
})

test.each([
  ['no address', { url: undefined }, /expected string/],
  ['a number', { url: 7 }, /expected string/],
  ['an empty address', { url: '' }, /absolute URL/],
  ['a path', { url: '/tides' }, /absolute URL/],
  ['a bare host', { url: 'sea.example/tides' }, /absolute URL/],
  ['another scheme', { url: 'ftp://sea.example/tides' }, /http:\/\/ or https:\/\//],
  ['a user name', { url: 'https://me@sea.example/' }, /must not contain a user name or a password/],
  ['a password', { url: 'https://:secret@sea.example/' }, /must not contain a user name or a password/],
  ['an address without end', { url: `https://sea.example/${'a'.repeat(9_000)}` }, /at most 8192/],
  ['this machine', { url: 'http://localhost/' }, /not a public address/],
  ['a private address', { url: 'http://192.168.0.1/' }, /not a public address/],
  ['metadata', { url: 'http://169.254.169.254/latest/meta-data/' }, /not a public address/],
  ['another port', { url: 'http://93.184.215.14:22/' }, /no ports but 80 and 443/],
  ['a site that forbids it', { url: 'https://walled.example/page' }, /forbids automated access/],
  ['a host of that site', { url: 'https://www.WALLED.example./page' }, /forbids automated access/],
  ['a site with letters of its own', { url: 'https://NÄH.example/' }, /forbids automated access/],
])('%s: 400 that says what to change, and nothing is charged', async (_, body, message) => {
  const response = await call(body)
  expect(response.status).toBe(400)
  const said = await response.json()
  expect(said).toMatchObject({ error: 'Invalid request parameters', code: 'INVALID_REQUEST' })
  expect(said.issues).toEqual([expect.objectContaining({ path: ['url'], message: expect.stringMatching(message) })])
  expect(said.details.url._errors).toHaveLength(1)
  expect(site.requests).toEqual([])
  expect(await spent()).toBe(0)
})

test('a name that only ends like a forbidden site is another site', async () => {
  const response = await call({ url: 'https://notwalled.example/' })
  // Nobody is there: it was looked for.
  expect(response.status).toBe(500)
})

test('forbidden addresses are refused in every spelling, and nobody is asked', async () => {
  const canary = await startLocalServer()
  const targets = [...forbiddenUrls(canary.port), ...FORBIDDEN_SCHEMES]
  // As many as one account may ask for in a minute, of as many accounts as it takes.
  for (let at = 0; at < targets.length; at += 20) {
    const { secret } = await stage.openAccount(usd('1'))
    const headers = { authorization: `Bearer ${secret}` }
    const statusOf = async (url: string) => [url, (await call({ url }, { headers })).status]
    const some = targets.slice(at, at + 20)
    expect(await Promise.all(some.map(statusOf))).toEqual(some.map((url) => [url, 400]))
  }
  expect(canary.connections).toBe(0)
  await canary.close()
}, 30_000)

test.each([
  'http://127.0.0.1/',
  'http://169.254.169.254/',
  'http://[::ffff:10.0.0.1]/',
  'http://metadata.google.internal/',
  'https://www.walled.example/',
])('a redirect to %s is refused like the address itself', async (location) => {
  answer = sends(location)
  const response = await read()
  expect(response.status).toBe(400)
  expect((await response.json()).issues[0]).toMatchObject({
    path: ['url'],
    message: expect.stringContaining('leads to one'),
  })
  expect(await spent()).toBe(0)
})

test.each<[string, RequestListener, RegExp]>([
  ['is not there', says('text/html', 'none', 404), /status 404/],
  ['has no text', says('text/html', '<html><body><div id="app"></div></body></html>'), /No text was found/],
  ['is a picture', says('image/png', 'x'), /no text at this URL/],
  ['is damaged', says('application/pdf', '%PDF-1.7 and no more'), /could not be read/],
  ['is too large', says('text/plain', 'a'.repeat(6_000_000)), /too large/],
  ['leads in circles', (request, response) => sends(request.url!)(request, response), /redirects too often/],
  ['hangs up', (request) => void request.socket.destroy(), /No server answered/],
  [
    'is packed in a strange way',
    (_, response) => void response.writeHead(200, { 'content-encoding': 'zebra' }).end('x'),
    /compressed/,
  ],
])('a page that %s: 500 in words of its own, and free', async (_, says, message) => {
  answer = says
  const response = await read()
  expect(response.status).toBe(500)
  expect(await response.json()).toEqual({ error: expect.stringMatching(message), code: 'SCRAPE_FAILED' })
  expect(await spent()).toBe(0)
})

test('without credentials the reply says how to pay, before the address is looked at', async () => {
  expect((await call({ url: 'ftp://x' }, { headers: { authorization: undefined } })).status).toBe(402)
})
