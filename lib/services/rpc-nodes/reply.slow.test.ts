import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ReplyScanner, type ScannedItem, type ScannedReply, withId } from '@/lib/services/rpc-nodes/reply'

function scan(...chunks: (string | Uint8Array)[]): ScannedReply | undefined {
  const scanner = new ReplyScanner()
  for (const chunk of chunks) scanner.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
  return scanner.end()
}

const one = (text: string): ScannedItem | undefined => scan(text)?.items[0]

const slice = (text: string, at: { start: number; end: number } | undefined): string | undefined =>
  at && Buffer.from(text).subarray(at.start, at.end).toString()

test.each([
  ['{"jsonrpc":"2.0","id":1,"result":"0x10"}', '1', '"0x10"'],
  ['{"result":null,"id":null,"jsonrpc":"2.0"}', 'null', 'null'],
  [' \r\n\t{ "id" : "a\\"b" , "result" : { "a" : [ 1 , "]}" ] } } \n', '"a\\"b"', '{ "a" : [ 1 , "]}" ] }'],
  ['{"id":12345678901234567890,"result":[]}', '12345678901234567890', '[]'],
  ['{"id":1.5,"error":null,"result":false}', '1.5', 'false'],
  ['{"id":"ключ","result":"🦭"}', '"ключ"', '"🦭"'],
  ['{"\\u0069d":7,"r\\u0065sult":-0.5e+10}', '7', '-0.5e+10'],
  ['{"id":3,"extra":{"result":1,"error":{}},"result":"x","also":[[]],"more":"result"}', '3', '"x"'],
  ['{"id":3,"result":"","__proto__":{"result":1},"Result":2,"":3}', '3', '""'],
])('%j is a result', (text, id, result) => {
  const item = one(text)
  expect(item).toMatchObject({ id, outcome: 'result' })
  expect(slice(text, item?.result)).toBe(result)
  expect(slice(text, item?.idAt)).toBe(id)
})

test.each<[string, Partial<ScannedItem>]>([
  ['{"id":1,"error":{"code":-32602,"message":"no"}}', { id: '1', errorCode: -32602, errorMessage: 'no' }],
  [
    '{"id":1,"result":null,"error":{"message":"é\\n","data":{"code":1},"code":3}}',
    { errorCode: 3, errorMessage: 'é\n' },
  ],
  ['{"id":1,"error":{"code":1},"result":null}', { errorCode: 1 }],
  ['{"error":{}}', {}],
  ['{"id":null,"error":"busy"}', { id: 'null', errorMessage: 'busy' }],
  ['{"id":1,"error":[1,2]}', { id: '1' }],
  ['{"id":1,"error":true}', { id: '1' }],
  ['{"id":1,"error":{"code":"3","message":null}}', { id: '1' }],
  ['{"id":1,"error":{"c\\u006fde":4,"message":"\\ud83e\\uddad"}}', { errorCode: 4, errorMessage: '🦭' }],
])('%j is an error', (text, expected) => {
  const item = one(text)
  expect(item).toMatchObject({ outcome: 'error', ...expected })
  expect(item).not.toHaveProperty('result')
  if (expected.errorCode === undefined) expect(item).not.toHaveProperty('errorCode')
  if (expected.errorMessage === undefined) expect(item).not.toHaveProperty('errorMessage')
})

test('a batch has its items in the order of the node', () => {
  const text = '[ {"id":2,"error":{"code":-32000,"message":"x"}} ,\n{"id":1,"result":{"a":"}"}}]\n'
  const reply = scan(text)
  expect(reply).toMatchObject({
    isBatch: true,
    items: [
      { id: '2', outcome: 'error' },
      { id: '1', outcome: 'result' },
    ],
  })
  expect(slice(text, reply?.items[1]?.result)).toBe('{"a":"}"}')
})

const GOOD = '{"jsonrpc":"2.0","id":1,"result":{"a":["x",{"b":1}]}}'

