import type { RequestListener } from 'node:http'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Config, config, parseConfig } from '@/lib/kernel/config'
import { type LocalServer, startLocalServer } from '@/lib/kernel/testing/local-server'
import { SearchUnavailable, search } from '@/lib/services/web/search'
import { DUCKDUCKGO_CHECK, DUCKDUCKGO_NOTHING, DUCKDUCKGO_PAGE } from '@/lib/services/web/testing/duckduckgo-page'

const KEY = 'secret-search-key'
const NEVER = new AbortController().signal
const holder = globalThis as { __serviceConfig?: Config }

let before: Config
let server: LocalServer
let bodies: string[]
let answer: RequestListener
beforeEach(async () => {
  before = config()
  bodies = []
  server = await startLocalServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    bodies.push(Buffer.concat(chunks).toString())
    answer(request, response)
  })
})
afterEach(async () => {
  holder.__serviceConfig = before
  await server.close()
})

type Provider = Config['search']['provider']
const PROVIDERS: Provider[] = ['duckduckgo', 'searxng', 'brave', 'tavily']

function use(provider: Provider, path = '') {
  const variables = {
    SEARCH_PROVIDER: provider,
    SEARCH_URL: server.origin + path,
    SEARCH_API_KEY: KEY,
    LOG_LEVEL: 'silent',
  }
  holder.__serviceConfig = parseConfig(variables)
}
const says = (body: unknown, status = 200): RequestListener => {
  return (_request, response) =>
    void response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body))
}
const ask = (query = 'tides', limit = 10) => search(query, { limit, signal: NEVER })
const failure = async () => {
  const thrown = await ask().then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(thrown).toBeInstanceOf(SearchUnavailable)
  return thrown as SearchUnavailable
}

type Found = { title?: unknown; url?: unknown; content?: unknown; date?: unknown }
const REPLIES: Record<Exclude<Provider, 'duckduckgo'>, (pages: Found[]) => object> = {
  searxng: (pages) => ({
    query: 'tides',
    results: pages.map(({ date, ...page }) => ({ ...page, publishedDate: date ?? null, engine: 'e', score: 1 })),
    unresponsive_engines: [],
  }),
  brave: (pages) => ({
    type: 'search',
    web: {
      type: 'search',
      results: pages.map(({ content, date, ...page }) => ({ ...page, description: content, page_age: date })),
    },
  }),
  tavily: (pages) => ({
    query: 'tides',
    results: pages.map(({ date, ...page }) => ({ ...page, published_date: date, score: 0.9 })),
    response_time: 1.2,
  }),
}

describe('DuckDuckGo', () => {
  test('gives its results in order, without advertisements and without repeats', async () => {
    use('duckduckgo')
    answer = says(DUCKDUCKGO_PAGE)
    expect(await ask()).toEqual([
      {
        title: 'Tides & water levels | Ocean Example',
        url: 'https://ocean.example/tides',
        content: "Tides rise and fall twice a day because the Moon's pull is stronger on the near side of the Earth.",
        date: '2025-12-30',
      },
      {
        title: 'Tide table of the harbour',
        url: 'https://harbour.example/table?port=7&year=2026',
        content: 'High water at 06:12 and 18:40, low water at 00:03 and 12:25.',
        date: '',
      },
      { title: 'Ebb and flow for schools', url: 'https://school.example/ebb', content: '', date: '' },
    ])
    expect(server.requests[0]!.url).toBe('/html/')
    expect(new URLSearchParams(bodies[0])).toEqual(new URLSearchParams({ q: 'tides', b: '', kl: 'wt-wt' }))
  })

  test('can be a page of any address', async () => {
    use('duckduckgo', '/fixtures/page.html')
    answer = says(DUCKDUCKGO_PAGE)
    expect(await ask('tides', 2)).toHaveLength(2)
    expect(server.requests[0]!.url).toBe('/fixtures/page.html')
  })

  test('that found nothing gives an empty list', async () => {
    use('duckduckgo')
    answer = says(DUCKDUCKGO_NOTHING)
    expect(await ask()).toEqual([])
  })

  test.each([200, 202])('that wants to see a person (status %i) is not available, and left alone', async (status) => {
    use('duckduckgo')
    answer = says(DUCKDUCKGO_CHECK, status)
    expect((await failure()).fault).toBe('bot-check')
    answer = says(DUCKDUCKGO_PAGE)
    expect((await failure()).fault).toBe('bot-check')
    expect(server.requests).toHaveLength(1)
  })

  test('never gets a query that would lead to another site', async () => {
    use('duckduckgo')
    answer = says(DUCKDUCKGO_NOTHING)
    await ask('!w tides !g now! \\ebb 5!=4')
    expect(new URLSearchParams(bodies[0]).get('q')).toBe('w tides g now! ebb 5!=4')
  })

  test.each([
    ['a redirect to an advertisement', '//duckduckgo.com/l/?uddg=https%3A%2F%2Fduckduckgo.com%2Fy.js%3Fad_domain%3Da'],
    ['a redirect to nothing', '//duckduckgo.com/l/?rut=1'],
    ['a script', 'javascript:alert(1)'],
    ['a redirect to a script', '//duckduckgo.com/l/?uddg=javascript%3Aalert(1)'],
    ['a file', 'file:///etc/passwd'],
    ['nothing', ''],
  ])('does not pass on a link to %s', async (_name, href) => {
    use('duckduckgo')
    answer = says(`<div class="result web-result"><a class="result__a" href="${href}">A</a></div>`)
    expect(await ask()).toEqual([])
  })
})

