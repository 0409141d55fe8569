import type { MethodDoc } from '@/components/rpc/methods/types'
import type { RpcFamily } from '@/lib/contract/rpc-networks'

/** Each family's table is a chunk of its own, fetched when a method of it is first looked at. */
const TABLES: Record<RpcFamily, () => Promise<ReadonlyMap<string, MethodDoc>>> = {
  evm: () => import('@/components/rpc/methods/evm').then((module) => module.EVM_DOCS),
  starknet: () => import('@/components/rpc/methods/starknet').then((module) => module.STARKNET_DOCS),
}

/** What is known of the methods of a family. */
export const methodDocs = (family: RpcFamily): Promise<ReadonlyMap<string, MethodDoc>> => TABLES[family]()

/** What is known of a method; nothing for a name that no list has. */
export async function methodDoc(family: RpcFamily, method: string): Promise<MethodDoc | undefined> {
  return (await methodDocs(family)).get(method)
}

/** Parameters to begin with: a call that works as it stands. Always a value of its own, so that it may be changed. */
export function startParams(doc: MethodDoc): unknown {
  return doc.example ? structuredClone(doc.example.params) : doc.paramsBy === 'name' ? {} : []
}
