import { expect, test } from 'vitest'
import { citationOf } from '@/lib/endpoints/chat/web-prompt'

test('a source shows its title, address, snippet and day', () => {
  const source = {
    title: 'Forecast',
    url: 'https://weather.example/today#x',
    content: 'Rain\n soon.',
    date: '2026-07-18T10:00Z',
  }
  expect(citationOf(source)).toEqual({
    title: 'Forecast',
    url: 'https://weather.example/today',
    content: 'Rain soon.',
    date: '2026-07-18',
  })
})

test.each([
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  'data:text/html,x',
  'ftp://a.example/',
  'file:///etc/passwd',
  '//a.example/x',
  'https://user:secret@a.example/',
  `https://a.example/${'x'.repeat(3_000)}`,
  '',
])('an address that no reader should follow makes no citation: %.40s', (url) => {
  expect(citationOf({ title: 'x', url })).toBeUndefined()
})

test('nothing unseen is in title or snippet, and both are bounded', () => {
  const title = `Good\u202enews\u200b\u0000 ${'word '.repeat(1_000)}`
  const citation = citationOf({ title, url: 'https://a.example/', content: `x\u0007${'word '.repeat(200_000)}` })!
  expect(citation.title).toMatch(/^Goodnews word/)
  expect(citation.title.length).toBeLessThanOrEqual(200)
  expect(citation.content!.length).toBeLessThanOrEqual(500)
  expect(citation.content).toMatch(/^xword/)
})

test('what is missing or odd is left out, and the host stands in for a title', () => {
  expect(citationOf({ title: ' \u200b', url: 'https://a.example/x', content: '', date: 'yesterday' })).toEqual({
    title: 'a.example',
    url: 'https://a.example/x',
  })
})
