import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { checkParams, checkType, newSink } from '@/components/rpc/methods/check-params'
import { EVM_DOCS, STARKNET_DOCS } from '@/components/rpc/methods/testing'
import { type MethodDoc, type ParamDoc, startParams, type Type } from '@/components/rpc/methods/types'
import { methodDoc } from '@/components/rpc/panels'
import { BROADCASTS, METHOD_GROUPS } from '@/lib/contract/rpc-methods'
import type { RpcFamily } from '@/lib/contract/rpc-networks'

const MAX_GZIPPED: Record<RpcFamily, number> = { evm: 30_000, starknet: 12_000 }

const offered = METHOD_GROUPS.flatMap(({ family, methods }) => methods.map((method) => [family, method] as const))
const docs = [...EVM_DOCS.values(), ...STARKNET_DOCS.values()]

describe('the catalogue', () => {
  test.each(offered)('of %s tells what %s does and how to read its result', async (family, method) => {
    const doc = await methodDoc(family, method)
    expect(doc?.method).toBe(method)
    expect(doc?.summary).toMatch(/^[A-Z].{10,120}\.$/)
    expect(doc?.result.text).toMatch(/\S.{5,}/)
    expect(doc?.paramsBy).toBe(family === 'evm' ? 'place' : 'name')
  })

  test('describes nothing that is not offered', async () => {
    const names = new Set<string>(offered.map(([, method]) => method))
    expect(docs.map(({ method }) => method).filter((method) => !names.has(method))).toEqual([])
    expect(docs).toHaveLength(offered.length)
    expect(await methodDoc('evm', 'eth_sign')).toBeUndefined()
    expect(await methodDoc('starknet', '__proto__')).toBeUndefined()
  })

  test.each(docs.map((doc) => [doc.method, doc] as const))(
    'begins %s with a call that passes its own check',
    (_, doc) => {
      expect(checkParams(doc, startParams(doc))).toEqual([])
    },
  )

  test('gives a copy to begin with, which may be changed', () => {
    const doc = EVM_DOCS.get('eth_getBalance')!
    const params = startParams(doc) as unknown[]
    params.push('more')
    expect(startParams(doc)).not.toContain('more')
  })

  test.each(docs.filter(({ example }) => example.result !== undefined).map((doc) => [doc.method, doc] as const))(
    'shows a result of %s that is of the result’s type',
    (_, { result, example }) => {
      const sink = newSink()
      checkType(result.type, example.result, [], sink)
      expect(sink.problems).toEqual([])
    },
  )

  test('names every field once, and gives each a label', () => {
    for (const doc of docs) {
      for (const fields of fieldsIn(doc)) {
        const names = fields.map(({ name }) => name)
        expect(new Set(names).size, `${doc.method}: ${names}`).toBe(names.length)
        for (const { label, name } of fields) expect(label, `${doc.method} ${name}`).not.toBe('')
      }
    }
  })

  test('warns of every broadcast in its words', () => {
    for (const method of BROADCASTS) {
      const doc = EVM_DOCS.get(method) ?? STARKNET_DOCS.get(method)
      expect(doc?.summary, method).toMatch(/Sends|Hands/)
    }
  })

  test.each(['evm', 'starknet'] as const)('of %s is a small chunk', async (family) => {
    const { outputFiles } = await build({
      entryPoints: [`components/rpc/methods/${family}.openrpc.gen.json`],
      bundle: true,
      minify: true,
      format: 'esm',
      write: false,
      tsconfig: 'tsconfig.json',
    })
    expect(gzipSync(outputFiles[0]!.contents).byteLength).toBeLessThan(MAX_GZIPPED[family])
  })
})

function fieldsIn(doc: MethodDoc): (readonly ParamDoc[])[] {
  return [doc.params, ...doc.params.flatMap(({ type }) => fieldsOfType(type)), ...fieldsOfType(doc.result.type)]
}

function fieldsOfType(type: Type): (readonly ParamDoc[])[] {
  switch (type.kind) {
    case 'object':
      return [type.fields, ...type.fields.flatMap((field) => fieldsOfType(field.type))]
    case 'tuple':
      return [type.items, ...type.items.flatMap((item) => fieldsOfType(item.type))]
    case 'list':
      return fieldsOfType(type.of)
    case 'map':
      return fieldsOfType(type.value)
    case 'union':
      return type.variants.flatMap((variant) => fieldsOfType(variant.type))
    default:
      return []
  }
}
