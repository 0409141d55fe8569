import fc from 'fast-check'
import { BLOCK_TAGS, FELT_PRIME } from '@/components/rpc/methods/check-value'
import evm from '@/components/rpc/methods/evm.openrpc.gen.json'
import { readMethods } from '@/components/rpc/methods/openrpc'
import starknet from '@/components/rpc/methods/starknet.openrpc.gen.json'
import type { MethodDoc, ParamDoc, Type } from '@/components/rpc/methods/types'

export const EVM_DOCS = readMethods(evm, 'place')
export const STARKNET_DOCS = readMethods(starknet, 'name')

const hex = (minLength: number, maxLength = minLength) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength, maxLength }).map((digits) => `0x${digits}`)
const quantity = (max: bigint) => fc.bigInt({ min: 0n, max }).map((value) => `0x${value.toString(16)}`)
const felt = fc.bigInt({ min: 0n, max: FELT_PRIME - 1n }).map((value) => `0x${value.toString(16)}`)
const height = quantity(2n ** 63n)

export function anyOf(type: Type): fc.Arbitrary<unknown> {
  switch (type.kind) {
    case 'address':
      return hex(40)
    case 'hash':
      return hex(64)
    case 'data':
      if (type.maxBytes !== undefined) return hex(1, type.maxBytes * 2)
      return type.bytes === undefined ? fc.nat(40).chain((count) => hex(count * 2)) : hex(type.bytes * 2)
    case 'quantity':
      return fc.oneof(quantity(2n ** 64n), quantity(2n ** 256n - 1n))
    case 'felt':
      return felt
    case 'number':
      return numberOf(type)
    case 'boolean':
      return fc.boolean()
    case 'text':
      return fc.string({ minLength: 1 })
    case 'choice':
      return fc.constantFrom(...type.options.map(({ value }) => value))
    case 'block':
      return type.takesHash ? fc.oneof(blockOf(), selectorOf(hex(64))) : blockOf()
    case 'blockId':
      return fc.oneof(
        fc.constantFrom(...type.tags),
        fc.nat().map((block_number) => ({ block_number })),
        felt.map((block_hash) => ({ block_hash })),
      )
    case 'object':
      return recordOf(type.fields)
    case 'tuple':
      return fc.tuple(...type.items.map((item) => anyOf(item.type)))
    case 'list':
      return fc.array(anyOf(type.of), { maxLength: Math.min(type.max ?? 3, 3) })
    case 'map':
      return fc.dictionary(anyOf(type.key) as fc.Arbitrary<string>, anyOf(type.value), { maxKeys: 2 })
    case 'union':
      return fc.oneof(...type.variants.map((variant) => anyOf(variant.type)))
    case 'null':
      return fc.constant(null)
    case 'any':
      // As text has it: there is no -0.
      return fc.json({ maxDepth: 2 }).map((text) => JSON.parse(JSON.stringify(JSON.parse(text))) as unknown)
  }
}

export const paramsOf = (doc: MethodDoc): fc.Arbitrary<unknown> =>
  doc.paramsBy === 'name' ? recordOf(doc.params) : fc.nat(doc.params.length).chain((count) => placesOf(doc, count))

function placesOf(doc: MethodDoc, count: number): fc.Arbitrary<unknown> {
  const required = doc.params.filter(({ isRequired }) => isRequired).length
  return fc.tuple(...doc.params.slice(0, Math.max(count, required)).map(({ type }) => anyOf(type)))
}

function recordOf(fields: readonly ParamDoc[]): fc.Arbitrary<unknown> {
  const model = Object.fromEntries(fields.map(({ name, type }) => [name, anyOf(type)]))
  const requiredKeys = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  return fc.record(model, { requiredKeys, noNullPrototype: true })
}

function numberOf({ isWhole, min = -1_000, max = 1_000_000 }: Type & { kind: 'number' }): fc.Arbitrary<number> {
  if (isWhole) return fc.integer({ min, max })
  return fc.double({ min, max, noNaN: true }).map((value) => (Object.is(value, -0) ? 0 : value))
}

const blockOf = (): fc.Arbitrary<unknown> => fc.oneof(fc.constantFrom(...BLOCK_TAGS), height)

const selectorOf = (hash: fc.Arbitrary<string>): fc.Arbitrary<unknown> =>
  fc.oneof(
    hash,
    hash.map((blockHash) => ({ blockHash })),
    hash.map((blockHash) => ({ requireCanonical: true, blockHash })),
    height.map((blockNumber) => ({ blockNumber })),
  )
