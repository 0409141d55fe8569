import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { guardJson } from '@/lib/kernel/json-body'

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

test('a string of escaped quotes is walked once, and not searched anew for each of them', () => {
  const bytes = Buffer.from(JSON.stringify('"'.repeat(10_000)))
  const searches = vi.spyOn(bytes, 'indexOf')
  expect(guardJson(bytes)).toBeUndefined()
  expect(searches.mock.calls.length).toBeLessThan(10)
})

test('strings end where the parser says that they do', () => {
  const characters = fc.string({ unit: fc.constantFrom('"', '\\', '[', 'a') })
  const deep = '['.repeat(65) + ']'.repeat(65)
  fc.assert(fc.property(characters, (text) => guard(`[${JSON.stringify(text)},${deep}]`)?.includes('nested') === true))
  fc.assert(fc.property(characters, (text) => guard(JSON.stringify([text, text.repeat(70)])) === undefined))
})

test('no JSON value that is shallow and small is refused', () => {
  fc.assert(fc.property(fc.json({ maxDepth: 5 }), (text) => guard(text) === undefined))
})
