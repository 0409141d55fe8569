import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { EBlockTag, ESimulationFlag, EStorageResponseFlag, ETraceFlag, ETxnResponseFlag } from '@starknet-io/types-js'
import { describe, expect, test } from 'vitest'
import { STARKNET_DOCS } from '@/components/rpc/methods/testing'
import type { Type } from '@/components/rpc/methods/types'

const folder = path.resolve(
  path.dirname(createRequire(import.meta.url).resolve('@starknet-io/types-js')),
  '../types/api',
)
const sourceOf = (name: string) =>
  readFileSync(path.join(folder, `${name}.d.ts`), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '')
const methods = sourceOf('methods')
const components = sourceOf('components')

type Field = { name: string; isRequired: boolean }

const INVOKE = paramOf('starknet_addInvokeTransaction', 'invoke_transaction')
const DECLARE = paramOf('starknet_addDeclareTransaction', 'declare_transaction')
const DEPLOY_ACCOUNT = paramOf('starknet_addDeployAccountTransaction', 'deploy_account_transaction')
const EVENT_FILTER = paramOf('starknet_getEvents', 'filter')

describe('the published types of Starknet', () => {
  test.each([...STARKNET_DOCS.values()].map((doc) => [doc.method, doc] as const))(
    'have the same parameters of %s as we have, in the same order',
    (name, { params }) => {
      expect(params.map(({ name, isRequired }) => ({ name, isRequired }))).toEqual(paramsOf(name))
    },
  )

  test('have no method that we lack', () => {
    const beforeSockets = methods.slice(0, methods.indexOf('WebSocketMethods = '))
    const theirs = [...beforeSockets.matchAll(/\n {4}(starknet_\w+): \{/g)].map(([, name]) => name!)
    expect(theirs.toSorted()).toEqual([...STARKNET_DOCS.keys()].toSorted())
  })

  test.each([
    ['a call', paramOf('starknet_call', 'request'), ['FUNCTION_CALL']],
    ['an invocation', INVOKE, ['INVOKE_TXN_V3', 'BROADCASTED_INVOKE_TXN']],
    ['a declaration', DECLARE, ['BROADCASTED_DECLARE_TXN_V3']],
    ['a deployment', DEPLOY_ACCOUNT, ['DEPLOY_ACCOUNT_TXN_V3']],
    ['a filter of events', EVENT_FILTER, ['EVENT_FILTER', 'RESULT_PAGE_REQUEST']],
    ['bounds', fieldOf(INVOKE, 'resource_bounds'), ['RESOURCE_BOUNDS_MAPPING']],
    ['one bound', fieldOf(fieldOf(INVOKE, 'resource_bounds'), 'l2_gas'), ['RESOURCE_BOUNDS']],
    ['a class', fieldOf(DECLARE, 'contract_class'), ['CONTRACT_CLASS']],
    ['a message of L1', paramOf('starknet_estimateMessageFee', 'message'), ['MSG_FROM_L1']],
  ] as const)('have the same fields of %s as we have', (_, type, names) => {
    const theirs = names.flatMap((name) => fieldsOfType(name))
    expect(byName(ownFields(type))).toEqual(byName(theirs))
  })

  test('have the same tags and flags as we have', () => {
    expect(paramOf('starknet_getNonce', 'block_id')).toMatchObject({
      tags: expect.arrayContaining(Object.values(EBlockTag)),
    })
    expect(flagsOf(paramOf('starknet_simulateTransactions', 'simulation_flags'))).toEqual(
      Object.values(ESimulationFlag),
    )
    expect(flagsOf(paramOf('starknet_getBlockWithTxs', 'response_flags'))).toEqual(Object.values(ETxnResponseFlag))
    expect(flagsOf(paramOf('starknet_getStorageAt', 'response_flags'))).toEqual(Object.values(EStorageResponseFlag))
    expect(flagsOf(paramOf('starknet_traceBlockTransactions', 'trace_flags'))).toEqual(Object.values(ETraceFlag))
  })
})

function paramsOf(name: string): Field[] {
  const from = methods.indexOf(`\n    ${name}: {`)
  const body = methods.slice(from, methods.indexOf('\n    };', from))
  return fieldsAt(/\n {8}params: \{([\s\S]*?)\n {8}\}/.exec(body)?.[1] ?? '', 12)
}

function fieldsOfType(name: string): Field[] {
  const from = components.indexOf(`export type ${name} = `)
  expect(from, name).toBeGreaterThan(0)
  return fieldsAt(components.slice(from, components.indexOf('\n};', from)), 4)
}

const fieldsAt = (source: string, spaces: number): Field[] =>
  [...source.matchAll(new RegExp(`\\n {${spaces}}(\\w+)(\\??):`, 'g'))].map(([, name, mark]) => ({
    name: name!,
    isRequired: mark === '',
  }))

const ownFields = (type: Type): Field[] =>
  type.kind === 'object' ? type.fields.map(({ name, isRequired }) => ({ name, isRequired })) : []

const byName = (fields: Field[]): Field[] => fields.toSorted((one, other) => (one.name < other.name ? -1 : 1))

function fieldOf(type: Type, name: string): Type {
  const field = type.kind === 'object' ? type.fields.find((each) => each.name === name) : undefined
  if (!field) throw new Error(`no field ${name}`)
  return field.type
}

function paramOf(method: string, name: string): Type {
  return fieldOf({ kind: 'object', fields: STARKNET_DOCS.get(method)?.params ?? [] }, name)
}

function flagsOf(type: Type): unknown[] {
  if (type.kind !== 'list' || type.of.kind !== 'choice') throw new Error('no flags')
  return type.of.options.map(({ value }) => value)
}
