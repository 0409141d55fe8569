import type { RpcCallDraft } from '@/components/rpc/client'
import { KEY_VARIABLE } from '@/lib/contract/code-literals'
import type { RpcFamily, RpcNetwork } from '@/lib/contract/rpc-networks'

export type SnippetInput = {
  /** Of the service: `https://example.com`. */
  origin: string
  network: RpcNetwork
  calls: readonly RpcCallDraft[]
  isBatch: boolean
}

export type SnippetKind = 'curl' | 'fetch' | 'viem' | 'ethers' | 'web3js' | 'web3py' | 'starknet'

export type Snippet = {
  kind: SnippetKind
  name: string
  /** The usual end of a file's name. */
  language: 'sh' | 'ts' | 'py'
  families: readonly RpcFamily[]
  print: (input: SnippetInput) => string
}

/** The header's value in TypeScript. */
export const JS_BEARER = `\`Bearer \${process.env.${KEY_VARIABLE}}\``

export const endpointOf = ({ origin, network }: SnippetInput): string => `${origin}/api/v1/crypto/rpc/${network.slug}`

/** The one call of what is no batch. */
export function onlyCall({ calls }: SnippetInput): { method: string; params: unknown } {
  const [call] = calls
  return { method: call?.method ?? '', params: call?.params ?? [] }
}

/** The calls of a batch, each with its parameters. */
export const allCalls = ({ calls }: SnippetInput): { method: string; params: unknown }[] =>
  calls.map(({ method, params }) => ({ method, params: params ?? [] }))

/** Printed batches need the type said: what is in them has no common one. */
export const JS_CALLS_TYPE = '{ method: string; params: unknown }[]'
