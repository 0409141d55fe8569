import { describe, expect, test } from 'vitest'
import { chunk, collect, DONE, frame, request, sse, USAGE } from '@/lib/services/engines/upstream/testing/fake-upstream'
import { serve } from '@/lib/services/engines/upstream/testing/serve'

const nativeSearch = { sources: ['x' as const], maxResults: 10 }

async function sourcesOf(more: { delta?: object; reply?: object; usage?: object }, wanted = request({ nativeSearch })) {
  const body = [
    chunk({ content: 'It rains.', ...more.delta }, 'stop', more.reply),
    frame({ choices: [], usage: { ...USAGE, ...more.usage } }),
    DONE,
  ]
  const { engine } = await serve((_, response) => sse(response, body.join('')))
  return (await collect(engine, wanted)).filter((event) => event.type === 'sources')
}

const one = { title: 'x.example', url: 'https://x.example/1' }

describe("a vendor's own search", () => {
  test.each([
    ['addresses', { reply: { citations: ['https://x.example/1'] } }],
    ['objects', { reply: { citations: [{ url: 'https://x.example/1' }] } }],
    ['results', { reply: { search_results: [{ url: 'https://x.example/1', date: '2026-01-01' }] } }],
    [
      'annotations of the text',
      { delta: { annotations: [{ type: 'url_citation', url_citation: { url: 'https://x.example/1', title: '1' } }] } },
    ],
    ['flat annotations', { delta: { annotations: [{ type: 'url_citation', url: 'https://x.example/1' }] } }],
  ])('is told once, from %s', async (_, reply) => {
    expect(await sourcesOf({ ...reply, usage: { num_sources_used: 3 } })).toEqual([
      { type: 'sources', sources: [one], results: 3 },
    ])
  })

  test('sums up over the chunks: each address once, by the best title that it had', async () => {
    const named = { url: 'https://x.example/1', title: ' A\r\n post\u2028 ' }
    expect(
      await sourcesOf({
        reply: { citations: ['https://x.example/1', 'https://x.example/1'] },
        delta: { annotations: [named, { url: 'https://y.example/' }] },
      }),
    ).toEqual([
      {
        type: 'sources',
        sources: [
          { title: 'A post', url: 'https://x.example/1' },
          { title: 'y.example', url: 'https://y.example/' },
        ],
        results: 2,
      },
    ])
  })

  test('is charged for no more results than were asked for, and for none that cannot be', async () => {
    const results = async (num_sources_used: unknown) =>
      (await sourcesOf({ reply: { citations: [one.url] }, usage: { num_sources_used } }))[0]?.results
    expect(await results(1e9)).toBe(10)
    expect(await results(-1)).toBe(1)
    expect(await results('9')).toBe(1)
    expect(await results(0)).toBe(0)
  })

  test('cites addresses of the web only, bounded in number and length', async () => {
    const citations = [
      'javascript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'https://user:secret@x.example/',
      'not an address',
      `https://x.example/${'x'.repeat(3_000)}`,
      7,
      null,
      { url: { href: 'https://x.example' } },
      ...Array.from({ length: 400 }, (_, index) => `https://x.example/${index}`),
    ]
    const [event] = await sourcesOf({ reply: { citations } })
    expect(event?.sources).toHaveLength(50)
    expect(event?.sources.every(({ url }) => /^https:\/\/x\.example\/\d+$/.test(url))).toBe(true)
    const [titled] = await sourcesOf({ reply: { citations: [{ ...one, title: 't'.repeat(10_000) }] } })
    expect(titled?.sources[0]?.title).toHaveLength(300)
  })

  test('that nobody asked for is no search: its citations are not believed', async () => {
    expect(await sourcesOf({ reply: { citations: [one.url] } }, request())).toEqual([])
  })

  test('that found nothing says nothing', async () => {
    expect(await sourcesOf({ reply: { citations: [] } })).toEqual([])
  })
})
