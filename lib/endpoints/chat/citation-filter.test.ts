import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCitationFilter } from '@/lib/endpoints/chat/citations'
import type { ChatEvent, TokenLogprob } from '@/lib/services/engines/engine'

const SOURCES = 3

function deltas(pieces: string[], reason: 'stop' | 'length' = 'stop'): string[] {
  const filter = createCitationFilter(() => SOURCES)
  const events = [
    ...pieces.flatMap((text) => filter({ type: 'text-delta', choice: 0, text })),
    ...filter({ type: 'choice-end', choice: 0, reason }),
  ]
  expect(events.at(-1)).toEqual({ type: 'choice-end', choice: 0, reason })
  return events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : []))
}
const said = (text: string, reason?: 'stop' | 'length') => deltas([text], reason).join('')

test('a mark whose number is in the list goes out whole, however it came in', () => {
  const out = deltas([...'Rain expected [REF]0[/REF].'])
  expect(out.join('')).toBe('Rain expected [REF]0[/REF].')
  expect(out.some((delta) => delta.includes('[REF]0[/REF]'))).toBe(true)
})

test.each([
  ['Rain [REF]3[/REF].', 'Rain.'],
  ['Rain [REF]99999999999999999999[/REF] today', 'Rain today'],
  ['Rain[REF]-1[/REF]', 'Rain'],
  ['Rain [REF]https://evil.example/0[/REF]!', 'Rain!'],
  ['Rain [REF][/REF]', 'Rain'],
])('a mark that cites nothing in the list is taken out: %s', (text, expected) => {
  expect(said(text)).toBe(expected)
})

test.each([
  ['[REF]0, 1[/REF]', '[REF]0[/REF][REF]1[/REF]'],
  ['[REF]0,7,2[/REF]', '[REF]0[/REF][REF]2[/REF]'],
  ['[REF] 0 [/REF]', '[REF]0[/REF]'],
  ['[ref]1[/ref]', '[REF]1[/REF]'],
  ['[REF]source 2[/REF]', '[REF]2[/REF]'],
  ['[REF]0 and 1[/REF]', '[REF]0[/REF][REF]1[/REF]'],
  ['[REF]0-2[/REF]', '[REF]0[/REF][REF]2[/REF]'],
  ['[REF]1[/REF][REF]1[/REF]', '[REF]1[/REF][REF]1[/REF]'],
  ['[REF 0]', '[REF]0[/REF]'],
  ['[REF:1]', '[REF]1[/REF]'],
  ['[REF0, 1]', '[REF]0[/REF][REF]1[/REF]'],
  ['It rains [REF]0. Then it stops.', 'It rains [REF]0[/REF]. Then it stops.'],
  ['It rains [REF]0', 'It rains [REF]0[/REF]'],
  ['[REF][REF]0[/REF][/REF]', '[REF]0[/REF]'],
  ['[REF]0[/REF', '[REF]0[/REF]'],
])('other spellings are put right: %s', (text, expected) => {
  expect(said(text)).toBe(expected)
})

test.each([
  ['An array[0] of [REFUND] and [reference](https://a.example)'],
  ['x[/y] [ [[ ]] [R]'],
  ['Line one \n\n  line two '],
])('what is no mark stays as it is: %s', (text) => {
  expect(said(text)).toBe(text)
})

test('loose halves are taken out and the words between them stay', () => {
  expect(said('Rain [/REF] falls [REF] on the plain in Spain, as everybody knows well.')).toBe(
    'Rain falls on the plain in Spain, as everybody knows well.',
  )
})

test.each(['[R', '[RE', '[REF', '[REF]', '[/REF', '[REF 1', '[REF]nothing'.slice(0, 5)])(
  'half a mark at the end is dropped: %s',
  (half) => {
    expect(said(`Rain ${half}`)).toBe('Rain')
  },
)

test('a number that the last token cut off is not cited', () => {
  expect(said('Rain [REF]1', 'length')).toBe('Rain')
  expect(said('Rain [REF]0, 1', 'length')).toBe('Rain [REF]0[/REF]')
})

test('how the text was cut makes no difference', () => {
  const part = fc.constantFrom(
    ...['[REF]', '[/REF]', '[ref', '[/', '[', ']', '0', '2', '7', ',', ' ', '\n', '.', 'word', 'and', 'source', '[REF'],
    ...['[REF]0[/REF]', '[REF 1]', '[REF]9[/REF]', 'a somewhat longer stretch of words here '],
  )
  const reason = fc.constantFrom('stop' as const, 'length' as const)
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 20 }),
      fc.array(fc.nat(120), { maxLength: 12 }),
      reason,
      (parts, cuts, end) => {
        const text = parts.join('')
        const at = [0, ...new Set(cuts.map((cut) => Math.min(cut, text.length))), text.length].sort((a, b) => a - b)
        const pieces = at.slice(1).map((to, index) => text.slice(at[index], to))
        expect(deltas(pieces, end).join('')).toBe(said(text, end))
      },
    ),
    { numRuns: 5000 },
  )
})

