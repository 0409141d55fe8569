import fc from 'fast-check'
import { expect, test } from 'vitest'
import { eachElement, eachMember, endOfValue, skipBlank } from '@/lib/services/rpc-nodes/parse-calls'

const indent = fc.constantFrom(undefined, 1, '\t')

test('the elements of an array are those that JSON.parse finds', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), indent, (list, space) => {
      const text = ` ${JSON.stringify(list, null, space)} `
      const found: unknown[] = []
      eachElement(text, skipBlank(text, 0), (start, end) => found.push(JSON.parse(text.slice(start, end))) > 0)
      expect(found).toEqual(JSON.parse(text))
    }),
  )
})

test('so are the members of an object, by names as they are meant', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), indent, (object, space) => {
      const text = JSON.stringify(object, null, space)
      const found: [string, unknown][] = []
      eachMember(text, 0, (name, value) => found.push([name, JSON.parse(value)]))
      expect(found).toEqual(Object.entries(JSON.parse(text) as object))
    }),
  )
})

test('a visit that answers false is the last', () => {
  const places: number[] = []
  eachElement('[1,2,3]', 0, (start) => places.push(start) < 2)
  expect(places).toEqual([1, 3])
})

test('on text that is not JSON it comes to an end', () => {
  const noise = fc.string({
    unit: fc.constantFrom('"', '\\', '[', ']', '{', '}', ',', ':', ' ', '1', 'x'),
    maxLength: 30,
  })
  fc.assert(
    fc.property(noise, (text) => {
      let visits = 0
      eachElement(`[${text}`, 0, () => ++visits > 0)
      const end = endOfValue(text, 0)
      return visits <= text.length && end >= 0 && end <= text.length + 1
    }),
    { numRuns: 2_000 },
  )
})
