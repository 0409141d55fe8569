import { afterAll, describe, expect, test } from 'vitest'
import { type ExtractionError, extractPage, parserPool } from '@/lib/services/documents/text-parser'

afterAll(() => parserPool().close())

const signal = new AbortController().signal
const URL_OF_PAGE = 'https://news.example/2026/tides/index.html'
const read = (html: string | Uint8Array, charset?: string) =>
  extractPage(typeof html === 'string' ? new TextEncoder().encode(html) : html, {
    url: URL_OF_PAGE,
    signal,
    ...(charset !== undefined && { charset }),
  })

const SENTENCE =
  'Spring tides come when sun, moon and earth stand in one line, twice in every month, and are the highest.'
const ARTICLE = Array.from({ length: 8 }, (_, i) => `<p>${SENTENCE} Paragraph ${i + 1}.</p>`).join('')

const page = (body: string, head = '') =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Spring tides | News</title>${head}</head><body>
  <nav class="menu"><ul><li><a href="/">Home</a></li><li><a href="/sport">Sport</a></li></ul></nav>
  <main><article><h1>Spring tides</h1>${body}</article></main>
  <footer class="footer"><a href="/imprint">Imprint</a></footer></body></html>`

describe('a page', () => {
  test('gives its article as Markdown, its title and the day it was published', async () => {
    const html = page(
      `${ARTICLE}<h2>Why</h2><p>See <a href="../moon?a=1">the <b>moon</b></a> and <a href="#top">the top</a>.</p>
       <ul><li>sun</li><li>moon</li></ul><ol><li>ebb<ul><li>slack</li></ul></li><li>flow</li></ol><pre><code>tide = moon + sun</code></pre>
       <table><thead><tr><th>Phase</th><th>Tide</th></tr></thead><tbody><tr><td>full</td><td>spring</td></tr></tbody></table>
       <img src="/chart.png" alt="A chart">`,
      '<meta property="article:published_time" content="2026-07-18T09:30:00+02:00">',
    )
    const { title, content, date } = await read(html)
    expect({ title, date }).toEqual({ title: 'Spring tides | News', date: '2026-07-18' })
    expect(content).toContain(`${SENTENCE} Paragraph 1.\n\n${SENTENCE} Paragraph 2.`)
    expect(content).toContain('## Why\n\nSee [the **moon**](https://news.example/2026/moon?a=1) and the top.')
    expect(content).toContain('- sun\n- moon')
    expect(content).toContain('1. ebb\n  - slack\n2. flow')
    expect(content).toContain('```\ntide = moon + sun\n```')
    expect(content).toContain('| Phase | Tide |\n| --- | --- |\n| full | spring |')
    expect(content).toContain('![A chart](https://news.example/chart.png)')
    expect(content).not.toMatch(/Imprint|Sport/)
  })

  test('without an article gives the text of its body', async () => {
    const { content, title, date } = await read('<p>Closed on Mondays.<p>Open from nine.')
    expect({ content, title, date }).toEqual({ content: 'Closed on Mondays.\n\nOpen from nine.', title: '', date: '' })
  })

  test('without text is empty', async () => {
    const failed = read('<html><body><div></div><script>x()</script></body></html>')
    await expect(failed).rejects.toMatchObject({ reason: 'empty' })
  })

  test.each([
    ['<meta name="date" content="2026-01-05">', '2026-01-05'],
    ['<script type="application/ld+json">{"datePublished": "2025-12-24T18:00:00Z"}</script>', '2025-12-24'],
    ['<meta property="article:published_time" content="Sat, 18 Jul 2026 10:00:00 GMT">', '2026-07-18'],
    ['<meta name="date" content="soon">', ''],
    ['<meta name="date" content="999999-01-01">', ''],
  ])('with %s was published on %j', async (head, day) => {
    expect((await read(page(ARTICLE, head))).date).toBe(day)
  })

  test('is read in the charset that it or its server declares', async () => {
    const text = '<p>Ebbe und Flut für alle</p>'
    expect((await read(Buffer.from(`<meta charset="iso-8859-1">${text}`, 'latin1'))).content).toContain('für')
    expect((await read(Buffer.from(text, 'latin1'), 'windows-1252')).content).toContain('für')
    expect((await read(Buffer.from(`\ufeff${text}`, 'utf16le'), 'utf-8')).content).toContain('für')
    expect((await read(Buffer.from(text), 'no-such-charset')).content).toContain('für')
  })
})

describe('what no reader sees', () => {
  test.each([
    ['display:none', '<p style="color:red; DISPLAY : none">EVIL</p>'],
    ['visibility:hidden', '<p style="visibility:hidden">EVIL</p>'],
    ['no size', '<span style="font-size:0">EVIL</span>'],
    ['no opacity', '<div style="opacity:0;">EVIL</div>'],
    ['the hidden attribute', '<p hidden>EVIL</p>'],
    ['aria-hidden', '<div aria-hidden="true"><p>EVIL</p></div>'],
    [
      'a class that its style sheet hides',
      '<style>/* x */ .a, .gone { display: none }</style><p class="b gone">EVIL</p>',
    ],
    ['an id that its style sheet hides', '<style>#off{visibility:hidden}</style><p id="off">EVIL</p>'],
    ['a comment', '<!-- EVIL -->'],
    ['a conditional comment', '<!--[if IE]><p>EVIL</p><![endif]-->'],
    ['a script', '<script type="text/plain">EVIL</script>'],
    ['a template', '<template><p>EVIL</p></template>'],
    ['noscript', '<noscript>EVIL</noscript>'],
    ['an embedded page', '<iframe srcdoc="<p>EVIL</p>">EVIL</iframe>'],
    ['a drawing', '<svg><text>EVIL</text></svg>'],
    ['an input', '<input value="EVIL"><textarea>EVIL</textarea>'],
    ['tag characters', `<p>x${[...'EVIL'].map((c) => String.fromCodePoint(0xe0000 + c.charCodeAt(0))).join('')}</p>`],
    ['a script address', '<a href="javascript:EVIL()">click</a>'],
    ['a disguised script address', '<a href="java&#10;script:EVIL()">click</a>'],
    ['a data address', '<a href="data:text/html,EVIL">click</a><img alt="picture" src="data:image/png;base64,EVIL">'],
  ])('%s stays out', async (_name, hidden) => {
    const inArticle = await read(page(`${ARTICLE}${hidden}`))
    expect(inArticle.content).toContain('Paragraph 8.')
    const inBody = await read(`<p>Visible.</p>${hidden}`)
    expect(inBody.content).toContain('Visible.')
    for (const { content } of [inArticle, inBody]) {
      expect(content).not.toContain('EVIL')
      expect(content).not.toMatch(/[\u{e0000}-\u{e007f}]/u)
    }
  })

  test('and what only narrow screens or paper hide stays in', async () => {
    const style = '<style>@media print { .ad { display: none } } .x { color: red }</style>'
    expect((await read(`${style}<p class="ad">On screens.</p>`)).content).toBe('On screens.')
  })
})

const reasonOf = (html: Uint8Array) =>
  read(html).then(
    ({ content }) => `text of ${content.length}`,
    (error: ExtractionError) => error.reason,
  )

describe('giants', () => {
  test.each([
    ['50 MB of nested elements', () => Buffer.alloc(50_000_000, '<div>')],
    ['a million elements', () => Buffer.from(`<p>${'<b>x</b>'.repeat(1_000_000)}`)],
    ['a million stray brackets', () => Buffer.alloc(1_000_000, '< ')],
  ])('%s are refused', async (_name, make) => {
    expect(await reasonOf(make())).toBe('bomb')
  })

  test.each([
    ['elements nested 100,000 deep', `${'<div>'.repeat(100_000)}deep water${'</div>'.repeat(100_000)}`],
    ['inline elements that never end', `${'<b><i>x'.repeat(20_000)} deep water`],
    ['an attribute of 5 MB', `<p title="${'a '.repeat(2_500_000)}">deep water</p>`],
    ['a comment that never ends', `<p>deep water</p><!--${' -'.repeat(1_000_000)}`],
    ['style sheets of open comments', `<style>${'/*'.repeat(500_000)}</style><p>deep water</p>`],
    ['a table of 10,000 cells', `<table><tr>${'<td>deep water</td>'.repeat(10_000)}</tr></table>`],
    ['tables in tables', `${'<table><tr><td>'.repeat(300)}deep water`],
    ['a million blanks', `<p>deep${' '.repeat(1_000_000)}water</p><p>deep water</p>`],
  ])('%s are read or refused within bounds', async (_name, html) => {
    // A page has ten seconds. Without that bound, what takes too long takes longer than a test may.
    expect(await reasonOf(Buffer.from(html))).toMatch(/^text of|bomb/)
  })
})