test.each([
  ['nothing', ''],
  ['blanks', ' \n\t '],
  ['a page', '<!doctype html><html><body>502 Bad Gateway</body></html>'],
  ['a word', 'rate limited'],
  ['a string', '"ok"'],
  ['a number', '1'],
  ['null', 'null'],
  ['an empty object', '{}'],
  ['an empty batch', '[]'],
  ['a batch of values', '[1]'],
  ['a batch of batches', '[[{"id":1,"result":1}]]'],
  ['a comma too many in a batch', '[{"id":1,"result":1},]'],
  ['no comma in a batch', '[{"id":1,"result":1}{"id":2,"result":1}]'],
  ['neither result nor error', '{"jsonrpc":"2.0","id":1}'],
  ['no error and no result', '{"jsonrpc":"2.0","id":1,"error":null}'],
  ['one item of neither kind', '[{"id":1,"result":1},{"id":2}]'],
  ['an error of another kind of service', '{"message":"API rate limit exceeded"}'],
  ['two replies', `${GOOD}${GOOD}`],
  ['two replies on two lines', `${GOOD}\n${GOOD}`],
  ['something behind', `${GOOD}x`],
  ['a bracket behind', `${GOOD}}`],
  ['a mark before', `\ufeff${GOOD}`],
  ['a prefix against scripts', `)]}'\n${GOOD}`],
  ['two ids', '{"id":1,"id":2,"result":1}'],
  ['two results', '{"id":1,"result":1,"r\\u0065sult":2}'],
  ['two errors', '{"id":1,"error":{},"error":null}'],
  ['an id that is an object', '{"id":{},"result":1}'],
  ['an id that is a list', '{"id":[1],"result":1}'],
  ['an id that is true', '{"id":true,"result":1}'],
  ['an id with a broken escape', '{"id":"\\x","result":1}'],
  ['an id without end', `{"id":"${'x'.repeat(5000)}","result":1}`],
  ['brackets of the wrong kind', '{"id":1,"result":[}]}'],
  ['brackets of the wrong kind that are as many', '{"id":1,"result":[{]}}'],
  ['a bracket too many inside', '{"id":1,"result":[]]}'],
  ['a comma before the first key', '{,"id":1,"result":1}'],
  ['a comma behind the last value', '{"id":1,"result":1,}'],
  ['no colon', '{"id" 1,"result":1}'],
  ['no value', '{"id":,"result":1}'],
  ['no quotes around a key', '{id:1,"result":1}'],
  ['single quotes', "{'id':1,'result':1}"],
  ['a word as a result', '{"id":1,"result":undefined}'],
  ['not a number', '{"id":1,"result":NaN}'],
  ['a number with a leading zero', '{"id":01,"result":1}'],
  ['a number of 5,000 digits', `{"id":1,"result":${'9'.repeat(5000)}}`],
  ['a comment', '{"id":1,/* */"result":1}'],
  ['more than 100 items', `[${Array(101).fill('{"id":1,"result":1}').join(',')}]`],
  ['4,097 levels', `{"id":1,"result":${'['.repeat(4097)}${']'.repeat(4097)}}`],
])('%s is no reply', (_, text) => {
  expect(scan(text)).toBeUndefined()
  expect(
    scan(
      ...Buffer.from(text)
        .toString('latin1')
        .split('')
        .map((byte) => Buffer.from(byte, 'latin1')),
    ),
  ).toBeUndefined()
})

test('no part of a reply is a reply', () => {
  for (const whole of [GOOD, `[${GOOD},{"id":2,"error":{"code":1,"message":"\\"é"}}]`]) {
    const bytes = Buffer.from(whole)
    for (let length = 0; length < bytes.length; length++) {
      expect(scan(bytes.subarray(0, length)), `${length} bytes`).toBeUndefined()
      expect(scan(bytes.subarray(length + 1)), `without ${length + 1} bytes`).toBeUndefined()
    }
    expect(scan(bytes)).toBeDefined()
  }
})

test('a byte that was zeroed on the way is noticed wherever it is', () => {
  for (let at = 0; at < GOOD.length; at++) {
    const bytes = Buffer.from(GOOD)
    bytes[at] = 0
    expect(scan(bytes)).toBeUndefined()
  }
})

test('100 items and 4,096 levels are read', () => {
  expect(scan(`[${Array(100).fill('{"id":1,"result":1}').join(',')}]`)?.items).toHaveLength(100)
  expect(one(`{"id":1,"result":${'[{"a":'.repeat(2048)}1${'}]'.repeat(2048)}}`)).toBeDefined()
})

test.each([
  ['plain', 'x'.repeat(100_000)],
  ['of two bytes', 'é'.repeat(100_000)],
  ['of four bytes', '🦭'.repeat(100_000)],
  ['of escapes', '"\\'.repeat(100_000)],
  ['of long escapes', '\u0001'.repeat(100_000)],
])('a long message %s is cut, and what follows is read', (_, message) => {
  const text = JSON.stringify({ id: 1, error: { message, data: message, code: -32000 } })
  const item = one(text)
  expect(item?.errorCode).toBe(-32000)
  expect(item?.errorMessage).toHaveLength(512)
  expect(message.startsWith(item!.errorMessage!)).toBe(true)
})

test('a result of 10 MB is read whole and nothing of it is kept', () => {
  const result = Array.from({ length: 100_000 }, (_, index) => ({ hash: `0x${'ab'.repeat(32)}`, index, data: '\\"{[' }))
  const bytes = Buffer.from(JSON.stringify({ jsonrpc: '2.0', result, id: 'x' }))
  const chunks = Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, index) =>
    bytes.subarray(index * 65_536, (index + 1) * 65_536),
  )
  const item = scan(...chunks)?.items[0]
  expect(item).toMatchObject({ id: '"x"', outcome: 'result' })
  expect(bytes.subarray(item!.result!.start, item!.result!.end).equals(Buffer.from(JSON.stringify(result)))).toBe(true)
})

