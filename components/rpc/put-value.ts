import type { MethodDoc, ParamDoc, Type } from '@/components/rpc/methods/types'
import type { Use } from '@/components/rpc/response/decode/decoded'
import { isRecord } from '@/lib/browser/api'
import type { RpcFamily } from '@/lib/contract/rpc-networks'

/** What to ask about a value where the method on the desk takes none of its kind. */
const FALLBACKS: Record<RpcFamily, Partial<Record<Use['kind'], string>>> = {
  evm: { address: 'eth_getBalance', hash: 'eth_getTransactionReceipt', block: 'eth_getBlockByNumber' },
  starknet: { address: 'starknet_getNonce', hash: 'starknet_getTransactionReceipt' },
}

export const fallbackFor = (family: RpcFamily, kind: Use['kind']): string | undefined => FALLBACKS[family][kind]

/** The parameters with a value of an answer in the first place that takes its kind, and what that place is called. */
export function putValue(doc: MethodDoc, params: unknown, use: Use): { params: unknown; place: string } | undefined {
  const at = doc.params.findIndex(({ type }) => takes(type, use))
  const direct = doc.params[at]
  if (direct) return { params: withParam(doc, params, at, use.value), place: direct.label }
  // Such as `to` of the transaction that a call is.
  for (const [index, { name, type }] of doc.params.entries()) {
    const field = type.kind === 'object' ? type.fields.find((one) => takes(one.type, use)) : undefined
    if (!field) continue
    const held = paramAt(doc, params, index, name)
    const changed = { ...(isRecord(held) ? held : {}), [field.name]: use.value }
    return { params: withParam(doc, params, index, changed), place: field.label }
  }
  return undefined
}

function takes(type: Type, { kind }: Use): boolean {
  switch (type.kind) {
    case 'address':
      return kind === 'address'
    case 'hash':
      return kind === 'hash'
    case 'block':
      return kind === 'block'
    case 'felt':
      return type.is !== undefined && type.is === kind
    default:
      return false
  }
}

function paramAt({ paramsBy }: MethodDoc, params: unknown, index: number, name: ParamDoc['name']): unknown {
  if (paramsBy === 'name') return isRecord(params) ? params[name] : undefined
  return Array.isArray(params) ? params[index] : undefined
}

function withParam({ paramsBy, params: docs }: MethodDoc, params: unknown, index: number, value: unknown): unknown {
  if (paramsBy === 'name') return { ...(isRecord(params) ? params : {}), [docs[index]?.name ?? '']: value }
  const list = Array.isArray(params) ? [...params] : []
  while (list.length < index) list.push(null)
  list[index] = value
  return list
}
