import { expect, test } from 'vitest'
import { answerAsText } from '@/components/chat/turns/answer-text'
import { monogramOf, sortedSources, sourceOf, usedCitations } from '@/components/markdown/citations/sources'

const CITATIONS = [
  { title: 'Tides', url: 'https://www.example.org/tides' },
  { title: 'Evil', url: 'javascript:alert(1)', content: 'x '.repeat(400) },
  { title: '', url: 'https://example.net/b', date: '2026-01-02' },
]
const TEXT = '# Rain\n\nIt **rains** [REF]2[/REF], *often* [REF]0[/REF].\n\n- a\n- b [REF]9[/REF]\n\n`x < y` &'

test('markdown keeps its marks, and citations become links', () => {
  expect(answerAsText(TEXT, CITATIONS, 'markdown')).toBe(
    '# Rain\n\nIt **rains** [3](<https://example.net/b>), *often* [1](<https://www.example.org/tides>).\n\n- a\n- b\n\n`x < y` &',
  )
})

test('plain words have neither marks nor numbers', () => {
  expect(answerAsText(TEXT, CITATIONS, 'plain')).toBe('Rain\n\nIt rains, often.\n\n- a\n- b\n\nx < y &')
})

test('plain words say what is shown: characters by name are decoded, but not in code', () => {
  expect(answerAsText('Tom &amp; Jerry &copy; &#x41; `a &lt; b`', [], 'plain')).toBe('Tom & Jerry © A a &lt; b')
})

test('with sources, each number has its line', () => {
  expect(answerAsText('It rains [REF]2[/REF].', CITATIONS, 'sources')).toBe(
    'It rains [3].\n\nSources:\n[3] example.net https://example.net/b',
  )
  expect(answerAsText('No sources.', undefined, 'sources')).toBe('No sources.')
})

test('sources that are used come first, and only web addresses are links', () => {
  expect(usedCitations(TEXT)).toEqual([2, 0, 9])
  const sources = sortedSources(CITATIONS, [2, 0, 9])
  expect(sources.map(({ index }) => index)).toEqual([2, 0, 1])
  expect(sources[2]).not.toHaveProperty('href')
  expect(sources[2]?.snippet).toHaveLength(281)
  expect(monogramOf(sourceOf({ title: 'T', url: 'https://www.example.org' }, 0))).toBe('E')
  expect(sourceOf({ title: 'T', url: 'https://user:pass@example.org' }, 0)).not.toHaveProperty('href')
})
