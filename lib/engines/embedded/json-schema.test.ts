import { describe, expect, test } from 'vitest'
import { toGrammarSchema } from '@/lib/engines/embedded/json-schema'

describe('a JSON schema becomes one that grammars are made of', () => {
  test.each([
    [
      'a union by anyOf',
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
      { oneOf: [{ type: 'string' }, { type: 'null' }] },
    ],
    ['several scalar types', { type: ['string', 'null'] }, { type: ['string', 'null'] }],
    ['a nullable type', { type: 'integer', nullable: true }, { type: ['integer', 'null'] }],
    ['a constant', { const: 'a' }, { const: 'a' }],
    ['an enumeration', { type: 'string', enum: ['a', 'b'] }, { enum: ['a', 'b'] }],
    [
      'rules that grammars cannot say',
      { type: 'string', pattern: '^a', minLength: 2 },
      { type: 'string', minLength: 2 },
    ],
    ['an unknown format', { type: 'string', format: 'email' }, { type: 'string' }],
    ['a known format', { type: 'string', format: 'date' }, { type: 'string', format: 'date' }],
    ['a length beyond what is worth a rule', { type: 'string', maxLength: 100_000 }, { type: 'string' }],
    ['a free object', { type: 'object' }, { type: 'object', properties: {}, additionalProperties: true }],
    [
      'an object without its type',
      { properties: { a: { type: 'boolean' } } },
      { type: 'object', properties: { a: { type: 'boolean' } }, additionalProperties: false },
    ],
    [
      'schemas that all hold',
      { allOf: [{ type: 'object', properties: { a: { type: 'null' } } }, { properties: { b: { type: 'null' } } }] },
      { type: 'object', properties: { a: { type: 'null' }, b: { type: 'null' } }, additionalProperties: false },
    ],
    [
      'old-style definitions',
      { definitions: { X: { type: 'null' } }, $ref: '#/definitions/X' },
      { $ref: '#/$defs/X', $defs: { X: { type: 'null' } } },
    ],
  ])('%s', (_, schema, expected) => {
    expect(toGrammarSchema(schema)).toEqual(expected)
  })

  test('an object or null is a choice of the two', () => {
    expect(toGrammarSchema({ type: ['object', 'null'], properties: { a: { type: 'null' } } })).toMatchObject({
      oneOf: [{ type: 'object' }, { type: 'null' }],
    })
  })

  test('one that is too deep is refused', () => {
    let schema: Record<string, unknown> = { type: 'null' }
    for (let level = 0; level < 30; level++) schema = { type: 'array', items: schema }
    expect(() => toGrammarSchema(schema)).toThrow(expect.objectContaining({ reason: 'invalid-request' }))
  })

  test('one that is too wide is refused', () => {
    const properties = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`p${index}`, { type: 'null' }]))
    expect(() => toGrammarSchema({ type: 'object', properties })).toThrow(/too large/)
  })

  test('a reference out of the document is refused', () => {
    expect(() => toGrammarSchema({ $ref: 'https://schemas.example/x.json' })).toThrow(/only #\/\$defs\/NAME/)
  })
})
