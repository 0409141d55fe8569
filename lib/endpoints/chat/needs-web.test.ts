import { expect, onTestFinished, test } from 'vitest'
import { NEEDS_NO_WEB, NEEDS_WEB, needsWeb, ruleOf } from '@/lib/endpoints/chat/needs-web'
import { resetPerProcess } from '@/lib/kernel/per-process'
import { withEnvironment } from '@/lib/services/identity/testing'

const now = new Date('2026-07-18T12:00:00Z')

test.each([
  'What is in the news today?',
  'weather in Oslo',
  'Who is the current president of Chile?',
  'What is on https://a.example/?',
  'Search the web for tide tables',
  'World Cup 2026 schedule',
  'budget of 2025',
  'Aktuelle Nachrichten aus Berlin',
])('these say that they need the web: %s', (question) => {
  expect(ruleOf(question, now)).toBe(true)
})

test.each([
  'Hi!',
  'Thanks a lot',
  '12 * (7 + 3) = ?',
  'what is 15% of 80',
  'Write a haiku about the news',
  'Write a function that returns the latest entry',
  'Translate “the weather is nice today” into German',
  '```js\nnow()\n```\nwhat is wrong here?',
  'What is a forecast?',
])('these say that they do not: %s', (question) => {
  expect(ruleOf(question, now)).toBe(false)
})

test.each(['who leads the league', 'explore the year 1984', 'I have 2026 euros', 'What happened in 2011?', ''])(
  'these say neither: %s',
  (question) => {
    expect(ruleOf(question, now)).toBeUndefined()
  },
)

test('years count from the last one on', () => {
  expect(ruleOf('films of 2031', new Date('2031-01-01'))).toBe(true)
  expect(ruleOf('films of 2026', new Date('2031-01-01'))).toBeUndefined()
})

test('without a model that compares, doubt means no', async () => {
  await withEnvironment({ EMBEDDED_MODELS: 'off' }, async () => {
    expect(await needsWeb('who leads the league', new AbortController().signal)).toBe(false)
    expect(await needsWeb('weather in Oslo', new AbortController().signal)).toBe(true)
  })
})

test.each(['x', '7', '!?', ' . . '])(
  'a text that cannot be read needs no web, whatever it is like: %j',
  async (text) => {
    const engine = { embed: async (texts: string[]) => texts.map(() => new Float32Array([1])) }
    const { signal } = new AbortController()
    resetPerProcess('web-decision-examples')
    onTestFinished(() => resetPerProcess('web-decision-examples'))
    expect(await needsWeb('who leads the league', signal, { engine })).toBe(true)
    expect(await needsWeb(text, signal, { engine })).toBe(false)
  },
)

test('who has left is not decided for', async () => {
  await expect(needsWeb('weather in Oslo', AbortSignal.abort(new Error('left')))).rejects.toThrow('left')
})

test('the examples are many, and none stands on both sides', () => {
  expect(NEEDS_WEB.length + NEEDS_NO_WEB.length).toBeGreaterThanOrEqual(60)
  expect(new Set([...NEEDS_WEB, ...NEEDS_NO_WEB]).size).toBe(NEEDS_WEB.length + NEEDS_NO_WEB.length)
})

test('what stands behind the first 2,000 characters is not looked at', () => {
  const words = 'weather in Oslo'
  expect(ruleOf(`${'x '.repeat((2_000 - words.length) / 2)} ${words}`, now)).toBe(true)
  expect(ruleOf(`${'x '.repeat(1_000)}${words}`, now)).toBeUndefined()
})

// Of what is looked at, a rule that tries all ways to read it takes longer than a test may.
test.each([
  ['digits', '1'.repeat(100_000)],
  ['verbs', 'write look search '.repeat(10_000)],
  ['greetings', 'hi there '.repeat(10_000)],
])('a long text of %s is decided like its beginning', (_, text) => {
  expect(ruleOf(`${text}!z`, now)).toBe(ruleOf(text.slice(0, 2_000), now))
})