test('withId prints a result under the id of whoever asks', () => {
  const text = withId(Buffer.from('{"a":"é"}'), '"ключ"').toString()
  expect(text).toBe('{"jsonrpc":"2.0","id":"ключ","result":{"a":"é"}}')
  expect(withId(Buffer.from('null'), undefined).toString()).toBe('{"jsonrpc":"2.0","id":null,"result":null}')
  expect(one(text)).toMatchObject({ id: '"ключ"', outcome: 'result' })
})

const anyId = fc.oneof(
  fc.integer(),
  fc.double({ noDefaultInfinity: true, noNaN: true }),
  fc.string({ unit: 'binary' }),
  fc.constant(null),
)
const anyValue = fc.jsonValue({ maxDepth: 5 })
const anyError = fc.oneof(
  fc.record({ code: fc.integer(), message: fc.string({ unit: 'binary' }), data: anyValue }, { requiredKeys: [] }),
  fc.string(),
)
const extras = fc.dictionary(fc.string({ unit: 'binary' }), anyValue, { maxKeys: 3 })
const anyItem = fc
  .record({
    members: fc.record(
      { jsonrpc: fc.constant('2.0'), id: anyId, result: anyValue, error: fc.oneof(fc.constant(null), anyError) },
      { requiredKeys: [] },
    ),
    extras,
    order: fc.array(fc.nat(), { minLength: 8, maxLength: 8 }),
  })
  .map(({ members, extras, order }) => {
    const entries = Object.entries({ ...extras, ...members })
    return Object.fromEntries(
      entries
        .map((entry, index) => [order[index]!, entry] as const)
        .sort(([a], [b]) => a - b)
        .map(([, entry]) => entry),
    ) as Record<string, unknown>
  })
const anyReply = fc.oneof(anyItem, fc.array(anyItem, { minLength: 1, maxLength: 5 }))

function itemOf(reply: Record<string, unknown>): unknown {
  const isError = reply.error !== undefined && reply.error !== null
  if (!isError && !Object.hasOwn(reply, 'result')) return undefined
  const error = reply.error as { code?: number; message?: string } | string
  const message = typeof error === 'string' ? error : error?.message
  return {
    id: reply.id,
    ...(isError
      ? {
          outcome: 'error',
          code: typeof error === 'string' ? undefined : error.code,
          message: message?.slice(0, 512) || undefined,
        }
      : { outcome: 'result', result: reply.result }),
  }
}

test('the scan agrees with JSON.parse on every reply', () => {
  fc.assert(
    fc.property(anyReply, fc.constantFrom(undefined, 1, '\t'), (reply, indent) => {
      const text = JSON.stringify(reply, null, indent)
      const parsed: unknown = JSON.parse(text)
      const expected = (Array.isArray(parsed) ? parsed : [parsed]).map(itemOf)
      const scanned = scan(text)
      if (expected.includes(undefined)) {
        expect(scanned).toBeUndefined()
        return
      }
      expect(scanned?.isBatch).toBe(Array.isArray(parsed))
      const actual = scanned?.items.map(({ id, idAt, outcome, result, errorCode, errorMessage }) => {
        expect(slice(text, idAt)).toBe(id)
        const common = { id: id === undefined ? undefined : JSON.parse(id), outcome }
        return outcome === 'error'
          ? { ...common, code: errorCode, message: errorMessage }
          : { ...common, result: JSON.parse(slice(text, result)!) }
      })
      expect(actual).toEqual(expected)
    }),
    { numRuns: 2_000 },
  )
})

test('wherever a reply is cut into chunks, the scan is that of the whole', () => {
  fc.assert(
    fc.property(anyReply, fc.array(fc.nat({ max: 400 }), { maxLength: 12 }), (reply, cuts) => {
      const bytes = Buffer.from(JSON.stringify(reply))
      const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
      const chunks = places.slice(1).map((end, index) => new Uint8Array(bytes.subarray(places[index], end)))
      expect(scan(...chunks)).toEqual(scan(bytes))
    }),
    { numRuns: 2_000 },
  )
})

test('byte by byte it is the same', () => {
  fc.assert(
    fc.property(anyReply, (reply) => {
      const bytes = Buffer.from(JSON.stringify(reply))
      expect(scan(...Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(scan(bytes))
    }),
    { numRuns: 300 },
  )
})

test('whatever happens to a reply on its way, scanning it does not throw, and cuts make no difference', () => {
  fc.assert(
    fc.property(anyReply, fc.nat(), fc.nat({ max: 255 }), fc.nat(), (reply, at, byte, cut) => {
      const bytes = Buffer.from(JSON.stringify(reply))
      bytes[at % bytes.length] = byte
      const middle = cut % bytes.length
      expect(scan(bytes.subarray(0, middle), bytes.subarray(middle))).toEqual(scan(bytes))
    }),
    { numRuns: 2_000 },
  )
})

test('bytes at random are no reply', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => scan(bytes) === undefined),
    { numRuns: 1_000 },
  )
})
