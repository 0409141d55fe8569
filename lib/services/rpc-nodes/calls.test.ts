import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ApiError } from '@/lib/contract/errors'
import { MAX_RPC_BATCH_CALLS } from '@/lib/contract/limits'
import { networkOf } from '@/lib/contract/rpc-networks'
import {
  eachElement,
  eachMember,
  endOfValue,
  printCalls,
  type RpcRequest,
  readCalls,
  skipBlank,
} from '@/lib/services/rpc-nodes/calls'

const base = networkOf('base-mainnet')!
const starknet = networkOf('starknet-mainnet')!

const read = (text: string | Buffer, network = base): RpcRequest => readCalls(Buffer.from(text), network)

const sent = (text: string): string => printCalls(read(text)).toString()

function refusal(text: string | Buffer, network = base): ApiError {
  try {
    read(text, network)
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error('it was read')
}

test.each([
  // Without an id a node would not answer a single call.
  ['{"method":"eth_blockNumber"}', '{"jsonrpc":"2.0","id":null,"method":"eth_blockNumber"}'],
  [
    '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}',
    '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}',
  ],
  [
    ' {"params" : [ {"to": "0x0"} , "latest" ],\n"id":"a\\u0062\\"", "method":"eth_call"} \r\n',
    '{"jsonrpc":"2.0","id":"a\\u0062\\"","method":"eth_call","params":[ {"to": "0x0"} , "latest" ]}',
  ],
  [
    '{"method":"eth_getLogs","params":{"n":123456789012345678901234567890.10,"s":"\\ud800"},"id":-12345678901234567890}',
    '{"jsonrpc":"2.0","id":-12345678901234567890,"method":"eth_getLogs","params":{"n":123456789012345678901234567890.10,"s":"\\ud800"}}',
  ],
  ['{"method":"eth_chainId","params":null,"id":null}', '{"jsonrpc":"2.0","id":null,"method":"eth_chainId"}'],
  ['{"\\u006dethod":"eth\\u005fchainId","i\\u0064":1}', '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'],
  ['[{"method":"eth_chainId","id":1}]', '[{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}]'],
  [
    '[{"method":"eth_chainId","id":1},{"method":"net_version"}]',
    '[{"jsonrpc":"2.0","id":1,"method":"eth_chainId"},{"jsonrpc":"2.0","method":"net_version"}]',
  ],
  // A batch that asks for no reply at all would get an empty body, as from a node that is broken.
  [
    '[{"method":"eth_chainId"},{"method":"net_version"}]',
    '[{"jsonrpc":"2.0","id":null,"method":"eth_chainId"},{"jsonrpc":"2.0","id":null,"method":"net_version"}]',
  ],
])('%j reaches a node as %j', (text, expected) => {
  expect(sent(text)).toBe(expected)
})

test.each([
  [
    'another case',
    '{"method":"eth_chainId","id":1,"Method":"eth_sign","METHOD":"eth_accounts","Params":["0x"],"ID":2}',
  ],
  [
    'members nobody knows',
    '{"x":[{"method":"eth_sign"}],"method":"eth_chainId","id":1,"y":"\\",\\"method\\":\\"eth_sign"}',
  ],
  ['a prototype', '{"__proto__":{"method":"eth_sign"},"constructor":1,"method":"eth_chainId","id":1}'],
  ['a dotless i and a long s', '{"ıd":2,"paramſ":[1],"method":"eth_chainId","id":1}'],
  ['a name with a blank', '{"method ":"eth_sign","\\tmethod":"eth_sign","method":"eth_chainId","id":1}'],
  ['an empty name', '{"":"eth_sign","method":"eth_chainId","id":1}'],
])('%s does not reach a node', (_, text) => {
  expect(sent(text)).toBe('{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}')
})

test.each([
  ['method', '{"method":"eth_chainId","method":"eth_sign"}'],
  ['method', '{"method":"eth_chainId","m\\u0065thod":"eth_chainId"}'],
  ['params', '{"method":"eth_call","params":[],"params":[1]}'],
  ['params', '{"method":"eth_call","params":null,"params":[1]}'],
  ['id', '{"method":"eth_call","id":1,"\\u0069\\u0064":1}'],
  ['jsonrpc', '{"method":"eth_call","jsonrpc":"2.0","jsonrpc":"2.0"}'],
])('%s may not be given twice: %j', (name, text) => {
  expect(refusal(text)).toMatchObject({
    code: 'INVALID_REQUEST',
    issues: [{ path: [name], message: `"${name}" is given twice` }],
  })
  expect(refusal(`[{"method":"eth_chainId"},${text}]`).issues).toMatchObject([{ path: [1, name] }])
})

test.each([
  ['nothing', '', /empty/],
  ['blanks', ' \n', /not valid JSON/],
  ['half an object', '{"method":', /not valid JSON/],
  ['a mark before', '\ufeff{"method":"eth_chainId"}', /not valid JSON/],
  ['a comment', '{/**/"method":"eth_chainId"}', /not valid JSON/],
  ['a comma behind', '{"method":"eth_chainId",}', /not valid JSON/],
  ['not a number', '{"method":"eth_chainId","id":NaN}', /not valid JSON/],
  ['hex', '{"method":"eth_chainId","id":0x1}', /not valid JSON/],
  ['single quotes', "{'method':'eth_chainId'}", /not valid JSON/],
  ['a raw line break in a string', '{"method":"eth_chainId","id":"a\nb"}', /not valid JSON/],
  ['a raw zero', '{"method":"eth_chainId","id":"a\0b"}', /not valid JSON/],
  ['two objects', '{"method":"eth_chainId"}{"method":"eth_chainId"}', /not valid JSON/],
  ['broken params', '{"method":"eth_call","params":[1,]}', /not valid JSON/],
  ['a form', 'method=eth_chainId', /not valid JSON/],
  ['depth', `{"method":"eth_call","params":${'['.repeat(64)}${']'.repeat(64)}}`, /nested deeper/],
  ['values without end', `{"method":"eth_call","params":[${'1,'.repeat(200_001)}1]}`, /more than 200000 values/],
])('%s is a syntax error that says so', (_, text, message) => {
  expect(refusal(text)).toMatchObject({
    code: 'INVALID_REQUEST',
    status: 400,
    message: expect.stringMatching(message),
    issues: [{ code: 'invalid_json', path: [] }],
  })
})

test('bytes that are not UTF-8 never reach a node', () => {
  for (const bytes of [[0xff], [0xed, 0xa0, 0x80], [0xc0, 0xaf], [0xe2, 0x82]]) {
    const body = Buffer.concat([
      Buffer.from('{"method":"eth_call","params":["'),
      Buffer.from(bytes),
      Buffer.from('"]}'),
    ])
    expect(refusal(body).message).toMatch('UTF-8')
  }
  expect(refusal(Buffer.from('{"method":"eth_chainId"}', 'utf16le')).code).toBe('INVALID_REQUEST')
})

test.each([
  ['"eth_chainId"', [], /object/],
  ['1', [], /object/],
  ['null', [], /object/],
  ['{}', ['method'], /method/],
  ['{"method":null}', ['method'], /method/],
  ['{"method":1}', ['method'], /method/],
  ['{"method":["eth_chainId"]}', ['method'], /method/],
  ['{"Method":"eth_chainId"}', ['method'], /method/],
  ['{"method":"eth_chainId","jsonrpc":"1.0"}', ['jsonrpc'], /2\.0/],
  ['{"method":"eth_chainId","jsonrpc":2.0}', ['jsonrpc'], /2\.0/],
  ['{"method":"eth_chainId","jsonrpc":null}', ['jsonrpc'], /2\.0/],
  ['{"method":"eth_chainId","params":"x"}', ['params'], /array or an object/],
  ['{"method":"eth_chainId","params":1}', ['params'], /array or an object/],
  ['{"method":"eth_chainId","params":-1}', ['params'], /array or an object/],
  ['{"method":"eth_chainId","params":false}', ['params'], /array or an object/],
  ['{"method":"eth_chainId","id":1.5}', ['id'], /integer/],
  ['{"method":"eth_chainId","id":1e3}', ['id'], /integer/],
  ['{"method":"eth_chainId","id":true}', ['id'], /integer/],
  ['{"method":"eth_chainId","id":{}}', ['id'], /integer/],
  ['{"method":"eth_chainId","id":[1]}', ['id'], /integer/],
  [`{"method":"eth_chainId","id":"${'x'.repeat(257)}"}`, ['id'], /256/],
  [`{"method":"eth_chainId","id":${'1'.repeat(257)}}`, ['id'], /256/],
  ['[]', [], /empty/],
  ['[1]', [0], /object/],
  ['[[{"method":"eth_chainId"}]]', [0], /object/],
  ['[{"method":"eth_chainId"},null]', [1], /object/],
  ['[{"method":"eth_chainId"},{"id":1}]', [1, 'method'], /method/],
])('%j is refused, and says where', (text, path, message) => {
  expect(refusal(text)).toMatchObject({
    code: 'INVALID_REQUEST',
    status: 400,
    issues: [{ path, message: expect.stringMatching(message) }],
  })
})

test('every fault of a batch is listed at once', () => {
  const paths = refusal('[{"id":1.5},5,{"method":"eth_sign","params":1},{"method":"eth_chainId"}]').issues?.map(
    ({ path }) => path,
  )
  expect(paths).toEqual([[0, 'method'], [0, 'id'], [1], [2, 'params']])
})

test('an id of 256 characters passes, however long its spelling is', () => {
  const id = `"${'\\u0061'.repeat(256)}"`
  expect(read(`{"method":"eth_chainId","id":${id}}`).calls[0]?.id).toBe(id)
  expect(read(`{"method":"eth_chainId","id":"${'é'.repeat(256)}"}`).calls).toHaveLength(1)
})

test('100 calls pass, 101 do not, and neither does a batch that is only long', () => {
  const calls = (count: number) => `[${Array(count).fill('{"method":"eth_chainId","id":1}').join(', ')}]`
  expect(read(calls(MAX_RPC_BATCH_CALLS)).calls).toHaveLength(100)
  expect(refusal(calls(101))).toMatchObject({ code: 'INVALID_REQUEST', message: expect.stringMatching('at most 100') })
  expect(refusal(`[${'0,'.repeat(100_000)}0]`).message).toMatch('at most 100')
})

test('a batch with one method that is not offered is refused whole, and the message names every such method once', () => {
  const names = [
    'eth_call',
    'eth_sign',
    'eth_subscribe',
    'eth_sign',
    'eth_newFilter',
    'eth_accounts',
    'starknet_call',
    'x',
  ]
  const error = refusal(JSON.stringify(names.map((method, id) => ({ method, id }))))
  expect(error).toMatchObject({ code: 'UNSUPPORTED_RPC_METHOD', status: 400 })
  expect(error.message).toMatch(/^Not supported on base-mainnet: /)
  expect(error.message).toMatch(/eth_sign, eth_accounts \([^)]*sign locally/)
  expect(error.message).toMatch(/eth_subscribe \([^)]*poll/)
  expect(error.message).toMatch(/eth_newFilter \([^)]*eth_getLogs/)
  expect(error.message).toMatch(/starknet_call \([^)]*Starknet network/)
  expect(error.message).toMatch(/x \(unknown method\)/)
  expect(error.message.match(/eth_sign\b/g)).toHaveLength(1)
  expect(error.message).not.toMatch('eth_call')
  expect(error.issues?.map(({ path }) => path[0])).toEqual([1, 2, 3, 4, 5, 6, 7])
})

test('of a single call it is the same', () => {
  expect(refusal('{"method":"eth_call"}', starknet)).toMatchObject({
    code: 'UNSUPPORTED_RPC_METHOD',
    message: expect.stringMatching(/^Not supported on starknet-mainnet: eth_call \(.*EVM network\)\.$/),
    issues: [{ path: ['method'] }],
  })
  expect(read('{"method":"starknet_call"}', starknet).calls).toHaveLength(1)
})

test.each([
  '',
  ' eth_chainId',
  'eth_chainId ',
  'eth_chainId\u0000',
  'eth_chainId\n',
  'ETH_CHAINID',
  '__proto__',
  'toString',
])('the name %j is not that of a method', (method) => {
  expect(refusal(JSON.stringify({ method })).code).toBe('UNSUPPORTED_RPC_METHOD')
})

test('a name is repeated in short and without characters that do anything', () => {
  const error = refusal(JSON.stringify({ method: `<b>\u001b[31m\u202e${'x'.repeat(100_000)}` }))
  expect(error.message.length).toBeLessThan(200)
  expect(error.message).toMatch(/^[ -~…]+$/)
  const batch = Array.from({ length: 100 }, (_, index) => ({ method: `${index}${'\u0001'.repeat(9_000)}` }))
  expect(refusal(JSON.stringify(batch)).message.length).toBeLessThan(50_000)
})

test('names that are given thousands of times are told once', () => {
  const { issues } = refusal(`{${'"id":1,"method":"eth_sign",'.repeat(10_000)}"method":"eth_call"}`)
  expect(issues?.map(({ message }) => message)).toEqual(['"id" is given twice', '"method" is given twice'])
})

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
