import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ApiError } from '@/lib/contract/errors'
import { parseModelName } from '@/lib/services/models/suffix'

test.each([
  ['atlas-large', 'atlas-large', {}],
  ['ollama/llama3.2:3b', 'ollama/llama3.2:3b', {}],
  ['atlas-large:enable_web_search=auto', 'atlas-large', { enable_web_search: 'auto' }],
  ['atlas-large:enable_web_search=true', 'atlas-large', { enable_web_search: 'on' }],
  [
    'default:disable_thinking=true&character_slug=alan%20watts',
    'default',
    { disable_thinking: true, character_slug: 'alan watts' },
  ],
  ['ollama/llama3.2:3b:strip_thinking_response=true', 'ollama/llama3.2:3b', { strip_thinking_response: true }],
  ['a:unknown=1&enable_web_citations=false&also', 'a', { enable_web_citations: false }],
  ['a:enable_e2ee=nonsense', 'a', {}],
  ['a:__proto__=true&constructor=true', 'a', {}],
  ['a:character_slug=x=y:z', 'a', { character_slug: 'x=y:z' }],
  ['a=b', 'a=b', {}],
  ['', '', {}],
])('%s', (name, base, parameters) => {
  expect(parseModelName(name)).toEqual({ base, parameters })
})

describe('a known option with a value that it does not take is refused by name', () => {
  test.each([
    'a:enable_web_search=yes',
    'a:disable_thinking=1',
    'a:disable_thinking=%E0%A4%A',
    'a:character_slug=',
    `a:character_slug=${'x'.repeat(500)}`,
  ])('%s', (name) => {
    const key = name.split(':')[1]?.split('=')[0] ?? ''
    expect(() => parseModelName(name)).toThrow(
      expect.objectContaining({
        code: 'INVALID_REQUEST',
        issues: [expect.objectContaining({ path: ['model'], message: expect.stringContaining(key) })],
      }),
    )
  })
})

test('any text gives a base and options, or a 400', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (name) => {
      try {
        expect(name.startsWith(parseModelName(name).base)).toBe(true)
      } catch (error) {
        expect(error).toBeInstanceOf(ApiError)
      }
    }),
  )
})
