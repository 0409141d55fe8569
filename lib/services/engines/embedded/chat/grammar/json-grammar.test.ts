import { getLlama, type Llama, LlamaLogLevel } from 'node-llama-cpp'
import { beforeAll, describe, expect, test } from 'vitest'
import { assertGrammar } from '@/lib/services/engines/embedded/chat/grammar/check-grammar'
import { callGrammarOf, grammarOf } from '@/lib/services/engines/embedded/chat/grammar/json-grammar'

let llama: Llama
beforeAll(async () => {
  llama = await getLlama({ gpu: false, build: 'never', logLevel: LlamaLogLevel.disabled, maxThreads: 1 })
})

async function lets(grammar: string, text: string): Promise<boolean> {
  assertGrammar(grammar)
  const made = (await llama.createGrammar({ grammar })) as unknown as { _testText(text: string): boolean }
  return made._testText(text)
}

async function expectSchema(schema: unknown, good: unknown[], bad: unknown[]) {
  const grammar = grammarOf(schema, true)
  for (const value of good) {
    expect([value, await lets(grammar, JSON.stringify(value))]).toEqual([value, true])
    expect([value, await lets(grammar, JSON.stringify(value, null, 2))]).toEqual([value, true])
  }
  for (const value of bad) expect([value, await lets(grammar, JSON.stringify(value))]).toEqual([value, false])
}

const text = { type: 'string' }
const person = { type: 'object', properties: { name: text, age: { type: 'integer' } }, required: ['name'] }

