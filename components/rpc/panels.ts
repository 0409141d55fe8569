import { ParamsForm } from '@/components/rpc/form/params-form'
import { putValue } from '@/components/rpc/form/value'
import { checkParams } from '@/components/rpc/methods/check-params'
import { readMethods } from '@/components/rpc/methods/openrpc'
import { type MethodDoc, type ParamProblem, startParams } from '@/components/rpc/methods/types'
import { ResponsePanel } from '@/components/rpc/response/response-panel'
import { SnippetsMenu } from '@/components/rpc/snippets/snippets-menu'
import type { RpcFamily } from '@/lib/contract/rpc-networks'

// What the screen needs as soon as it is painted. Its parts have much of their code in common: they are one chunk, since
// apart they would bring it several times.
export { ParamsForm, putValue, ResponsePanel, SnippetsMenu }

type KnownMethod = { doc: MethodDoc; start: unknown; check: (params: unknown) => ParamProblem[] }

// Each family's document is a chunk of its own, fetched when a method of it is first looked at.
const DOCUMENTS: Record<RpcFamily, () => Promise<{ default: unknown }>> = {
  evm: () => import('@/components/rpc/methods/evm.openrpc.gen.json'),
  starknet: () => import('@/components/rpc/methods/starknet.openrpc.gen.json'),
}
const docsByFamily = new Map<RpcFamily, ReadonlyMap<string, MethodDoc>>()

async function docsOf(family: RpcFamily): Promise<ReadonlyMap<string, MethodDoc>> {
  const { default: document } = await DOCUMENTS[family]()
  const docs = docsByFamily.get(family) ?? readMethods(document, family === 'evm' ? 'place' : 'name')
  docsByFamily.set(family, docs)
  return docs
}

export const methodDoc = async (family: RpcFamily, method: string): Promise<MethodDoc | undefined> =>
  (await docsOf(family)).get(method)

export async function methodSummaries(family: RpcFamily): Promise<ReadonlyMap<string, string>> {
  return new Map([...(await docsOf(family))].map(([method, { summary }]) => [method, summary]))
}

/** Loads the description of a method; `null` for an unknown one. */
export async function knownMethod(family: RpcFamily, method: string): Promise<KnownMethod | null> {
  const doc = await methodDoc(family, method)
  return doc ? { doc, start: startParams(doc), check: (params) => checkParams(doc, params) } : null
}
