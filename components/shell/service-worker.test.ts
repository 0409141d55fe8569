import { readFileSync } from 'node:fs'
import path from 'node:path'
import { runInNewContext } from 'node:vm'
import { beforeEach, expect, test } from 'vitest'

type Handler = (event: Record<string, unknown>) => void
const ORIGIN = 'https://lagoon.test'

class FakeCache {
  entries = new Map<string, Response>()
  #key = (request: string | Request) =>
    new URL(typeof request === 'string' ? request : request.url, ORIGIN).href.replace(/\?.*$/, '')
  match = async (request: string | Request) => this.entries.get(this.#key(request))?.clone()
  put = async (request: string | Request, response: Response) => void this.entries.set(this.#key(request), response)
  delete = async (request: string | Request) => this.entries.delete(this.#key(request))
  keys = async () => [...this.entries.keys()].map((url) => new Request(url))
}

let handlers: Map<string, Handler>
let stores: Map<string, FakeCache>
let network: (url: string) => Response
let asked: string[]
let skipped: number

beforeEach(() => start('one'))

function start(build: string, kept = new Map<string, FakeCache>()) {
  handlers = new Map()
  stores = kept
  asked = []
  skipped = 0
  network = (url) => page(`online ${new URL(url).pathname}`)
  const caches = {
    open: async (name: string) => {
      const cache = stores.get(name) ?? new FakeCache()
      stores.set(name, cache)
      return cache
    },
    keys: async () => [...stores.keys()],
    delete: async (name: string) => stores.delete(name),
    match: async (url: string) => {
      for (const cache of stores.values()) {
        const found = await cache.match(url)
        if (found) return found
      }
      return undefined
    },
  }
  const self = {
    BUILD: build,
    location: new URL('/sw.js', ORIGIN),
    clients: { claim: async () => undefined },
    skipWaiting: () => {
      skipped += 1
    },
    addEventListener: (type: string, handler: Handler) => handlers.set(type, handler),
  }
  const fetchNow = async (request: string | { url: string }) => {
    const url = new URL(typeof request === 'string' ? request : request.url, ORIGIN).href
    asked.push(new URL(url).pathname)
    return network(url)
  }
  const source = readFileSync(path.resolve('public', 'service-worker.js'), 'utf8')
  runInNewContext(source, { self, caches, fetch: fetchNow, URL, Response, Promise, Set, setTimeout, String })
}

function page(text: string, status = 200): Response {
  const response = new Response(text, { status, headers: { 'content-security-policy': `for ${text}` } })
  Object.defineProperty(response, 'type', { value: 'basic' })
  const { clone } = response
  response.clone = () => Object.defineProperty(clone.call(response), 'type', { value: 'basic' })
  return response
}

const offline = () => {
  network = () => {
    throw new TypeError('no connection')
  }
}

async function dispatch(type: string, event: Record<string, unknown> = {}) {
  const waits: Promise<unknown>[] = []
  let answer: Promise<Response> | undefined
  handlers.get(type)!({
    ...event,
    waitUntil: (promise: Promise<unknown>) => waits.push(promise),
    respondWith: (promise: Promise<Response>) => {
      answer = promise
    },
  })
  const response = await answer
  await Promise.all(waits)
  return response
}

const open = (url: string, more: { method?: string; mode?: string; headers?: Record<string, string> } = {}) =>
  dispatch('fetch', {
    request: {
      url: new URL(url, ORIGIN).href,
      method: more.method ?? 'GET',
      mode: more.mode ?? 'navigate',
      headers: new Headers(more.headers),
    },
  })

test.each([
  ['the API', '/api/v1/models', { mode: 'cors' }],
  ['a file of the API that is opened like a page', '/api/wallet/transactions.csv', {}],
  ['another origin', 'https://elsewhere.test/', {}],
  ['what is sent', '/', { method: 'POST' }],
  ['a fragment of a page', '/wallet?_rsc=1', { mode: 'cors', headers: { rsc: '1' } }],
])('%s is left to the browser', async (_, url, more) => {
  expect(await open(url, more)).toBeUndefined()
  expect(stores.size).toBe(0)
})

test('a page comes from the network, and from what was kept when there is none, with its own headers', async () => {
  expect(await (await open('/wallet'))!.text()).toBe('online /wallet')
  offline()
  const retry = await open('/wallet')
  expect(await retry!.text()).toBe('online /wallet')
  expect(retry!.headers.get('content-security-policy')).toBe('for online /wallet')
})

test('all chats are one page', async () => {
  await open('/c/11111111-1111-4111-8111-111111111111')
  offline()
  expect(await (await open('/c/another'))!.text()).toBe('online /c/11111111-1111-4111-8111-111111111111')
})

test('a page that was never kept becomes the one that says so', async () => {
  await dispatch('install')
  offline()
  expect(await (await open('/docs'))!.text()).toBe('online /offline')
})

test('a shared chat, an error and a detour are not kept', async () => {
  await open('/s/abc')
  network = () => page('broken', 500)
  await open('/wallet')
  const kept = [...stores.values()].flatMap((cache) => [...cache.entries.keys()])
  expect(kept).toEqual([])
})

test('a file of the build is asked for once', async () => {
  const file = '/_next/static/chunks/a.js'
  await open(file, { mode: 'no-cors' })
  await open(file, { mode: 'no-cors' })
  expect(asked).toEqual([file])
})

test('the first pages are kept before they are visited, with the files that they name', async () => {
  network = (url) =>
    page(url.endsWith('/characters') ? '<script src="/_next/static/chunks/c1.js"></script>' : new URL(url).pathname)
  await dispatch('install')
  offline()
  expect(await (await open('/settings/money'))!.text()).toBe('/settings/money')
  expect(await open('/_next/static/chunks/c1.js', { mode: 'no-cors' })).toBeDefined()
  expect(skipped).toBe(0)
})

test('another build drops what the one before kept', async () => {
  await open('/wallet')
  start('two', stores)
  await dispatch('activate')
  expect([...stores.keys()]).toEqual([])
})

test('the parts that the first pages load later are kept when the page asks, and it is told', async () => {
  network = (url) =>
    page(
      url.endsWith('/first.js')
        ? 'load("static/chunks/part.js")'
        : url.endsWith('.js')
          ? 'load("static/chunks/deeper.js")'
          : '<script src="/_next/static/chunks/first.js"></script>',
    )
  await dispatch('install')
  const told: unknown[] = []
  const port = { postMessage: (message: unknown) => told.push(message) }
  await dispatch('message', { data: { type: 'keep', urls: [] }, ports: [port] })
  expect(told).toEqual(['kept'])
  expect(asked).toContain('/_next/static/chunks/part.js')
  expect(asked).not.toContain('/_next/static/chunks/deeper.js')
})

test('it takes over when it is told, and keeps only files of the build when it is asked', async () => {
  await dispatch('message', { data: { type: 'take-over' } })
  expect(skipped).toBe(1)
  const urls = [
    `${ORIGIN}/_next/static/chunks/b.js`,
    `${ORIGIN}/api/session`,
    'https://elsewhere.test/_next/static/x.js',
  ]
  await dispatch('message', { data: { type: 'keep', urls } })
  expect(asked).toEqual(['/_next/static/chunks/b.js'])
})

test('another language drops the pages that were kept and keeps the first ones anew, with a connection', async () => {
  await dispatch('install')
  await open('/wallet')
  network = (url) => page(`neu ${new URL(url).pathname}`)
  await dispatch('message', { data: { type: 'renew-pages' } })
  offline()
  expect(await (await open('/settings/money'))!.text()).toBe('neu /settings/money')
  expect(await (await open('/wallet'))!.text()).toBe('neu /offline')
  await dispatch('message', { data: { type: 'renew-pages' } })
  expect(await (await open('/'))!.text()).toBe('neu /')
})

test('what a thread loads is kept with its script, which names it behind its address', async () => {
  const names = encodeURIComponent(
    JSON.stringify([['/_next/static/chunks/search.js', '/_next/static/chunks/words.js']]),
  )
  await dispatch('message', {
    data: { type: 'keep', urls: [`${ORIGIN}/_next/static/chunks/thread.js#params=${names}`] },
  })
  expect(asked).toEqual(expect.arrayContaining(['/_next/static/chunks/search.js', '/_next/static/chunks/words.js']))
})
