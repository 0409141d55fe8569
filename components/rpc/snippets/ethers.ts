import { allCalls, endpointOf, JS_BEARER, onlyCall, type SnippetInput } from '@/components/rpc/snippets/types'
import { jsLiteral } from '@/lib/contract/code-literals'

/** A static network keeps ethers from asking for the chain id, which would be one more call to pay. */
export const ethersSnippet = (input: SnippetInput): string => `\
// npm install ethers
import { FetchRequest, JsonRpcProvider } from 'ethers'

const endpoint = new FetchRequest(${jsLiteral(endpointOf(input))})
endpoint.setHeader('Authorization', ${JS_BEARER})
const provider = new JsonRpcProvider(endpoint, ${Number(input.network.chainId)}, {
  staticNetwork: true,${input.isBatch ? '' : '\n  batchMaxCount: 1,'}
})

${input.isBatch ? batch(input) : single(input)}`

function single(input: SnippetInput): string {
  const { method, params } = onlyCall(input)
  return `\
const result: unknown = await provider.send(${jsLiteral(method)}, ${jsLiteral(params)})
console.log(result)
`
}

const batch = (input: SnippetInput): string => `\
const calls: { method: string; params: unknown[] | Record<string, unknown> }[] = ${jsLiteral(allCalls(input))}

const results = await Promise.allSettled(calls.map(({ method, params }) => provider.send(method, params)))
console.log(results)
`
