import fc from 'fast-check'
import { expect, test } from 'vitest'
import { guardJson } from '@/lib/core/json-guard'

const guard = (text: string) => guardJson(Buffer.from(text))

test('64 levels pass and 65 do not', () => {
  expect(guard('['.repeat(64) + ']'.repeat(64))).toBeUndefined()
  expect(guard('['.repeat(65) + ']'.repeat(65))).toMatch('nested')
  expect(guard('{"a":'.repeat(1_000_000))).toMatch('nested')
})

test('200,000 values pass and more do not', () => {
  expect(guard(`[${'{},'.repeat(99_999)}1]`)).toBeUndefined()
  expect(guard(`[${'{},'.repeat(3_000_000)}1]`)).toMatch('values')
})

test('what stands in strings does not count, whatever is escaped', () => {
  expect(guard(JSON.stringify(['['.repeat(1000), '\\"['.repeat(1000), '\\'.repeat(999)]))).toBeUndefined()
})

test('no JSON value that is shallow and small is refused', () => {
  fc.assert(fc.property(fc.json({ maxDepth: 5 }), (text) => guard(text) === undefined))
})
