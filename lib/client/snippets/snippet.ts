import { curlSnippet } from '@/lib/client/snippets/curl'
import { ethersSnippet } from '@/lib/client/snippets/ethers'
import { fetchSnippet } from '@/lib/client/snippets/fetch'
import { starknetSnippet } from '@/lib/client/snippets/starknet'
import type { Snippet, SnippetInput } from '@/lib/client/snippets/types'
import { viemSnippet } from '@/lib/client/snippets/viem'
import { web3JsSnippet } from '@/lib/client/snippets/web3-js'
import { web3PySnippet } from '@/lib/client/snippets/web3-py'
import type { RpcFamily } from '@/lib/contract/rpc-networks'

/** All ways to write a call, in the order of the list. */
export const SNIPPETS: readonly Snippet[] = [
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
