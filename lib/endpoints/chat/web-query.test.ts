import { expect, test } from 'vitest'
import { cutAtWord, queryOf } from '@/lib/endpoints/chat/web-query'

test('a question is searched for as it is, on one line', () => {
  expect(queryOf(['  Who won\n\tthe race?  '])).toBe('Who won the race?')
})

test('code and quotations are not searched for', () => {
  const text = 'Why does this fail?\n```js\nthrow new Error()\n```\n> you wrote: try it\nOn Node 24.'
  expect(queryOf([text])).toBe('Why does this fail? On Node 24.')
  expect(queryOf(['What is it?\n~~~\nnever closed\nsecret'])).toBe('What is it?')
})

test('where all is code, the code is searched for', () => {
  expect(queryOf(['```\nERR_MODULE_NOT_FOUND\n```'])).toBe('ERR_MODULE_NOT_FOUND')
})

test('a long text is cut at a word', () => {
  const query = queryOf(['word '.repeat(200)])
  expect(query.length).toBeLessThanOrEqual(400)
  expect(query.endsWith(' word')).toBe(true)
  expect(queryOf(['x'.repeat(1_000_000)])).toHaveLength(400)
})

const article = 'The harbour of Saint Malo was rebuilt after the war, stone by stone. '.repeat(20)

test.each([
  ['at its end', `${article}\n\nWhen is high water there on Friday?`, 'When is high water there on Friday?'],
  ['in its last sentence', `${article}Who is the harbour master of Brest?`, 'Who is the harbour master of Brest?'],
  [
    'at its beginning',
    `Who wrote this text about the harbour?\n\n${article}`,
    'Who wrote this text about the harbour?',
  ],
  [
    'behind an address',
    `${article} See https://a.example/?q=1 for it. Which company sells tickets today?`,
    'Which company sells tickets today?',
  ],
  ['after far more text', `${'word '.repeat(100_000)}\nWhat does the ferry cost now?`, 'What does the ferry cost now?'],
  ['after code', `${article}\n\`\`\`\nwhat?\n\`\`\`\nWhich version is the newest?`, 'Which version is the newest?'],
])('of a long text its question is searched for: %s', (_, text, expected) => {
  expect(queryOf([text])).toBe(expected)
})

test('a question that points back at a long text is searched for together with it', () => {
  const query = queryOf([`${article}\nIs that true?`])
  expect(query).toMatch(/^The harbour of Saint Malo .* Is that true\?$/)
  expect(query.length).toBeLessThanOrEqual(400)
})

test.each([
  ['question marks', '? '.repeat(100_000)],
  ['one endless question', `${'word '.repeat(40_000)}?`],
])('a long text of %s still makes a query', (_, text) => {
  expect(queryOf([text]).length).toBeLessThanOrEqual(400)
})

test.each([
  ['and in Spain?', 'What is the minimum wage in France? and in Spain?'],
  ['Why?', 'What is the minimum wage in France? Why?'],
  ['how much is it now', 'What is the minimum wage in France? how much is it now'],
  ['who pays that', 'What is the minimum wage in France? who pays that'],
])('a follow-up is joined to what came before: %s', (text, expected) => {
  expect(queryOf(['What is the minimum wage in France?', text])).toBe(expected)
})

test.each([
  'Weather in Berlin tomorrow',
  'Tesla stock price',
  'What is the capital of Mongolia and how large has it grown?',
])('a question that stands by itself is not: %s', (text) => {
  expect(queryOf(['Tell me about tides.', text])).toBe(text)
})

test('a follow-up is never lost to a long text before it', () => {
  const query = queryOf(['word '.repeat(200), 'and in Spain?'])
  expect(query.endsWith(' and in Spain?')).toBe(true)
  expect(query.length).toBeLessThanOrEqual(400)
})

test('invisible characters are no part of a query', () => {
  expect(queryOf(['rain\u200b\u202e\u0000 in Spain'])).toBe('rain in Spain')
})

test('a cut goes between characters', () => {
  expect(cutAtWord('🌊🌊🌊', 3)).toBe('🌊')
})
