import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type BlockType,
  blockOf,
  blockText,
  canShow,
  paramText,
  readText,
  type TextType,
  unitFor,
  unitsOf,
} from '@/components/rpc/form/text-to-value'
import { emptyOf, paramAt, printJson, readParams, withField, withParam } from '@/components/rpc/form/value'
import { checkParams } from '@/components/rpc/methods/check-params'
import { anyOf, EVM_DOCS, paramsOf, STARKNET_DOCS } from '@/components/rpc/methods/testing'
import { type MethodDoc, type Type, variantOf } from '@/components/rpc/methods/types'
import { isRecord } from '@/lib/browser/api'

const docs = [...EVM_DOCS.values(), ...STARKNET_DOCS.values()].filter(({ params }) => params.length > 0)
const cases = docs.map((doc) => [doc.method, doc] as const)
const units = unitsOf('ETH')
const RUNS = { numRuns: 12 }

const TEXT_KINDS: readonly Type['kind'][] = ['address', 'hash', 'data', 'quantity', 'number', 'text', 'felt']
const isTextType = (type: Type): type is TextType => TEXT_KINDS.includes(type.kind)
const isBlockType = (type: Type): type is BlockType => type.kind === 'block' || type.kind === 'blockId'

function retyped(type: Type, value: unknown): unknown {
  if (value === undefined || value === null || !canShow(type, value)) return value
  if (isTextType(type)) {
    const unit = unitFor(value, units, units[2]!)
    const by = type.kind === 'quantity' && type.unit ? unit : undefined
    return readText(type, paramText(type, value, by)!, by)
  }
  if (isBlockType(type)) return blockOf(type, blockText(type, value)!, value)
  if (type.kind === 'union') return retyped(variantOf(type.variants, value)!.type, value)
  if (type.kind === 'list' && Array.isArray(value)) {
    return value.map((entry) => retyped(type.of, entry) ?? null)
  }
  if (type.kind === 'object' && isRecord(value)) {
    return type.fields
      .filter(({ name }) => Object.hasOwn(value, name))
      .reduce((object, field) => withField(object, field.name, retyped(field.type, value[field.name])), value)
  }
  if (type.kind === 'map' && isRecord(value)) {
    return Object.keys(value).reduce((object, key) => withField(object, key, retyped(type.value, value[key])), value)
  }
  return value
}

const retypedParams = (doc: MethodDoc, params: unknown): unknown =>
  doc.params.reduce((all, param, index) => {
    const value = paramAt(doc, params, index)
    return value === undefined ? all : withParam(doc, all, index, retyped(param.type, value))
  }, params)

describe('the form and the JSON', () => {
  test.each(cases)('of %s are the same value, whichever is written', (_, doc) => {
    fc.assert(
      fc.property(paramsOf(doc), (params) => {
        const fromJson = readParams(printJson(params)!)
        expect(fromJson).toEqual({ value: params })
        expect(retypedParams(doc, params)).toEqual(params)
        expect(JSON.stringify(retypedParams(doc, params))).toBe(JSON.stringify(params))
      }),
      RUNS,
    )
  })

  test.each(cases)('of %s keep everything else when one parameter changes', (_, doc) => {
    fc.assert(
      fc.property(paramsOf(doc), fc.nat(doc.params.length - 1), fc.jsonValue(), (params, index, value) => {
        const next = withParam(doc, params, index, value)
        expect(paramAt(doc, next, index)).toEqual(value)
        for (let other = 0; other < doc.params.length; other += 1) {
          const before = paramAt(doc, params, other)
          if (other !== index && before !== undefined) expect(paramAt(doc, next, other)).toBe(before)
        }
      }),
      RUNS,
    )
  })

  test('keep what the form has no field for, whatever it is', () => {
    const extras = fc.dictionary(fc.string({ minLength: 30, maxLength: 40 }), fc.jsonValue(), { noNullPrototype: true })
    fc.assert(
      fc.property(fc.constantFrom(...docs), extras, fc.array(fc.jsonValue()), (doc, fields, entries) => {
        const list = [...doc.params.map(() => fields), ...entries]
        const next = withParam(doc, list, 0, 'changed') as unknown[]
        expect(next.slice(1)).toEqual(list.slice(1))
        expect(withField(withField(fields, 'new', 1), 'new', undefined)).toEqual(fields)
      }),
    )
  })

  test.each(cases)('of %s: what it accepts is what a generator of its types makes', (_, doc) => {
    fc.assert(
      fc.property(paramsOf(doc), (params) => {
        const problems = checkParams(doc, params).filter(({ severity }) => severity === 'error')
        // Rules that tie fields together are not the generator's business.
        expect(
          problems.filter(({ message }) => !/not both|combined|same field|before the start|ascending/.test(message)),
        ).toEqual([])
      }),
      { numRuns: 5 },
    )
  })
})

describe('one entry', () => {
  test('that is left out in the middle is what the node would take', () => {
    const call = EVM_DOCS.get('eth_call')!
    expect(withParam(call, [{}], 2, {})).toEqual([{}, 'latest', {}])
    expect(withParam(call, [{}, 'latest', {}], 2, undefined)).toEqual([{}, 'latest'])
    expect(withParam(call, [{}, 'latest', {}], 1, undefined)).toEqual([{}, null, {}])
  })

  test('called __proto__ is a field like any other', () => {
    const object = JSON.parse('{"__proto__":{"a":1},"b":2}') as Record<string, unknown>
    const next = withField(object, 'b', 3)
    expect(JSON.stringify(next)).toBe('{"__proto__":{"a":1},"b":3}')
    expect(JSON.stringify(withField(next, '__proto__', undefined))).toBe('{"b":3}')
    expect(JSON.stringify(withField({}, '__proto__', 1))).toBe('{"__proto__":1}')
    expect(({} as Record<string, unknown>).a).toBeUndefined()
  })
})

test('what a field begins with when it is added can be shown by its control', () => {
  for (const type of docs.flatMap(({ params }) => params.map(({ type }) => type))) {
    const isFree = type.kind === 'any'
    expect(canShow(type, emptyOf(type)) || isFree, JSON.stringify(type).slice(0, 80)).toBe(true)
  }
})

test('generated values of every type are shown by their control, but for lists of anything', () => {
  const types = docs.flatMap(({ params }) => params.map(({ type }) => type)).filter(({ kind }) => kind !== 'any')
  for (const type of types) {
    fc.assert(
      fc.property(anyOf(type), (value) => canShow(type, value)),
      { numRuns: 5 },
    )
  }
})
