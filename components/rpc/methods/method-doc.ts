import type { MethodDoc } from '@/components/rpc/methods/types'
import type { RpcFamily } from '@/lib/contract/rpc'

// Each family's document is a chunk of its own, fetched when a method of it is first looked at.
const TABLES: Record<RpcFamily, () => Promise<ReadonlyMap<string, MethodDoc>>> = {
  evm: () => import('@/components/rpc/methods/evm').then((module) => module.EVM_DOCS),
  starknet: () => import('@/components/rpc/methods/starknet').then((module) => module.STARKNET_DOCS),
}

export const methodDocs = (family: RpcFamily): Promise<ReadonlyMap<string, MethodDoc>> => TABLES[family]()

export async function methodDoc(family: RpcFamily, method: string): Promise<MethodDoc | undefined> {
  return (await methodDocs(family)).get(method)
}

/** Copies the parameters of a method's example, a call that works as it stands. */
export function startParams(doc: MethodDoc): unknown {
  return doc.example ? structuredClone(doc.example.params) : doc.paramsBy === 'name' ? {} : []
}