describe('what each provider with an interface is asked', () => {
  const headers = () => {
    const { rawHeaders } = server.requests[0]!
    return Object.fromEntries(rawHeaders.flatMap((name, i) => (i % 2 ? [] : [[name.toLowerCase(), rawHeaders[i + 1]]])))
  }

  test('SearXNG', async () => {
    use('searxng')
    answer = says(REPLIES.searxng([]))
    await ask('ebb & flow')
    expect(server.requests[0]!.url).toBe('/search?q=ebb+%26+flow&format=json')
  })

  test('SearXNG under a path of its own', async () => {
    use('searxng', '/searx/?language=de')
    answer = says(REPLIES.searxng([]))
    await ask()
    expect(server.requests[0]!.url).toBe('/searx/?language=de&q=tides&format=json')
  })

  test('Brave', async () => {
    use('brave')
    answer = says({ type: 'search' })
    expect(await ask(Array.from({ length: 60 }, (_, i) => `w${i}`).join(' '), 99)).toEqual([])
    const url = new URL(server.requests[0]!.url, server.origin)
    expect(url.pathname).toBe('/res/v1/web/search')
    expect(url.searchParams.get('q')!.split(' ')).toHaveLength(50)
    expect(url.searchParams.get('count')).toBe('20')
    expect(headers()['x-subscription-token']).toBe(KEY)
  })

  test('Tavily', async () => {
    use('tavily')
    answer = says(REPLIES.tavily([]))
    await ask('tides', 7)
    expect(server.requests[0]!.url).toBe('/search')
    expect(headers()).toMatchObject({ authorization: `Bearer ${KEY}`, 'content-type': 'application/json' })
    expect(JSON.parse(bodies[0]!)).toEqual({ query: 'tides', max_results: 7, search_depth: 'basic' })
  })
})

describe.each(['searxng', 'brave', 'tavily'] as const)('results of %s', (provider) => {
  const results = (pages: Found[], limit?: number) => {
    use(provider)
    answer = says(REPLIES[provider](pages))
    return ask('tides', limit)
  }

  test('become plain text with an ISO day', async () => {
    const page = {
      title: 'The <strong>tides</strong> &amp; you',
      url: 'https://a.example/x',
      date: '2026-03-01T09:00:00',
    }
    expect(
      await results([{ ...page, content: 'Twice\n a <b>day</b>, it&#x27;s the Moon<script>evil()</script>.' }]),
    ).toEqual([
      {
        title: 'The tides & you',
        url: 'https://a.example/x',
        content: "Twice a day, it's the Moon.",
        date: '2026-03-01',
      },
    ])
  })

  test('without a web address are dropped, malformed ones too, and the rest is kept', async () => {
    const bad = [
      { title: 'a', url: 'javascript:alert(1)' },
      { title: 'b', url: 'data:text/html,x' },
      { title: 'c', url: 'https://bank.example@evil.example/' },
      { title: 'd', url: `https://a.example/${'x'.repeat(5_000)}` },
      { title: 'e', url: 'nonsense' },
      { title: 'f' },
      { title: 5, url: 'https://a.example/5' },
      { title: 'g', url: ['https://a.example/'] },
    ]
    expect(await results([...bad, { url: 'https://a.example/' }])).toEqual([
      { title: 'a.example', url: 'https://a.example/', content: '', date: '' },
    ])
  })

  test('are given once each, and no more than asked for', async () => {
    const urls = [
      'https://a.example/1',
      'https://a.example/1#part',
      'https://www.a.example/1/',
      'http://a.example/1',
      'https://a.example/1?q',
    ]
    const pages = urls.map((url) => ({ title: 't', url, content: 'c' }))
    expect((await results(pages)).map(({ url }) => url)).toEqual([urls[0], urls[4]])
    const many = Array.from({ length: 60 }, (_, i) => ({ title: 't', url: `https://a.example/${i}`, content: '' }))
    expect(await results(many, 3)).toHaveLength(3)
    expect(await results(many, 99)).toHaveLength(20)
  })

  test('have bounded texts without hidden characters', async () => {
    const title = `a\u202Eb\u0000c\u200Bd ${'\u{1f30a}'.repeat(400)}`
    const [found] = await results([{ title, url: 'https://a.example/', content: 'word '.repeat(10_000) }])
    expect(found!.title).toMatch(/^ab cd \u{1f30a}+…$/u)
    expect(found!.title.length).toBeLessThanOrEqual(300)
    expect(found!.title.isWellFormed()).toBe(true)
    expect(found!.content.length).toBe(2_000)
  })

  test.each([
    ['Tue, 05 Mar 2024 10:00:00 GMT', '2024-03-05'],
    ['2024-03-05', '2024-03-05'],
    ['March 5, 2024', '2024-03-05'],
    ['2024-02-31', ''],
    ['3 days ago', ''],
    ['2999-01-01', ''],
    ['0001-01-01T00:00:00', ''],
    [1709632800, ''],
  ])('date %j is understood as %j', async (date, expected) => {
    const [found] = await results([{ title: 't', url: 'https://a.example/', content: '', date }])
    expect(found!.date).toBe(expected)
  })
})

