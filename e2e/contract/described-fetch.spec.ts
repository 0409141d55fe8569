import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from '@playwright/test'
import { type WatchedReplies, watchReplies } from '@/e2e/testing/described-fetch'
import type { OpenApiDocument } from '@/lib/endpoints/docs/openapi/document'

/** What looks at the replies of all contract tests, on a server that answers as it likes. */

const ALWAYS = { 'cf-ray': '0123456789abcdef-LOC', 'x-service-version': '20260718.002811' }
const JSON_TYPE = { ...ALWAYS, 'content-type': 'application/json' }
const EVENTS = { ...ALWAYS, 'content-type': 'text/event-stream' }
const CHUNK = 'data: {"object":"chat.completion.chunk"}\n\n'

let server: Server
let base: string
let answer: (response: ServerResponse) => void
let document: OpenApiDocument
let watch: WatchedReplies

test.beforeAll(async () => {
  const reply = await fetch(`http://127.0.0.1:${process.env.E2E_PORT}/doc/api/openapi.json`)
  document = (await reply.json()) as OpenApiDocument
  server = createServer((_, response) => answer(response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`
})
test.beforeEach(() => {
  watch = watchReplies()
})
test.afterEach(() => watch.stop())
test.afterAll(() => server?.closeAllConnections())

async function seenOf(path: string, init?: RequestInit): Promise<string[]> {
  await (await fetch(base + path, init)).text()
  return watch.faults(document)
}

test('a reply that the document promises is none, whoever reads it', async () => {
  answer = (response) => response.writeHead(200, JSON_TYPE).end('{"object":"list","type":"text","data":{}}')
  expect(await seenOf('/models/traits')).toEqual([])
})

const WRONG: [what: string, status: number, headers: object, body: string, says: RegExp][] = [
  ['another status', 418, JSON_TYPE, '{}', /the document has no 418/],
  ['another type', 200, { ...ALWAYS, 'content-type': 'text/html' }, '<p>', /no 200 as text\/html/],
  ['a header that nobody described', 200, { ...JSON_TYPE, 'x-odd': '1' }, '{}', /header x-odd is not described/],
  ['a header that is missing', 200, { 'content-type': 'application/json' }, '{}', /header cf-ray is missing/],
  ['another body', 200, JSON_TYPE, '{"object":"list"}', /must have required property/],
  ['a body that is no JSON', 200, JSON_TYPE, '{', /the body is no JSON/],
]

for (const [what, status, headers, body, says] of WRONG) {
  test(`${what} is a fault`, async () => {
    answer = (response) => response.writeHead(status, { ...headers }).end(body)
    const faults = await seenOf('/models/traits')
    expect(faults.join('\n')).toMatch(says)
    expect(watch.faults(document)).toEqual([])
  })
}

test('a stream passes as it comes, and is judged when it was read to its end', async () => {
  const written = Promise.withResolvers<ServerResponse>()
  answer = (response) => {
    response.writeHead(200, EVENTS).write(CHUNK)
    written.resolve(response)
  }
  const asked = { method: 'POST' }
  const reader = (await fetch(`${base}/chat/completions`, asked)).body!.getReader()
  expect(Buffer.from((await reader.read()).value!).toString()).toBe(CHUNK)
  // Of what is not over only the head is looked at.
  expect(watch.faults(document)).toEqual([])
  await reader.cancel()
  await expect.poll(async () => (await written.promise).destroyed).toBe(true)

  answer = (response) => response.writeHead(200, EVENTS).end(`${CHUNK}data: [DONE]\n\n`)
  expect((await seenOf('/chat/completions', asked)).join('\n')).toMatch(/must have required property/)
})

test('what is not below the base, or is a preflight, is let be', async () => {
  answer = (response) => response.writeHead(204).end()
  expect(await seenOf('/chat/completions', { method: 'OPTIONS' })).toEqual([])
  answer = (response) => response.writeHead(500).end('oops')
  await (await fetch(base.replace('/api/v1', '/healthz'))).text()
  expect(watch.faults(document)).toEqual([])
})