describe('a JSON schema lets through what fits it, and nothing else', () => {
  test.each<[string, unknown, unknown[], unknown[]]>([
    ['text', text, ['', 'Größe "x" \\ \n 日本 🦄'], [1, null, ['a']]],
    ['whole numbers', { type: 'integer' }, [0, -7, 120], [1.5, '1', true]],
    ['numbers', { type: 'number' }, [0, -7.25, 1e21], ['1', null]],
    ['booleans and null', { type: ['boolean', 'null'] }, [true, false, null], ['true', 0]],
    ['a nullable type', { ...text, nullable: true }, ['a', null], [1]],
    ['a constant of any kind', { const: { a: [1, 'x'] } }, [], [{ a: [1] }]],
    ['an enumeration', { enum: ['yes', 'no', 3, null] }, ['yes', 'no', 3, null], ['maybe', 4]],
    ['names that are more than letters', { enum: ['a"b\\c\n', 'ü\u2028'] }, ['a"b\\c\n', 'ü\u2028'], ['a']],
    ['lengths', { ...text, minLength: 2, maxLength: 3 }, ['ab', '日本語'], ['a', 'abcd']],
    ['dates', { ...text, format: 'date' }, ['2026-07-18'], ['2026-13-01', 'today']],
    ['moments', { ...text, format: 'date-time' }, ['2026-07-18T09:30:00Z'], ['2026-07-18']],
    ['a format that nobody checks', { ...text, format: 'email' }, ['a@b.example'], [1]],
    [
      'bounds of whole numbers',
      { type: 'integer', minimum: -12, maximum: 305 },
      [-12, -1, 0, 9, 99, 305],
      [-13, 306, 1000],
    ],
    ['a bound that excludes itself', { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 5 }, [1, 4], [0, 5]],
    ['an open bound', { type: 'integer', minimum: 18 }, [18, 19, 100, 5_000], [0, 17, -18]],
    ['bounds of numbers', { type: 'number', minimum: 0, maximum: 1 }, [0, 0.25, 1], [-0.5, 1.5, 2]],
    ['bounds below zero', { type: 'number', minimum: -2, maximum: 2 }, [-2, -1.5, -0.5, 0.5, 1.99, 2], [-2.5, 2.5]],
    ['a list', { type: 'array', items: { type: 'integer' } }, [[], [1], [1, 2, 3]], [['a'], {}, 1]],
    [
      'a list of so many',
      { type: 'array', items: text, minItems: 1, maxItems: 2 },
      [['a'], ['a', 'b']],
      [[], ['a', 'b', 'c']],
    ],
    ['an empty list', { type: 'array', maxItems: 0 }, [[]], [[1]]],
    ['a list of anything', { type: 'array' }, [[], [1, 'a', { b: [null] }]], [1]],
    [
      'a tuple',
      { type: 'array', prefixItems: [text, { type: 'integer' }], items: false },
      [['a', 1]],
      [
        [1, 'a'],
        ['a', 1, 2],
      ],
    ],
    [
      'a tuple and more',
      { type: 'array', prefixItems: [text], items: { type: 'null' } },
      [['a'], ['a', null]],
      [['a', 1]],
    ],
    ['an object', person, [{ name: 'a', age: 1 }], [{}, { age: 1 }, { name: 1 }, { name: 'a', other: 1 }]],
    [
      'properties that may be missing, which are written all the same',
      { type: 'object', properties: { a: { type: 'null' }, b: { type: 'null' } }, required: ['b'] },
      [{ a: null, b: null }],
      [{}, { b: null }, { a: null, b: null, c: null }],
    ],
    ['an object without its type', { properties: { a: text }, required: ['a'] }, [{ a: '' }], [{}, 'a']],
    ['a free object', { type: 'object' }, [{}, { a: 1, b: { c: ['x'] } }], [[], 1]],
    ['a closed object', { type: 'object', additionalProperties: false }, [{}], [{ a: 1 }]],
    [
      'a map',
      { type: 'object', additionalProperties: { type: 'integer' } },
      [{}, { any: 1, key_2: 2 }],
      [{ any: 'a' }],
    ],
    [
      'properties and others beside them, which never stand for those',
      { ...person, additionalProperties: { type: 'boolean' } },
      [
        { name: 'a', age: 1, n: true },
        { name: 'a', age: 1, names: true, ag: false, x: true },
      ],
      [
        { name: 'a', age: 1, x: 1 },
        { name: 'a', age: 1, name_: 'a' },
      ],
    ],
    ['a required property of any kind', { type: 'object', required: ['a'] }, [{ a: 1 }, { a: [{}] }], [{}]],
    [
      'what is nested',
      { type: 'array', items: { ...person, properties: { name: text, age: { type: 'array', items: person } } } },
      [[{ name: 'a', age: [{ name: 'b', age: 2 }] }]],
      [[{ name: 'a', age: 1 }]],
    ],
    ['one of several', { anyOf: [person, { type: 'null' }, { const: 7 }] }, [{ name: 'a', age: 1 }, null, 7], [8, {}]],
    [
      'several and what they share',
      { type: 'object', properties: { a: text }, anyOf: [{ properties: { b: text } }, { properties: { c: text } }] },
      [
        { a: '', b: '' },
        { a: '', c: '' },
      ],
      [{ a: '' }, { b: '' }, { a: '', b: '', c: '' }],
    ],
    [
      'all of several',
      { allOf: [person, { properties: { x: { type: 'null' } }, required: ['x'] }] },
      [{ name: 'a', age: 1, x: null }],
      [{ name: 'a', age: 1 }, { x: null }],
    ],
    [
      'a reference',
      { $defs: { P: person }, type: 'array', items: { $ref: '#/$defs/P', description: 'who' } },
      [[{ name: 'a', age: 1 }]],
      [[{}]],
    ],
    [
      'a reference and more',
      { $defs: { P: person }, $ref: '#/$defs/P', required: ['age'] },
      [{ name: 'a', age: 1 }],
      [{ name: 'a' }],
    ],
    [
      'old-style definitions',
      { definitions: { 'a/b c': { type: 'null' } }, $ref: '#/definitions/a~1b%20c' },
      [null],
      [1],
    ],
    [
      'a tree, which may end',
      {
        type: 'object',
        properties: { value: { type: 'integer' }, next: { $ref: '#' }, all: { type: 'array', items: { $ref: '#' } } },
        required: ['value'],
      },
      [{ value: 1 }, { value: 1, next: { value: 2, all: [{ value: 3 }] } }],
      [{ value: 1, next: 2 }, { next: { value: 1 } }],
    ],
    ['anything', true, [1, 'a', null, [{}], { a: { b: [] } }], []],
  ])('%s', async (_, schema, good, bad) => {
    await expectSchema(schema, good, bad)
  })

  test('another of a name that it has is never written', async () => {
    const grammar = grammarOf({ ...person, additionalProperties: { type: 'boolean' } }, true)
    expect(await lets(grammar, '{"name":"a","age":1,"name":true}')).toBe(false)
    expect(await lets(grammar, '{"name":"a","age":1,"na\\u006de":true}')).toBe(false)
  })

  test('a constant is written one way', async () => {
    expect(await lets(grammarOf({ const: { a: [1, 'x'] } }, true), '{"a":[1,"x"]}')).toBe(true)
  })

  test('an answer is JSON and nothing after it, or half of it', async () => {
    const grammar = grammarOf(person, true)
    for (const bad of [
      '',
      '{',
      '{"name":"a"',
      '{"name":"a"} ',
      'x{"name":"a"}',
      '{"name":"a",}',
      '{"name":"a\n"}',
      '{"name":"\\ud800"}',
    ]) {
      expect([bad, await lets(grammar, bad)]).toEqual([bad, false])
    }
  })
})

describe('bounds of numbers', () => {
  test('hold for each number around them', async () => {
    for (const [minimum, maximum] of [
      [0, 0],
      [7, 7],
      [-3, 12],
      [95, 1_204],
      [-120, -18],
      [1_000, 1_000],
    ] as const) {
      const grammar = grammarOf({ type: 'integer', minimum, maximum }, true)
      for (const value of [minimum - 1, minimum, minimum + 1, 0, 10, 99, 100, 999, maximum - 1, maximum, maximum + 1]) {
        expect([value, await lets(grammar, String(value))]).toEqual([value, value >= minimum && value <= maximum])
      }
    }
  })
})

