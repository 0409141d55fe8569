import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createThinkSplitter, LEGACY_TAGS, type ThinkTags } from '@/lib/endpoints/chat/think-tags'

function separate(pieces: string[], tags = LEGACY_TAGS) {
  const split = createThinkSplitter(tags)
  const events = [
    ...pieces.flatMap((text) => split({ type: 'text-delta', choice: 0, text })),
    ...split({ type: 'choice-end', choice: 0, reason: 'stop' }),
  ]
  const of = (type: string) =>
    events.map((event) => (event.type === type && 'text' in event ? event.text : '')).join('')
  return { said: of('text-delta'), thought: of('reasoning-delta'), last: events.at(-1)?.type }
}

test('thoughts are separated from the answer, and the line breaks around them go', () => {
  expect(separate(['<think>\nTwo and two.\n</think>\n\nFour.'])).toEqual({
    said: 'Four.',
    thought: '\nTwo and two.\n',
    last: 'choice-end',
  })
})

const tagSets: ThinkTags[] = [
  LEGACY_TAGS,
  { ...LEGACY_TAGS, startsOpen: true },
  { open: '<|channel|>analysis', close: '<|end|>' },
  { open: '◁think▷', close: '◁/think▷' },
  { open: 'aab', close: 'aba' },
]

const cutText = fc.constantFrom(...tagSets).chain((tags) => {
  const { open, close } = tags
  const halves = [open.slice(0, 2), open.slice(2), close.slice(0, -1), close.slice(-1)]
  const piece = fc.constantFrom(open, open, close, close, ...halves, 'a', 'b', ' ', '\n', '<', 'word', '🦄', '\u2028')
  return fc.record({
    tags: fc.constant(tags),
    text: fc.array(piece, { maxLength: 20 }).map((parts) => parts.join('')),
    cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 }),
  })
})

test('how the text was cut makes no difference', () => {
  fc.assert(
    fc.property(cutText, ({ tags, text, cuts }) => {
      const at = [0, ...cuts.map((cut) => Math.floor(cut * text.length)), text.length].sort((a, b) => a - b)
      const pieces = at.slice(1).map((end, index) => text.slice(at[index], end))
      const whole = separate([text], tags)
      expect(separate(pieces, tags)).toEqual(whole)
      expect(separate([...text], tags)).toEqual(whole)
    }),
    { numRuns: 3000 },
  )
})

test('a text that does not begin with the tag is said as it is, from its first letter on', () => {
  fc.assert(
    fc.property(cutText, ({ tags, text }) => {
      fc.pre(!text.trimStart().startsWith(tags.open) && tags.startsOpen !== true)
      expect(separate([...text], tags)).toEqual({ said: text.trimStart(), thought: '', last: 'choice-end' })
    }),
  )
})

test('probabilities stay with the tokens that are said', () => {
  const split = createThinkSplitter(LEGACY_TAGS)
  const tokens = ['<think>', 'h', 'm', '</th', 'ink>', '\n', 'Fo', 'ur', ' <', ' 5', '.']
  const events = [...tokens.slice(0, 5), tokens.slice(5).join('')].flatMap((text, index) =>
    split({
      type: 'text-delta',
      choice: 0,
      text,
      logprobs: (index < 5 ? [text] : tokens.slice(5)).map((token) => ({ token, logprob: -1 })),
    }),
  )
  const said = events.flatMap((event) => (event.type === 'text-delta' ? (event.logprobs ?? []) : []))
  expect(said.map(({ token }) => token)).toEqual(['Fo', 'ur', ' <', ' 5', '.'])
  expect(events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : [])).join('')).toBe('Four < 5.')
})

test.each([
  'To mark thoughts, models write <think> and then the text. Split on that tag.',
  'Write `<think>\\n…</think>` before the answer.',
  'Hm.\n<think>No.</think>',
])('a tag in the middle of an answer is text: %j', (text) => {
  expect(separate([text])).toEqual({ said: text, thought: '', last: 'choice-end' })
  expect(separate([...text])).toEqual({ said: text, thought: '', last: 'choice-end' })
  expect(separate([`<think>hm</think>${text}`])).toMatchObject({ said: text, thought: 'hm' })
})

test('white space may come before the tag', () => {
  expect(separate(['\n ', '<think>', 'hm</think> Yes'])).toMatchObject({ said: 'Yes', thought: 'hm' })
})

test('an engine that sends thoughts by themselves writes no tags', () => {
  const split = createThinkSplitter(LEGACY_TAGS)
  const events = [
    ...split({ type: 'text-delta', choice: 0, text: '\n' }),
    ...split({ type: 'reasoning-delta', choice: 0, text: 'How do they mark it?' }),
    ...split({ type: 'text-delta', choice: 0, text: '<think> is the tag.' }),
    ...split({ type: 'choice-end', choice: 0, reason: 'stop' }),
  ]
  expect(events).toEqual([
    { type: 'reasoning-delta', choice: 0, text: 'How do they mark it?' },
    { type: 'text-delta', choice: 0, text: '<think> is the tag.' },
    { type: 'choice-end', choice: 0, reason: 'stop' },
  ])
})

test('a half tag at the end is text after all', () => {
  expect(separate(['7 <', 'thi'])).toMatchObject({ said: '7 <thi', thought: '' })
})

test('a model that starts inside its thoughts needs no opening tag', () => {
  expect(separate(['hm', '</thi', 'nk>yes'], { ...LEGACY_TAGS, startsOpen: true })).toMatchObject({
    said: 'yes',
    thought: 'hm',
  })
  expect(separate(['<think>hm</think>yes'], { ...LEGACY_TAGS, startsOpen: true })).toMatchObject({
    said: 'yes',
    thought: 'hm',
  })
})
