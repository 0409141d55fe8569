import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { applyOverlay, makeSpec, RPC_FAMILIES, specFile } from '@/scripts/tools/rpc-specs'

test.each(RPC_FAMILIES)('the document of %s is what `npm run rpc-methods` makes', async (family) => {
  expect(await readFile(specFile(family), 'utf8')).toBe(await makeSpec(process.cwd(), family))
})

const base = {
  methods: [
    {
      name: 'one',
      params: [{ name: 'First', required: true, schema: { $ref: '#/components/schemas/Call' } }],
      result: { schema: { type: 'integer' } },
    },
    { name: 'two', params: [], result: {} },
  ],
  components: {
    schemas: {
      Call: {
        type: 'object',
        properties: { to: { type: 'string' }, gas: { type: 'string' } },
        required: ['to', 'gas'],
      },
      Unused: { type: 'string' },
    },
  },
}
const info = { title: 'Test', version: '1.0.0' }

test('an overlay chooses methods and fields, and keeps what the package says of them', () => {
  const { methods, components } = applyOverlay(base, {
    info,
    methods: { one: { params: [{ summary: 'Call' }], result: { description: 'A count.' } } },
    components: { schemas: { Call: { properties: { gas: { title: 'Gas' } } } } },
  })
  expect(methods).toEqual([
    {
      name: 'one',
      params: [{ name: 'First', summary: 'Call', required: true, schema: { $ref: '#/components/schemas/Call' } }],
      result: { description: 'A count.', schema: { type: 'integer' } },
    },
  ])
  expect(components.schemas).toEqual({
    Call: { type: 'object', properties: { gas: { type: 'string', title: 'Gas' } }, required: ['gas'] },
  })
})

test('a schema of the overlay that says what a value is takes the place of the package’s', () => {
  const result = { schema: { title: 'Count', type: 'string' } }
  const { methods } = applyOverlay(base, { info, methods: { one: { result } }, components: { schemas: {} } })
  expect(methods[0]?.result).toEqual(result)
})

test('a schema that nobody describes is told by name', () => {
  const overlay = {
    info,
    methods: { three: { result: { schema: { $ref: '#/components/schemas/Missing' } } } },
    components: { schemas: {} },
  }
  expect(() => applyOverlay(base, overlay)).toThrow('Missing')
})

test('methods share parameters and results by reference', () => {
  const ref = (name: string) => ({ $ref: `#/components/contentDescriptors/${name}` })
  const count = { name: 'count', schema: { type: 'integer' } }
  const schemas = {}
  const overlay = { info, methods: { three: { params: [ref('Count')], result: ref('Count') } } }
  const { methods } = applyOverlay(base, { ...overlay, components: { contentDescriptors: { Count: count }, schemas } })
  expect(methods).toEqual([{ name: 'three', params: [count], result: count }])
  expect(() => applyOverlay(base, { ...overlay, components: { schemas } })).toThrow('Count')
})
