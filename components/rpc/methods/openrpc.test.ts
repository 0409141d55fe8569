import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkParams, checkType, newSink } from '@/components/rpc/methods/check-params'
import { EVM_DOCS } from '@/components/rpc/methods/testing'
import type { Type } from '@/components/rpc/methods/types'

type Schema = { $ref?: string; type?: string; title?: string; properties?: Record<string, unknown> }
type SpecMethod = {
  name: string
  params: { name: string; required?: boolean; schema: Schema }[]
  result?: { schema: Schema }
  examples?: { params: { value: unknown }[]; result?: { value: unknown } }[]
}
type Spec = { methods: SpecMethod[]; components: { schemas: Record<string, Schema> } }

const spec: Spec = JSON.parse(
  readFileSync(
    path.join(
      path.dirname(createRequire(import.meta.url).resolve('@metamask/api-specs/package.json')),
      'dist/build/openrpc.json',
    ),
    'utf8',
  ),
)
const shared = spec.methods.filter(({ name }) => EVM_DOCS.has(name)).map((method) => [method.name, method] as const)

const KINDS: Record<string, Partial<Type>> = {
  address: { kind: 'address' },
  hash32: { kind: 'hash' },
  bytes: { kind: 'data' },
  uint: { kind: 'quantity' },
  uint256: { kind: 'data', maxBytes: 32 },
  BlockNumberOrTag: { kind: 'block' },
  BlockNumberOrTagOrHash: { kind: 'block', takesHash: true },
  GenericTransaction: { kind: 'object' },
  Filter: { kind: 'object' },
}

/** Calls of theirs that break their own rules: a hash with an `s` in it. */
const BROKEN_EXAMPLES = ['eth_getProof']
/** And results: a chain id as a number, a hash of 63 digits, a field that is required and not there. */
const BROKEN_RESULTS = [
  'eth_feeHistory',
  'eth_getTransactionByBlockHashAndIndex',
  'eth_getTransactionByBlockNumberAndIndex',
  'eth_getTransactionByHash',
  'eth_sendRawTransaction',
]

describe('the published OpenRPC document', () => {
  test('has enough of our methods for these tests to mean something', () => {
    expect(shared.length).toBeGreaterThanOrEqual(22)
  })

  test.each(shared)('has the same parameters of %s as we have, in the same order', (name, { params }) => {
    const ours = EVM_DOCS.get(name)!.params
    expect(ours.length).toBeGreaterThanOrEqual(params.length)
    params.forEach(({ required, schema }, index) => {
      const param = ours[index]!
      if (required !== undefined) expect(param.isRequired, param.name).toBe(required)
      const theirs = schema.$ref?.split('/').at(-1)
      if (theirs) expect(param.type, param.name).toMatchObject(KINDS[theirs] ?? { kind: theirs })
      else if (schema.type === 'boolean') expect(param.type.kind).toBe('boolean')
      else if (schema.type === 'array') expect(param.type.kind).toBe('list')
    })
    expect(ours.slice(params.length).every(({ isRequired }) => !isRequired)).toBe(true)
  })

  test.each(shared.filter(([name]) => !BROKEN_EXAMPLES.includes(name)))(
    'has examples of %s that pass our check',
    (name, { examples }) => {
      const doc = EVM_DOCS.get(name)!
      for (const { params, result } of examples ?? []) {
        const problems = checkParams(
          doc,
          params.map(({ value }) => value),
        )
        expect(problems.filter(({ severity }) => severity === 'error')).toEqual([])
        const sink = newSink()
        if (result && !BROKEN_RESULTS.includes(name)) checkType(doc.result.type, result.value, [], sink)
        expect(sink.problems.filter(({ severity }) => severity === 'error')).toEqual([])
      }
    },
  )

  test('has the fields of a call that we have, but for newer ones', () => {
    const theirs = Object.keys(spec.components.schemas.GenericTransaction!.properties!)
    const call = EVM_DOCS.get('eth_call')!.params[0]!.type
    const ours = call.kind === 'object' ? call.fields.map(({ name }) => name) : []
    expect(theirs.filter((name) => !ours.includes(name))).toEqual([])
    // `data` is what everybody writes, and their schema refuses it.
    expect(ours.filter((name) => !theirs.includes(name))).toEqual(['data', 'authorizationList'])
  })
})
