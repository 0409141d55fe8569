import { expect, test } from 'vitest'
import { createJsonCheck } from '@/lib/endpoints/chat/stages'
import type { ChatEvent } from '@/lib/services/engines/engine'

const end = (reason: 'stop' | 'length' = 'stop'): ChatEvent => ({ type: 'choice-end', choice: 0, reason })
const say = (text: string, more = {}): ChatEvent => ({ type: 'text-delta', choice: 0, text, ...more })

function checked(...events: ChatEvent[]): string {
  const out = events.flatMap(createJsonCheck())
  expect(out.at(-1)).toEqual(events.at(-1))
  return out.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
}

test.each([
  ['{"a": 1}', '{"a": 1}'],
  ['  [1]', '  [1]'],
  ['```json\n{"a": "``"}\n```', '{"a": "``"}'],
  ['```\n{"a": 1}\n```\n', '{"a": 1}'],
  ['\n```json\n{"a":\n1}', '{"a":\n1}'],
])('%j is the JSON %j, however it is cut', (said, json) => {
  expect(checked(say(said), end())).toBe(json)
  expect(checked(...[...said].map((letter) => say(letter)), end())).toBe(json)
})

test.each(['Sure! {"a": 1}', '{"a": ', '', '```json\n{"a": }\n```'])('%j is a failure', (said) => {
  expect(() => checked(say(said), end())).toThrow(expect.objectContaining({ reason: 'failed' }))
})

test('what was cut by its bound, refused, or said beside a call need not parse', () => {
  expect(checked(say('{"a": '), end('length'))).toBe('{"a": ')
  expect(checked(say('No.', { isRefusal: true }), end())).toBe('No.')
  const call: ChatEvent = { type: 'tool-call-delta', choice: 0, index: 0, id: 'c', name: 'f', arguments: '{}' }
  expect(checked(say('Let me see.'), call, end())).toBe('Let me see.')
})
