import { expect, test } from 'vitest'
import { GET } from '@/app/api/docs/search/route'
import type { Found } from '@/lib/contract/docs'
import { searchDocs } from '@/lib/endpoints/docs/search'

const first = (query: string) => searchDocs(query, 1)[0]

test.each([
  ['streaming', '/docs/guides/streaming'],
  ['when a stream fails', '/docs/guides/streaming#when-a-stream-fails'],
  ['POST /embeddings', '/docs/reference/embeddings/create-embeddings'],
  ['INSUFFICIENT_BALANCE', '/docs/reference/errors#insufficient-balance'],
  ['x-ratelimit-type', '/docs/reference/headers#x-ratelimit-type'],
  ['createSpeech', '/docs/reference/audio/create-speech'],
  ['Migrating from Open', '/docs/guides/from-openai'],
])('%s is found first at %s', (query, href) => {
  expect(first(query)?.href).toBe(href)
})

test('a field is found on the page of the operation that takes it, with the words around it', () => {
  const found = searchDocs('repetition_penalty', 10)
  expect(found[0]).toMatchObject({
    href: '/docs/reference/chat/create-chat-completion',
    place: 'POST /chat/completions',
    snippet: expect.stringContaining('repetition_penalty'),
  })
})

test('all words have to be there; nothing is found for nothing', () => {
  expect(searchDocs('tide zebra', 10)).toEqual([])
  for (const query of ['', '   ', '/']) expect(searchDocs(query, 10)).toEqual([])
})

test('a title with the words comes before a text with them', () => {
  const found = searchDocs('wallet', 60)
  const inTitle = found.map(({ title }) => title.toLowerCase().includes('wallet'))
  expect(inTitle.indexOf(false)).toBeGreaterThan(3)
  expect(inTitle.slice(inTitle.indexOf(false))).not.toContain(true)
})

test('of long nonsense only the beginning is looked for: ten words, and 200 characters', () => {
  expect(searchDocs('wallet '.repeat(10_000), 10).length).toBeGreaterThan(0)
  expect(searchDocs(`${'wallet '.repeat(9)}zebra`, 10)).toEqual([])
  expect(searchDocs(`${'wallet '.repeat(10)}zebra`, 10)).toEqual(searchDocs('wallet '.repeat(10), 10))
  expect(searchDocs(`wallet${' '.repeat(189)}zebra`, 10)).toEqual([])
  expect(searchDocs(`wallet${' '.repeat(194)}zebra`, 10)).toEqual(searchDocs('wallet', 10))
})

test('the field that searches while one types asks over HTTP', async () => {
  const ask = (query: string) =>
    GET(new Request(`http://localhost:3000/api/docs/search${query}`), { params: Promise.resolve({}) })
  const reply = await ask('?q=balance')
  expect(reply.headers.get('cache-control')).toBe('public, max-age=300')
  const { data } = (await reply.json()) as { data: Found[] }
  expect(data.length).toBeGreaterThan(3)
  expect(data.length).toBeLessThanOrEqual(12)
  expect((await ask('')).status).toBe(400)
  expect((await ask(`?q=${'a'.repeat(201)}`)).status).toBe(400)
})
