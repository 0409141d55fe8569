import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { countLines, endOfLine } from '@/components/markdown/code-lines'
import { Markdown } from '@/components/markdown/markdown'

const code = (lines: number) => Array.from({ length: lines }, (_, at) => `line ${at + 1}`).join('\n')
const drawn = (lines: number, isStreaming = false) =>
  renderToStaticMarkup(<Markdown text={`\`\`\`text\n${code(lines)}\n\`\`\``} isStreaming={isStreaming} />)
const words = (html: string) => html.replace(/<[^>]*>/g, '')

test('long code of a finished answer offers all of its lines, and has them in the page', () => {
  const html = drawn(41)
  expect(words(html)).toContain('Show all 41 lines')
  expect(html).toContain('aria-expanded="false"')
  expect(words(html)).toContain('line 24\nline 25')
  expect(words(html)).toContain('line 41')
})

test('code of forty lines, and code that is still written, is shown as it is', () => {
  expect(drawn(40)).not.toContain('Show all')
  expect(drawn(200, true)).not.toContain('Show all')
  expect(words(drawn(200, true))).toContain('line 200')
})

test.each([
  ['', 1],
  ['a', 1],
  ['a\n', 1],
  ['a\nb', 2],
  ['a\n\n', 2],
  ['\n\nb', 3],
])('%j has %i lines', (text, count) => {
  expect(countLines(text)).toBe(count)
})

test('the beginning ends after a break, or with the text', () => {
  expect(endOfLine('a\nb\nc', 2)).toBe(4)
  expect(endOfLine('a\nb', 5)).toBe(3)
})
