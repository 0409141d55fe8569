import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ApiError } from '@/lib/contract/errors'
import { METHOD_GROUPS, offerOf } from '@/lib/contract/rpc-methods'
import { networkOf } from '@/lib/contract/rpc-networks'
import { printCalls, type RpcRequest, readCalls } from '@/lib/services/rpc-nodes/calls'

const base = networkOf('base-mainnet')!
const methods = METHOD_GROUPS.filter(({ family }) => family === 'evm').flatMap((group) => group.methods)

/** JSON with numbers as they are written: a double would forget the last digits. */
function exact(text: string): unknown {
  const keep = (_: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' ? { number: context?.source } : value
  return JSON.parse(text, keep)
}

function spelled(text: string, escapes: readonly boolean[]): string {
  const parts = Array.from({ length: text.length }, (_, index) =>
    escapes[index % escapes.length]
      ? `\\u${text.charCodeAt(index).toString(16).padStart(4, '0')}`
      : JSON.stringify(text[index]).slice(1, -1),
  )
  return `"${parts.join('')}"`
}

const spelling = fc.array(fc.boolean(), { minLength: 1, maxLength: 8 })
const blank = fc.constantFrom('', '', '', ' ', '\n', '\t', '\r\n  ')
const number = fc.oneof(
  fc.integer().map(String),
  fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }).map(String),
  fc.constantFrom('-0', '1e400', '0.1000000000000000055511151231257827', '1E+2'),
)
const text = fc.tuple(fc.string({ unit: 'binary', maxLength: 20 }), spelling).map(([value, by]) => spelled(value, by))

const { value: anyJson } = fc.letrec<{ value: string; list: string; object: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    number,
    text,
    fc.constantFrom('null', 'true', 'false', '"]}"', '"\\\\"', '"\\""'),
    tie('list'),
    tie('object'),
  ),
  list: fc
    .tuple(fc.array(tie('value'), { maxLength: 4 }), blank)
    .map(([items, space]) => `[${space}${items.join(`${space},`)}${space}]`),
  object: fc
    .tuple(
      fc.uniqueArray(fc.tuple(text, tie('value')), { maxLength: 4, selector: ([name]) => JSON.parse(name) }),
      blank,
    )
    .map(([members, space]) => `{${space}${members.map((member) => member.join(`${space}:${space}`)).join(',')}}`),
}))