describe('a schema that cannot be followed is refused, with its place', () => {
  const nested = (schema: unknown) => ({ type: 'object', properties: { list: { type: 'array', items: schema } } })
  test.each([
    ['a pattern', { type: 'string', pattern: '^a' }, '#/properties/list/items/pattern'],
    ['a negation', { not: { type: 'string' } }, '#/properties/list/items/not'],
    ['a condition', { if: {}, else: {} }, '#/properties/list/items/if'],
    ['patterns of names', { patternProperties: {} }, '#/properties/list/items/patternProperties'],
    ['an unknown type', { type: 'date' }, '#/properties/list/items/type'],
    ['an empty enumeration', { enum: [] }, '#/properties/list/items/enum'],
    ['an empty choice', { anyOf: [] }, '#/properties/list/items/anyOf'],
    ['nothing at all', { anyOf: [false] }, '#/properties/list/items/anyOf/0'],
    ['a schema that is none', { anyOf: ['string'] }, '#/properties/list/items/anyOf/0'],
    ['bounds that cross', { type: 'integer', minimum: 5, maximum: 4 }, '#/properties/list/items'],
    ['lengths that cross', { type: 'string', minLength: 5, maxLength: 4 }, '#/properties/list/items'],
    ['too long a list', { type: 'array', minItems: 1e6 }, '#/properties/list/items'],
    [
      'two schemas that never both hold',
      { allOf: [{ type: 'string' }, { type: 'null' }] },
      '#/properties/list/items/type',
    ],
    ['a reference to nowhere', { $ref: '#/$defs/nobody' }, '#/properties/list/items/$ref'],
    ['a reference out of the document', { $ref: 'https://schemas.example/x.json' }, '#/properties/list/items/$ref'],
    ['a reference to what all objects have', { $ref: '#/constructor' }, '#/properties/list/items/$ref'],
    [
      'a required property that is forbidden',
      { required: ['a'], additionalProperties: false },
      '#/properties/list/items/required',
    ],
  ])('%s', (_, schema, place) => {
    const refusal = expect.objectContaining({
      reason: 'invalid-request',
      message: expect.stringContaining(`${place} `),
    })
    expect(() => grammarOf(nested(schema), true)).toThrow(refusal)
  })

  test('one that never ends, is too deep, too wide or too long', () => {
    const loop = { $defs: { A: { $ref: '#/$defs/A', title: 'x', type: 'object' } }, $ref: '#/$defs/A', type: 'object' }
    expect(() => grammarOf(loop, false)).toThrow(/refers to itself without end/)
    let deep: object = { type: 'null' }
    for (let level = 0; level < 30; level++) deep = { type: 'array', items: deep }
    expect(() => grammarOf(deep, false)).toThrow(/too large/)
    const properties = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`p${index}`, { type: 'null' }]))
    expect(() => grammarOf({ type: 'object', properties }, false)).toThrow(/too large/)
    expect(() => grammarOf({ enum: ['x'.repeat(300_000)] }, false)).toThrow(/too large/)
  })

  test('but for rules about content, which a schema that is not strict may have', async () => {
    const loose = { type: 'array', uniqueItems: true, items: { type: 'string', pattern: '^a' } }
    expect(await lets(grammarOf(loose, false), '["a","b"]')).toBe(true)
    expect(() => grammarOf(loose, true)).toThrow(/uniqueItems is a rule/)
  })

  test('in words that do not repeat what is hostile in it', () => {
    const properties = { [`a\r\nx: y\u2028${'z'.repeat(1_000)}`]: { not: {} } }
    expect(() => grammarOf({ type: 'object', properties }, true)).toThrow(/^[^\r\n\u2028]{1,250}$/)
  })
})

describe('a call', () => {
  const tools = [
    {
      name: 'get_"weather"',
      parameters: { type: 'object', properties: { city: text }, required: ['city'] },
      isStrict: false,
    },
    { name: 'stop', isStrict: false },
    { name: 'any', parameters: {}, isStrict: false },
  ]
  test.each([
    [{ name: 'get_"weather"', arguments: { city: 'Paris' } }, true],
    [{ name: 'stop', arguments: {} }, true],
    [{ name: 'any', arguments: { a: 1 } }, true],
    [{ name: 'any', arguments: 1 }, false],
    [{ name: 'get_"weather"', arguments: {} }, false],
    [{ name: 'stop', arguments: { city: 'Paris' } }, false],
    [{ name: 'other', arguments: {} }, false],
  ])('%j: %j', async (call, isLet) => {
    expect(await lets(callGrammarOf(tools), JSON.stringify(call))).toBe(isLet)
  })
})