describe.each(PROVIDERS)('%s is not available', (provider) => {
  const FAULTS: [fault: string, name: string, answer: RequestListener][] = [
    ['status', 'when it limits us', says({ error: 'slow down' }, 429)],
    ['status', 'when it fails', says('oops', 500)],
    ['status', 'when it does not know the key', says({ message: `key ${KEY} is wrong` }, 401)],
    ['status', 'when it sends us elsewhere', (_, response) => void response.writeHead(302, { location: '/x' }).end()],
    ['format', 'when it sends another page', says('<html><body>Welcome to the hotel network</body></html>')],
    ['format', 'when it sends nothing', says('')],
    ['format', 'when it sends other JSON', says({ results: { a: 1 }, web: 5 })],
    ['too-large', 'when it sends too much', says('a'.repeat(3_000_000))],
    ['unreachable', 'when it closes the connection', (request) => void request.socket.destroy()],
    [
      'unreachable',
      'when it stops halfway',
      (request, response) => {
        response.writeHead(200, { 'content-length': 1000 }).write('{')
        setTimeout(() => request.socket.destroy(), 20)
      },
    ],
  ]

  test.each(FAULTS)('(%s) %s', async (fault, _name, reply) => {
    use(provider)
    answer = reply
    const error = await failure()
    expect(error.fault).toBe(fault)
    expect(error.message).toBe('Web search is not available at the moment. Try again later, or ask without it.')
    expect(JSON.stringify([error.message, error.stack, error.cause])).not.toContain(KEY)
  })

  test('when nobody listens', async () => {
    const gone = await startLocalServer()
    await gone.close()
    holder.__serviceConfig = parseConfig({
      SEARCH_PROVIDER: provider,
      SEARCH_URL: gone.origin,
      SEARCH_API_KEY: KEY,
      LOG_LEVEL: 'silent',
    })
    expect((await failure()).fault).toBe('unreachable')
  })
})

test('a provider that keeps silent is given up after ten seconds', async () => {
  use('searxng')
  answer = () => {}
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const failing = failure()
    await expect.poll(() => server.requests.length).toBe(1)
    vi.advanceTimersByTime(9_900)
    expect(server.open()).toBe(1)
    vi.advanceTimersByTime(200)
    expect((await failing).fault).toBe('timeout')
  } finally {
    vi.useRealTimers()
  }
  await expect.poll(server.open).toBe(0)
})

test('a caller who leaves ends the search with its own reason', async () => {
  use('brave')
  answer = () => {}
  const leaving = new AbortController()
  const searching = search('tides', { limit: 5, signal: leaving.signal })
  await expect.poll(() => server.requests.length).toBe(1)
  leaving.abort(new Error('gone'))
  await expect(searching).rejects.toThrow('gone')
  await expect.poll(server.open).toBe(0)
})

test('a query is one line of at most 400 characters, cut between words', async () => {
  use('tavily')
  answer = says(REPLIES.tavily([]))
  await ask(`  ebb\n\tand\u0000flow  ${'tide '.repeat(200)}`)
  const { query } = JSON.parse(bodies[0]!) as { query: string }
  expect(query).toMatch(/^ebb and flow( tide)+$/)
  expect(query.length).toBeGreaterThan(390)
  expect(query.length).toBeLessThanOrEqual(400)
  await ask('\u{1f30a}'.repeat(300))
  expect((JSON.parse(bodies[1]!) as { query: string }).query).toBe('\u{1f30a}'.repeat(200))
})

test('a query without words, or for no results, asks nobody', async () => {
  use('tavily')
  expect(await ask(' \n ')).toEqual([])
  expect(await ask('tides', 0)).toEqual([])
  expect(server.requests).toHaveLength(0)
})