const nested = anyJson.filter((json) => /^[[{]/.test(json))
const id = fc.oneof(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map(String), text, fc.constant('null'))
const strange = fc.oneof(
  fc.constantFrom(
    'Method',
    'METHOD',
    'Params',
    'ID',
    'Id',
    '__proto__',
    'constructor',
    '',
    'method ',
    'ıd',
    'paramſ',
    'm\0',
  ),
  fc.string(),
)
const unknown = fc
  .tuple(strange, spelling, anyJson)
  .filter(([name]) => !['method', 'params', 'id', 'jsonrpc'].includes(name))
  .map(([name, by, json]): [string, string] => [spelled(name, by), json])

type Sample = { method: string; params?: string; id?: string; text: string }

const anyCall: fc.Arbitrary<Sample> = fc
  .record(
    { method: fc.constantFrom(...methods), params: nested, id, unknown: fc.array(unknown, { maxLength: 3 }) },
    { requiredKeys: ['method', 'unknown'] },
  )
  .chain((call) =>
    fc
      .tuple(spelling, blank, fc.boolean(), fc.array(fc.nat(), { minLength: 8, maxLength: 8 }))
      .map(([by, space, hasVersion, order]) => {
        const members: [string, string][] = [[spelled('method', by), spelled(call.method, by)], ...call.unknown]
        if (call.params !== undefined) members.push([spelled('params', by), call.params])
        if (call.id !== undefined) members.push([spelled('id', by), call.id])
        if (hasVersion) members.push([spelled('jsonrpc', by), spelled('2.0', by)])
        const sorted = members.map((member, index) => ({ member, rank: order[index]! })).sort((a, b) => a.rank - b.rank)
        const inner = sorted.map(({ member }) => member.join(`${space}:${space}`)).join(`${space},${space}`)
        return { ...call, text: `${space}{${space}${inner}${space}}${space}` }
      }),
  )

const read = (bytes: string | Uint8Array): RpcRequest => readCalls(Buffer.from(bytes as string), base)

function attempt(bytes: string | Uint8Array): RpcRequest | undefined {
  try {
    return read(bytes)
  } catch (error) {
    if (error instanceof ApiError && error.status === 400 && error.message.length > 0) return undefined
    throw error
  }
}

function assertHarmless(request: RpcRequest): void {
  const items = [exact(printCalls(request).toString())].flat() as Record<string, unknown>[]
  expect(items.length).toBe(request.calls.length)
  for (const [index, item] of items.entries()) {
    const { method, params, id } = request.calls[index]!
    expect(offerOf('evm', method).isOffered).toBe(true)
    expect(Object.keys(item).join()).toMatch(/^jsonrpc(,id)?,method(,params)?$/)
    expect(item.method).toBe(method)
    if (params !== undefined) expect(item.params).toEqual(exact(params))
    if (id !== undefined) expect(item.id).toEqual(exact(id))
  }
}

test('a node gets the method, the params and the id that were sent, to the last digit', () => {
  fc.assert(
    fc.property(fc.oneof(anyCall, fc.array(anyCall, { minLength: 1, maxLength: 6 })), (sample) => {
      const samples = [sample].flat()
      const body = Array.isArray(sample) ? `[${samples.map((call) => call.text).join(',')}]` : sample.text
      const request = read(body)
      expect(request.isBatch).toBe(Array.isArray(sample))
      expect(request.calls).toEqual(
        samples.map(({ method, params, id }) => ({
          method,
          ...(params !== undefined && { params }),
          ...(id !== undefined && { id }),
        })),
      )
      const printed = [exact(printCalls(request).toString())].flat()
      const isSilent = samples.every((call) => call.id === undefined)
      expect(printed).toEqual(
        samples.map(({ method, params, id }) => ({
          jsonrpc: '2.0',
          method,
          ...(params !== undefined && { params: exact(params) }),
          ...(id !== undefined ? { id: exact(id) } : isSilent && { id: null }),
        })),
      )
    }),
    { numRuns: 1_500 },
  )
})

test('what is read once reads the same again from what is printed', () => {
  fc.assert(
    fc.property(fc.array(anyCall, { minLength: 1, maxLength: 4 }), (samples) => {
      const printed = printCalls(read(`[${samples.map((call) => call.text).join(',')}]`))
      expect(printCalls(read(printed)).equals(printed)).toBe(true)
    }),
    { numRuns: 500 },
  )
})

test('no damage to a body gets anything through but harmless calls', () => {
  const damage = fc.tuple(fc.constantFrom('flip', 'cut', 'insert', 'repeat'), fc.nat(), fc.nat({ max: 255 }))
  let read = 0
  fc.assert(
    fc.property(
      fc.array(anyCall, { minLength: 1, maxLength: 3 }),
      fc.array(damage, { minLength: 1, maxLength: 4 }),
      (samples, faults) => {
        let bytes: Buffer = Buffer.from(
          samples.length === 1 ? samples[0]!.text : `[${samples.map((call) => call.text).join(',')}]`,
        )
        for (const [kind, place, byte] of faults) {
          const at = place % (bytes.length + 1)
          const [head, tail] = [bytes.subarray(0, at), bytes.subarray(at)]
          if (kind === 'flip') bytes = Buffer.concat([head, Buffer.of(byte), tail.subarray(1)])
          if (kind === 'cut') bytes = Buffer.concat([head, tail.subarray(byte % 16)])
          if (kind === 'insert') bytes = Buffer.concat([head, Buffer.of(byte), tail])
          if (kind === 'repeat') bytes = Buffer.concat([head, tail.subarray(0, byte % 64), tail])
        }
        const request = attempt(bytes)
        if (!request) return
        read++
        assertHarmless(request)
      },
    ),
    { numRuns: 4_000 },
  )
  expect(read).toBeGreaterThan(50)
})

test('neither do values of every kind in every place', () => {
  const anything = fc.oneof(anyJson, fc.constantFrom('"eth_chainId"', '"eth_sign"', '"2.0"', '[]', '{}', '1', 'null'))
  const name = fc.oneof(fc.constantFrom('method', 'params', 'id', 'jsonrpc'), strange)
  const item = fc
    .array(fc.tuple(name, spelling, anything), { maxLength: 5 })
    .map((members) => `{${members.map(([key, by, value]) => `${spelled(key, by)}:${value}`).join(',')}}`)
  const likely = fc
    .tuple(item, fc.boolean())
    .map(([json, isLikely]) =>
      isLikely ? json.replace('{', json === '{}' ? '{"method":"eth_call"' : '{"method":"eth_call",') : json,
    )
  const body = fc.oneof(
    likely,
    anyJson,
    fc.array(likely, { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
  )
  let read = 0
  fc.assert(
    fc.property(body, (text) => {
      const request = attempt(text)
      if (!request) return
      read++
      assertHarmless(request)
    }),
    { numRuns: 3_000 },
  )
  expect(read).toBeGreaterThan(50)
})

test('bytes and text at random are the caller’s fault', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => attempt(bytes) === undefined),
    { numRuns: 1_000 },
  )
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => attempt(text) === undefined),
    { numRuns: 1_000 },
  )
})