test('whatever a model writes, only marks of the list come out, each in one delta', () => {
  const part = fc.constantFrom(
    ...['[REF]', '[/REF]', '[REF', '[/ref]', '[/', '[RE', 'REF]', 'F]', '/REF]'],
    ...'013 x][\n.,F',
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
      const out = deltas(parts)
      const rest = out.join('').replace(/\[REF\][012]\[\/REF\]/g, '|')
      expect(rest).not.toMatch(/\[\/?REF\]/i)
      for (const delta of out) expect(delta.replace(/\[REF\]\d\[\/REF\]/g, '|')).not.toMatch(/\[\/?REF\]/i)
    }),
    { numRuns: 5000 },
  )
})

test('text is held back only while it may become a mark', () => {
  expect(deltas(['Rain', ' falls', ' [', 'x] on', ' Spain'])).toEqual(['Rain', ' falls', ' [x] on', ' Spain'])
})

test.each([
  '[[REF]REF]7[/REF]',
  '[RE[/REF]F]7[/REF]',
  '[REF [REF]]7[/REF]',
  '[/REF [/REF]]',
  '[[[/REF]/REF]7[[/REF]/REF]',
])('what is taken out leaves no mark behind: %s', (text) => {
  expect(said(text)).not.toMatch(/\[\/?REF\]/)
})

test('choices do not mix', () => {
  const filter = createCitationFilter(() => SOURCES)
  const feed = (choice: number, text: string) => filter({ type: 'text-delta', choice, text })
  expect([feed(0, '[REF]'), feed(1, 'no mark'), feed(0, '1[/REF]')].flat()).toEqual([
    { type: 'text-delta', choice: 1, text: 'no mark' },
    { type: 'text-delta', choice: 0, text: '[REF]1[/REF]' },
  ])
})

test('the count is asked when the mark is read: a search may have come in between', () => {
  let count = 0
  const filter = createCitationFilter(() => count)
  expect(filter({ type: 'text-delta', choice: 0, text: '[REF]0[/REF]' })).toEqual([])
  count = 1
  expect(filter({ type: 'text-delta', choice: 0, text: '[REF]0[/REF]' })).toHaveLength(1)
})

const token = (text: string): TokenLogprob => ({ token: text, logprob: -0.5 })
function withTokens(tokens: string[]): { text: string; tokens: string[] } {
  const filter = createCitationFilter(() => SOURCES)
  const events: ChatEvent[] = [
    ...tokens.flatMap((text) => filter({ type: 'text-delta', choice: 0, text, logprobs: [token(text)] })),
    ...filter({ type: 'choice-end', choice: 0, reason: 'stop' }),
  ]
  const said = events.flatMap((event) => (event.type === 'text-delta' ? [event] : []))
  return {
    text: said.map(({ text }) => text).join(''),
    tokens: said.flatMap(({ logprobs = [] }) => logprobs.map((one) => one.token)),
  }
}

test('log probabilities stay with the text of their tokens', () => {
  const tokens = ['Rain', ' ', 'falls', ' [', 'x', ']', ' [', 'REF', ']', '0', '[/', 'REF', ']', '.']
  expect(withTokens(tokens)).toEqual({ text: 'Rain falls [x] [REF]0[/REF].', tokens })
})

test('tokens of a mark that is taken out go with it', () => {
  expect(withTokens(['Rain', '[', 'REF', ']', '7', '[/REF]', ' falls'])).toEqual({
    text: 'Rain falls',
    tokens: ['Rain', ' falls'],
  })
})

test('no token is lost or told twice where no mark is taken out', () => {
  const whole = ['Rain', ' ', ' falls ', '[', 'x]', '[REF]0[/REF]', '', '\n', '[/', '[R', 'EFUND'].map((token) => [
    token,
  ])
  const part = fc.constantFrom(...whole, [' [', 'REF', ']', '1', '[/', 'REF', ']'], ['[REF]', '2', '[/REF]. Then '])
  fc.assert(
    fc.property(fc.array(part, { maxLength: 15 }), (parts) => {
      const tokens = [...parts.flat(), '.']
      expect(withTokens(tokens)).toEqual({ text: tokens.join(''), tokens })
    }),
    { numRuns: 1000 },
  )
})

// In quadratic time two megabytes take longer than a test may.
test('megabytes of marks take linear time', () => {
  expect(said('[REF]9[/REF]'.repeat(180_000))).toBe('')
  expect(said(`[REF]${'[REF'.repeat(500_000)}`).length).toBeLessThan(2_000_001)
})
