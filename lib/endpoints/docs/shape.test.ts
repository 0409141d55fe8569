import { expect, test } from 'vitest'
import type { Shape } from '@/lib/contract/docs'
import type { JsonSchema } from '@/lib/endpoints/docs/openapi/components'
import { shapeOf } from '@/lib/endpoints/docs/shape'

const object = (properties: Record<string, JsonSchema>, required: string[] = []): JsonSchema => ({
  type: 'object',
  properties,
  required,
})
const line = ({ type, rules, choices, isNullable }: Shape): string =>
  [type, ...rules, ...choices, ...(isNullable ? ['or null'] : [])].join('; ')

test.each<[JsonSchema, string]>([
  [{ type: 'string' }, 'string'],
  [{ type: 'string', minLength: 1 }, 'string; not empty'],
  [{ type: 'string', minLength: 1, maxLength: 256 }, 'string; 1 to 256 characters'],
  [{ type: 'string', maxLength: 1 }, 'string; at most 1 character'],
  [{ type: 'string', format: 'date-time' }, 'string; ISO 8601 date and time'],
  [{ type: 'string', pattern: '^a$' }, 'string; matches `^a$`'],
  [{ type: 'number', minimum: 0, maximum: 2 }, 'number; 0 to 2'],
  [{ type: 'integer', minimum: 1 }, 'integer; at least 1'],
  [{ type: 'number', exclusiveMinimum: 0, maximum: 20 }, 'number; more than 0, at most 20'],
  [{ type: 'integer', maximum: 1_000_000 }, 'integer; at most 1,000,000'],
  [{ type: ['boolean', 'null'] }, 'boolean; or null'],
  [{ anyOf: [{ type: 'number', minimum: 0 }, { type: 'null' }] }, 'number; at least 0; or null'],
  [{ enum: ['a', 'b'] }, 'string; "a"; "b"'],
  [{ const: 1 }, 'number; 1'],
  [{ anyOf: [{ enum: ['on'] }, { type: 'boolean' }] }, 'string or boolean; "on"'],
  [
    { type: 'array', items: { type: 'string', minLength: 1 }, maxItems: 4 },
    'array of strings; at most 4 items; each not empty',
  ],
  [{ type: 'object', additionalProperties: { type: 'number' } }, 'object of numbers by name'],
  [{}, 'any value'],
  [{ type: 'null' }, 'null'],
])('%j is %s', (schema, words) => {
  expect(line(shapeOf(schema, {}))).toBe(words)
})

test('fields say whether they are needed, what they mean and what they are unless set', () => {
  const schema = object(
    { size: { type: 'integer', default: 2, description: 'How large.' }, name: { type: 'string' } },
    ['name'],
  )
  expect(shapeOf(schema, {}).fields).toMatchObject([
    { name: 'size', isRequired: false, about: 'How large.', initial: '2' },
    { name: 'name', isRequired: true },
  ])
})

test('one of a thing, or a list of such things, has its fields once', () => {
  const call = object({ method: { type: 'string' } })
  const { type, fields, forms } = shapeOf({ anyOf: [call, { type: 'array', items: call }] }, {})
  expect([type, fields.map(({ name }) => name), forms]).toEqual(['object or array of objects', ['method'], []])
})

test('forms are told by a fixed value, else by fields that only they need', () => {
  const labels = (schema: JsonSchema) => shapeOf(schema, {}).forms.map(({ label }) => label)
  const text = object({ type: { const: 'text' }, text: { type: 'string' } }, ['type', 'text'])
  const file = object({ type: { const: 'file' }, data: { type: 'string' } }, ['type', 'data'])
  expect(labels({ oneOf: [text, file] })).toEqual(['type: "text"', 'type: "file"'])
  const named = object({ type: { const: 'tool' }, name: { type: 'string' } }, ['type', 'name'])
  const inner = object({ type: { const: 'tool' }, tool: { type: 'string' } }, ['type', 'tool'])
  expect(labels({ anyOf: [named, inner, { type: 'string' }] })).toEqual(['with name', 'with tool'])
})

test('a component that has a place of its own is named, one that holds itself is not written out again', () => {
  const components = {
    Model: object({ id: { type: 'string' } }),
    Tree: object({ below: { $ref: '#/components/schemas/Tree' } }),
  }
  const list: JsonSchema = { type: 'array', items: { $ref: '#/components/schemas/Model' } }
  expect(shapeOf(list, components, () => true)).toMatchObject({
    type: 'array of Model',
    component: 'Model',
    fields: [],
  })
  expect(shapeOf(list, components)).toMatchObject({ type: 'array of objects', fields: [{ name: 'id' }] })
  expect(shapeOf({ $ref: '#/components/schemas/Tree' }, components).fields).toMatchObject([
    { name: 'below', component: 'Tree', fields: [] },
  ])
})
