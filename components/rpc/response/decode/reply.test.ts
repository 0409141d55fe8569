import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareTexts, runJob } from '@/components/rpc/response/decode/jobs'
import { openReply } from '@/components/rpc/response/decode/json'
import { visibleText } from '@/components/rpc/response/format'

describe('opening a reply', () => {
  test('finds the result, wherever it stands', () => {
    const text = ' {"result" : {"id":7,"error":1} , "id":1, "jsonrpc":"2.0"} '
    const { items, isBatch, total } = openReply(text, 1)
    expect({ isBatch, total }).toEqual({ isBatch: false, total: 1 })
    expect(items[0]).toMatchObject({ outcome: 'result', id: '1', callIndex: 0 })
    const { start, end } = items[0]!.value!
    expect(text.slice(start, end)).toBe('{"id":7,"error":1}')
  })

  test('tells results, errors and what is neither apart', () => {
    const text = `[{"id":2,"result":null},{"id":1,"error":{"message":"no\\u0021","code":-32000,"data":[1]}},{"id":3,"error":null,"result":1},5,{}]`
    const { items } = openReply(text, 3)
    expect(items.map(({ outcome, callIndex }) => [outcome, callIndex])).toEqual([
      ['result', 1],
      ['error', 0],
      ['result', 2],
      ['neither', undefined],
      ['neither', undefined],
    ])
    expect(items[1]).toMatchObject({ errorCode: '-32000', errorMessage: 'no!' })
  })

  test('takes an id only as the number that was sent', () => {
    const ids = ['"1"', '1.0', '0', '-1', '3', '1e0', '99999999999', '{"a":1}']
    for (const id of ids) expect(openReply(`[{"id":${id},"result":1}]`, 2).items[0]?.callIndex).toBeUndefined()
  })

  test('lists no more than can be looked at, and counts all', () => {
    const { items, total } = openReply(`[${'{"id":1,"result":1},'.repeat(9_999)}{}]`, 1)
    expect([items.length, total]).toEqual([200, 10_000])
  })

  test('says where a text stops being JSON', () => {
    expect(openReply('<html>', 1)).toMatchObject({ fault: { at: 0 }, items: [] })
    expect(openReply('{"a":1', 1).fault?.at).toBe(6)
    expect(openReply('', 1).fault).toBeDefined()
  })

  test('never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
        openReply(text, 3)
      }),
    )
  })
})

describe('the jobs of the worker', () => {
  const job = (item?: number) => (item === undefined ? {} : { item })

  test('lay out the whole reply, or one item of it', () => {
    const text = '[{"id":1,"result":[1]},{"id":2,"result":{"a":2}}]'
    runJob({ kind: 'open', text, request: { network: 'base-mainnet', calls: [] } }, () => undefined)
    const laidOut = (kind: 'pretty' | 'raw', item?: number) => {
      let all = ''
      runJob({ kind, ...job(item) }, (chunk) => {
        all += chunk.text
      })
      return all
    }
    expect(laidOut('pretty')).toBe(JSON.stringify(JSON.parse(text), null, 2))
    expect(laidOut('pretty', 1)).toBe(JSON.stringify({ id: 2, result: { a: 2 } }, null, 2))
    expect(laidOut('raw', 0)).toBe('{"id":1,"result":[1]}')
    expect(laidOut('raw')).toBe(text)
    expect(runJob({ kind: 'scan' }, () => undefined)).toMatchObject({ isBatch: true, total: 2 })
  })

  test('lay out what is no reply as it came', () => {
    const text = '<html>\n<body>'
    runJob({ kind: 'open', text, request: { network: 'base-mainnet', calls: [] } }, () => undefined)
    const chunks: string[] = []
    runJob({ kind: 'pretty' }, (chunk) => chunks.push(chunk.text))
    expect(chunks.join('')).toBe(text)
  })
})

describe('comparing', () => {
  test('does not mind the order of names and white space', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const text = JSON.stringify(value)
        expect(compareTexts(text, JSON.stringify(reversed(JSON.parse(text)), null, 1)).isSame).toBe(true)
      }),
    )
  })

  test('gives the part that differs, with the numbers of its lines', () => {
    const list = Array.from({ length: 5_000 }, (_, index) => index)
    const other = list.with(2_500, -1)
    const { a, b, firstLine, isSame, isCut } = compareTexts(JSON.stringify(list), JSON.stringify(other))
    expect({ isSame, isCut }).toEqual({ isSame: false, isCut: false })
    expect(a.split('\n')).toEqual(['  2497,', '  2498,', '  2499,', '  2500,', '  2501,', '  2502,', '  2503,'])
    expect(b.split('\n')[3]).toBe('  -1,')
    expect(firstLine).toBe(2_499)
  })

  test('shows a difference in the middle of a long line, and no more lines than can be compared', () => {
    const long = 'a'.repeat(5_000)
    const { a, b } = compareTexts(JSON.stringify(`${long}x${long}`), JSON.stringify(`${long}y${long}`))
    expect(a).not.toBe(b)
    expect(a.length).toBeLessThan(1_000)
    const many = (first: number) => JSON.stringify(Array.from({ length: 9_000 }, (_, index) => first + index))
    expect(compareTexts(many(0), many(100_000))).toMatchObject({ isCut: true })
  })

  test('takes what is no JSON line by line', () => {
    expect(compareTexts('<a>\n<b>', '<a>\n<c>')).toMatchObject({ isSame: false, a: '<a>\n<b>', b: '<a>\n<c>' })
  })
})

test('characters that cannot be seen stand as their code', () => {
  expect(visibleText('a\u202eb\u0000c\u200b💧\ud800')).toBe('a\\u{202e}b\\u{0000}c\\u{200b}💧\ufffd')
  expect(visibleText('x'.repeat(10_000)).length).toBeLessThan(5_000)
})

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, one]) => [name, reversed(one)]),
  )
}
