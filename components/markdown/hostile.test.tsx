import { parseHTML } from 'linkedom'
import { renderToStaticMarkup } from 'react-dom/server'
import { beforeAll, expect, test } from 'vitest'
import { sourceOf } from '@/components/markdown/citations/sources'
import { SourceText } from '@/components/markdown/citations/sources-panel'
import { loadMaths } from '@/components/markdown/formulas'
import { Markdown } from '@/components/markdown/markdown'
import { HOSTILE_CITATIONS, XSS_CORPUS } from '@/components/markdown/testing-xss-corpus'

/** All that words of a model may become, with the frame of our own parts around code, tables, pictures and numbers. */
const ELEMENTS =
  /^(?:a|b|bdi|blockquote|br|button|code|del|div|em|h[2-6]|hr|i|img|ins|kbd|li|mark|m[a-z]+|ol|p|pre|s|small|span|strong|sub|sup|table|tbody|td|th|thead|tr|u|ul)$/
const ATTRIBUTES =
  /^(?:align|alt|aria-[a-z]+|class|dir|disabled|display|displaystyle|form|height|href|id|linethickness|lspace|mathvariant|rel|role|rspace|scriptlevel|src|start|stretchy|style|tabindex|target|title|type|width|xmlns)$/

beforeAll(async () => {
  await loadMaths()
})

function faultsOf(html: string): string[] {
  const { document } = parseHTML(`<!doctype html><html><body>${html}</body></html>`)
  // The pictures on our own buttons.
  for (const icon of document.querySelectorAll('svg.lucide')) icon.remove()
  return Array.from(document.body.querySelectorAll('*')).flatMap((element) => {
    const tag = element.tagName.toLowerCase()
    const names = Array.from(element.attributes).map(({ name }) => name.toLowerCase())
    const href = element.getAttribute('href')
    const src = element.getAttribute('src')
    return [
      ...(ELEMENTS.test(tag) ? [] : [tag]),
      ...names.filter((name) => !ATTRIBUTES.test(name)).map((name) => `${tag} ${name}`),
      ...(href === null || /^https?:\/\/[^@]*$/.test(href) ? [] : [`href ${href}`]),
      ...(href !== null && element.getAttribute('rel') !== 'noopener noreferrer' ? ['opener'] : []),
      ...(src === null || /^data:image\/(?:png|jpeg|webp|gif);base64,/.test(src) ? [] : [`src ${src}`]),
      ...(/url|expression|[(]/.test(element.getAttribute('style') ?? '') ? ['style'] : []),
      ...(/fixed|inset/.test(element.getAttribute('class') ?? '') ? ['class'] : []),
    ]
  })
}

test.each(XSS_CORPUS)('%j stays words', (payload) => {
  for (const [text, isStreaming] of [
    [payload, false],
    [`Before ${payload} after\n\n- ${payload}`, true],
  ] as const) {
    const html = renderToStaticMarkup(<Markdown text={text} isStreaming={isStreaming} citations={HOSTILE_CITATIONS} />)
    expect(faultsOf(html), html).toEqual([])
  }
})

test('all of them together stay words', () => {
  const html = renderToStaticMarkup(<Markdown text={XSS_CORPUS.join('\n\n')} isStreaming={false} />)
  expect(faultsOf(html)).toEqual([])
  expect(XSS_CORPUS.length).toBeGreaterThan(80)
})

test.each(HOSTILE_CITATIONS)('the source $title stays words', (citation) => {
  expect(faultsOf(renderToStaticMarkup(<SourceText source={sourceOf(citation, 0)} />))).toEqual([])
})

test('of all addresses only those of the web become links, a picture one to its source', () => {
  const text = [
    '<script>window.hacked = 1</script><img src=x onerror="window.hacked = 1">',
    '[click](javascript:window.hacked=1) [data](data:text/html,hi) ![pixel](https://tracker.example/p.png)',
    '[good](https://example.org/page)',
    '| a | b |\n|---|---|\n| <b>1</b> | 2 |',
    '```html\n<script>window.hacked = 1</script>\n```',
    '<iframe src="https://tracker.example"></iframe><style>body{display:none}</style>',
  ].join('\n\n')
  const html = renderToStaticMarkup(<Markdown text={text} isStreaming={false} />)
  expect(faultsOf(html)).toEqual([])
  const { document } = parseHTML(`<!doctype html><html><body>${html}</body></html>`)
  expect(document.querySelectorAll('script, iframe, img, style')).toHaveLength(0)
  const links = [...document.querySelectorAll('a')].map((link) => [link.getAttribute('href'), link.getAttribute('rel')])
  expect(links).toEqual([
    ['https://tracker.example/p.png', 'noopener noreferrer'],
    ['https://example.org/page', 'noopener noreferrer'],
  ])
})
