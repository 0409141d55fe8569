import { ParamsForm } from '@/components/rpc/form/params-form'
import { putValue } from '@/components/rpc/form/value'
import { checkParams } from '@/components/rpc/methods/check-params'
import { type MethodDoc, type ParamProblem, startParams } from '@/components/rpc/methods/types'
import { ResponsePanel } from '@/components/rpc/response/response-panel'
import { SnippetsMenu } from '@/components/rpc/snippets/snippets-menu'
import type { RpcFamily } from '@/lib/contract/rpc-networks'

// What the screen needs as soon as it is painted. Its parts have much of their code in common: they are one chunk, since
// apart they would bring it several times.
export { ParamsForm, putValue, ResponsePanel, SnippetsMenu }

type KnownMethod = { doc: MethodDoc; start: unknown; check: (params: unknown) => ParamProblem[] }

// Each family's document is a chunk of its own, fetched when a method of it is first looked at.
const DOCS: Record<RpcFamily, () => Promise<ReadonlyMap<string, MethodDoc>>> = {
  evm: () => import('@/components/rpc/methods/evm').then((module) => module.EVM_DOCS),
  starknet: () => import('@/components/rpc/methods/starknet').then((module) => module.STARKNET_DOCS),
}

export const methodDoc = async (family: RpcFamily, method: string): Promise<MethodDoc | undefined> =>
  (await DOCS[family]()).get(method)

export async function methodSummaries(family: RpcFamily): Promise<ReadonlyMap<string, string>> {
  return new Map([...(await DOCS[family]())].map(([method, { summary }]) => [method, summary]))
}

/** Loads the description of a method; `null` for an unknown one. */
export async function knownMethod(family: RpcFamily, method: string): Promise<KnownMethod | null> {
  const doc = await methodDoc(family, method)
  return doc ? { doc, start: startParams(doc), check: (params) => checkParams(doc, params) } : null
}
