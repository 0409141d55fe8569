import fc from 'fast-check'
import { renderToStaticMarkup } from 'react-dom/server'
import { beforeAll, expect, test } from 'vitest'
import { loadMaths } from '@/components/markdown/formulas'
import { Markdown } from '@/components/markdown/markdown'
import { ANSWERS } from '@/components/markdown/testing-answers'

const CITATIONS = [
  { title: 'Tides', url: 'https://example.org/tides' },
  { title: 'Waves', url: 'https://www.example.net/waves' },
]

beforeAll(async () => {
  await loadMaths()
})

const drawn = (text: string, isStreaming = false) =>
  renderToStaticMarkup(<Markdown text={text} isStreaming={isStreaming} citations={CITATIONS} />)

test('no beginning of an answer throws, or shows a mark', () => {
  const beginning = fc
    .constantFrom(...ANSWERS)
    .chain((answer) => fc.tuple(fc.constant(answer), fc.integer({ min: 0, max: answer.length }), fc.boolean()))
  fc.assert(
    fc.property(beginning, ([answer, end, isStreaming]) => {
      const html = drawn(answer.slice(0, end), isStreaming)
      expect(html).not.toMatch(/\[\/?REF(?![A-Za-z])|[\uFDD0\uFDD1]|⟬[cmn]\d/)
    }),
    { numRuns: 400 },
  )
})

test('each answer is drawn whole', () => {
  for (const answer of ANSWERS) expect(drawn(answer)).toContain('class="prose"')
})

test('a citation is a number with a name, and one of nothing is not shown', () => {
  const html = drawn('Rain [REF]0[/REF] and [REF]1[/REF], not [REF]7[/REF].')
  expect(html).toContain('aria-label="Source 1: Tides, example.org"')
  expect(html).toContain('aria-label="Source 2: Waves, example.net"')
  expect(html.replace(/<[^>]*>/g, '')).toBe('Rain 1 and 2, not .')
})

test('while the text grows, a half citation is held back and an unknown one is muted', () => {
  for (const half of ['[', '[R', '[REF', '[REF]', '[REF]1', '[REF]1[', '[REF]1[/RE']) {
    expect(drawn(`Rain ${half}`, true).replace(/<[^>]*>/g, '')).toBe('Rain')
  }
  expect(drawn('Rain [REF]7[/REF]', true)).toContain('citation-muted">8<')
})

test('a citation in code is taken out, and money in code stays', () => {
  expect(drawn('`a [REF]0[/REF] $x$`')).toContain('<code>a  $x$</code>')
})

test('formulas are drawn, prices are not', () => {
  const html = drawn('It costs $5 and $10, and $x^2$ is \\(y\\).\n\n$$z$$')
  expect(html.match(/<math/g)).toHaveLength(3)
  expect(html).toContain('It costs $5 and $10, and ')
  expect(html).toContain('display="block"')
})

test('a formula with a fault shows its source', () => {
  expect(drawn('So $\\frac{1$ is.')).toContain(
    '<code title="This formula has a syntax error. Showing its source.">$\\frac{1$</code>',
  )
})

test('a note is a number that goes to the end of the text', () => {
  const html = drawn('Tides[^moon].\n\n[^moon]: It *pulls*.')
  expect(html).toContain('aria-label="Footnote 1"')
  expect(html).toContain('<em>pulls</em>')
  expect(html).not.toContain('[^')
})

test('tags that say how words look are kept, others are shown as they were written', () => {
  expect(drawn('H<sub>2</sub>O')).toContain('H<sub>2</sub>O')
  expect(drawn('a<br>b')).toContain('<br/>')
  expect(drawn('a <blink>b</blink>')).toContain('a &lt;blink&gt;b&lt;/blink&gt;')
  expect(drawn('x <sub onclick="a()">2</sub>')).toContain('&lt;sub onclick')
})

test('a small picture that brings its bytes is shown, one from elsewhere is a link', () => {
  expect(drawn('![tide](data:image/png;base64,iVBORw0KGgo=)')).toContain(
    '<img src="data:image/png;base64,iVBORw0KGgo="',
  )
  expect(drawn('![tide](data:image/svg+xml;base64,PHN2Zy8+)')).not.toContain('<img')
  expect(drawn('![tide](https://example.org/a.png)')).not.toContain('<img')
})

test('code that is being written stays plain, and so does its first look', () => {
  expect(drawn('```ts\nconst a = 1\n```')).toContain('<code>const a = 1</code>')
})
