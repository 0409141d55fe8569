import { curlSnippet } from '@/components/rpc/snippets/curl'
import { ethersSnippet } from '@/components/rpc/snippets/ethers'
import { fetchSnippet } from '@/components/rpc/snippets/fetch'
import { starknetSnippet } from '@/components/rpc/snippets/starknet'
import type { Snippet, SnippetInput } from '@/components/rpc/snippets/types'
import { viemSnippet } from '@/components/rpc/snippets/viem'
import { web3JsSnippet } from '@/components/rpc/snippets/web3-js'
import { web3PySnippet } from '@/components/rpc/snippets/web3-py'
import type { RpcFamily } from '@/lib/contract/rpc-networks'

/** All ways to write a call, in the order of the list. */
const SNIPPETS: readonly Snippet[] = [
  { kind: 'curl', name: 'curl', language: 'sh', families: ['evm', 'starknet'], print: curlSnippet },
  { kind: 'fetch', name: 'fetch', language: 'ts', families: ['evm', 'starknet'], print: fetchSnippet },
  { kind: 'viem', name: 'viem', language: 'ts', families: ['evm'], print: viemSnippet },
  { kind: 'ethers', name: 'ethers', language: 'ts', families: ['evm'], print: ethersSnippet },
  { kind: 'web3js', name: 'web3.js', language: 'ts', families: ['evm'], print: web3JsSnippet },
  { kind: 'web3py', name: 'web3.py', language: 'py', families: ['evm'], print: web3PySnippet },
  { kind: 'starknet', name: 'starknet.js', language: 'ts', families: ['starknet'], print: starknetSnippet },
]

/** What can call the networks of a family. */
export const snippetsFor = (family: RpcFamily): readonly Snippet[] =>
  SNIPPETS.filter(({ families }) => families.includes(family))

/**
 * A whole program that sends these calls from a machine which has the key in its environment, and prints what comes back.
 *
 * @example printSnippet('curl', { origin: location.origin, network, calls, isBatch: false })
 */
export function printSnippet(kind: Snippet['kind'], input: SnippetInput): string {
  const snippet = SNIPPETS.find((each) => each.kind === kind)
  return snippet ? snippet.print(input) : ''
}
