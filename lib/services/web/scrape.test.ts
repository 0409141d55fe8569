import type { RequestListener } from 'node:http'
import { PDFDocument, StandardFonts } from 'pdf-lib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Config, config, parseConfig } from '@/lib/kernel/config'
import { FetchRefused } from '@/lib/kernel/safe-fetch/safe-fetch'
import { forbiddenUrls } from '@/lib/kernel/testing/forbidden-addresses'
import { type LocalServer, startLocalServer } from '@/lib/kernel/testing/local-server'
import { ExtractionError } from '@/lib/services/documents/text-parser'
import { scrape } from '@/lib/services/web/scrape'

const NEVER = new AbortController().signal
const holder = globalThis as { __serviceConfig?: Config }
const PARAGRAPH = 'The Moon pulls the water of the seas, and twice a day it rises and falls along the shore. '.repeat(8)

let before: Config
let server: LocalServer
let answer: RequestListener
beforeEach(async () => {
  before = config()
  server = await startLocalServer((request, response) => answer(request, response))
  holder.__serviceConfig = parseConfig({ EGRESS_ALLOW_ORIGINS: server.origin, LOG_LEVEL: 'silent' })
})
afterEach(async () => {
  holder.__serviceConfig = before
  await server.close()
})

const says = (type: string | undefined, body: string | Uint8Array): RequestListener => {
  return (_request, response) => void response.writeHead(200, type ? { 'content-type': type } : {}).end(body)
}
const read = (path = '/') => scrape(server.origin + path, { signal: NEVER })
const article = `<!doctype html><html><head><title>Tides</title><meta property="article:published_time" content="2026-02-03T08:00:00Z"></head>
<body><nav><a href="/">Home</a></nav><article><h1>Tides</h1><p>${PARAGRAPH}</p><p>See the <a href="/table">table</a>.</p></article><script>evil()</script></body></html>`

test('a page becomes Markdown with its title and day, and links are whole', async () => {
  answer = says('text/html; charset=utf-8', article)
  const page = await read('/a')
  expect(page).toMatchObject({ url: `${server.origin}/a`, title: 'Tides', date: '2026-02-03' })
  expect(page.content).toContain('twice a day it rises and falls')
  expect(page.content).toContain(`[table](${server.origin}/table)`)
  expect(page.content).not.toContain('evil')
})

test('a page is asked for as Markdown first', async () => {
  answer = says('text/markdown', '# The tides #\n\nEbb and *flow*.')
  expect(await read()).toEqual({
    url: `${server.origin}/`,
    title: 'The tides',
    content: '# The tides #\n\nEbb and *flow*.',
    date: '',
  })
  const { rawHeaders } = server.requests[0]!
  expect(rawHeaders[rawHeaders.indexOf('accept') + 1]).toMatch(/^text\/markdown, text\/html;q=0\.9/)
})

test('a heading that is long and hostile holds nobody up', async () => {
  // Nearly as much as is read of a page. In quadratic time the blanks alone take minutes, longer than a test may.
  answer = says('text/plain', `# The tides${' '.repeat(190_000)}x`)
  expect((await read()).title).toBe('The tides')
})

test('plain text is read in its own charset, and titled by its host', async () => {
  answer = says('text/plain; charset=iso-8859-1', Buffer.from('Gezeiten für Anfänger', 'latin1'))
  expect(await read()).toMatchObject({ title: `127.0.0.1:${server.port}`, content: 'Gezeiten für Anfänger' })
})

test('a page in an old charset is read in it', async () => {
  answer = says(
    'text/html; charset=windows-1252',
    Buffer.from('<html><head><title>Ebbe für alle</title></head><body><p>für alle</p></body></html>', 'latin1'),
  )
  expect(await read()).toMatchObject({ title: 'Ebbe für alle', content: 'für alle' })
})

test('a PDF is read', async () => {
  const document = await PDFDocument.create()
  const font = await document.embedFont(StandardFonts.Helvetica)
  document.addPage().drawText('High water at noon', { font, x: 50, y: 500 })
  answer = says('application/pdf', await document.save())
  expect((await read('/table.pdf')).content).toContain('High water at noon')
})

test('without a type the content tells', async () => {
  answer = says(undefined, article)
  expect((await read()).title).toBe('Tides')
  answer = says(undefined, 'Just some words.')
  expect((await read()).content).toBe('Just some words.')
})

test('a redirect is followed, and its end is the address', async () => {
  answer = (request, response) => {
    if (request.url === '/') response.writeHead(301, { location: '/end' }).end()
    else says('text/html', article)(request, response)
  }
  expect((await read()).url).toBe(`${server.origin}/end`)
})

test('a long text is cut', async () => {
  answer = says('text/plain', 'word '.repeat(100_000))
  expect((await read()).content.length).toBeLessThanOrEqual(200_000)
})

test.each(['image/png', 'application/zip', 'application/octet-stream', 'video/mp4', 'application/json'])(
  'what is %s is no page',
  async (type) => {
    answer = says(type, 'x')
    await expect(read()).rejects.toMatchObject({ name: 'FetchRefused', reason: 'type' })
  },
)

test('more than five megabytes are refused', async () => {
  answer = says('text/plain', 'a'.repeat(5 * 1_048_576 + 1))
  await expect(read()).rejects.toMatchObject({ name: 'FetchRefused', reason: 'too-large' })
})

test('a page without text, and what only says that it is text, cannot be read', async () => {
  answer = says('text/html', '<html><body></body></html>')
  await expect(read()).rejects.toBeInstanceOf(ExtractionError)
  answer = says('text/plain', Buffer.of(0, 1, 2, 3, 0, 255))
  await expect(read()).rejects.toBeInstanceOf(ExtractionError)
})

test('a site that forbids automated access is not asked, neither by its address nor by way of another', async () => {
  const walled = `http://walled.example:${server.port}`
  holder.__serviceConfig = parseConfig({
    EGRESS_ALLOW_ORIGINS: server.origin,
    SCRAPE_BLOCKLIST: 'walled.example',
    LOG_LEVEL: 'silent',
  })
  answer = (_request, response) => void response.writeHead(302, { location: `${walled}/b` }).end()
  for (const url of [`${walled}/a`, `http://www.walled.example/a`, `${server.origin}/to`]) {
    const refusal = scrape(url, { signal: NEVER })
    await expect(refusal).rejects.toMatchObject({ name: 'FetchRefused', reason: 'blocked' })
  }
  expect(server.requests.map(({ url }) => url)).toEqual(['/to'])
})

test('forbidden addresses are refused in every spelling, first and after a redirect', async () => {
  const canary = await startLocalServer()
  const targets = forbiddenUrls(canary.port)
  answer = (request, response) => {
    const location = Buffer.from(targets[Number(request.url!.slice(1))]?.replace(/[\t\n]/g, '') ?? '').toString(
      'latin1',
    )
    response.writeHead(location ? 302 : 404, { location }).end()
  }
  const tried = targets.flatMap((url, index) => [url, `${server.origin}/${index}`])
  const found = await Promise.all(
    tried.map((url) =>
      scrape(url, { signal: NEVER }).then(
        () => 'a page',
        (error: unknown) => error,
      ),
    ),
  )
  for (const error of found) expect(error).toBeInstanceOf(FetchRefused)
  expect(canary.connections).toBe(0)
  await canary.close()
})
