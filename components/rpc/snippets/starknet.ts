import {
  allCalls,
  endpointOf,
  JS_BEARER,
  JS_CALLS_TYPE,
  onlyCall,
  type SnippetInput,
} from '@/components/rpc/snippets/types'
import { jsLiteral } from '@/lib/contract/code-literals'

/** The headers stand in for starknet.js's own, so the content type is among them. */
export const starknetSnippet = (input: SnippetInput): string => `\
// npm install starknet
import { RpcProvider } from 'starknet'

const provider = new RpcProvider({
  nodeUrl: ${jsLiteral(endpointOf(input))},
  headers: {
    'Content-Type': 'application/json',
    Authorization: ${JS_BEARER},
  },
})

${input.isBatch ? batch(input) : single(input)}`

function single(input: SnippetInput): string {
  const { method, params } = onlyCall(input)
  return `\
const response = await provider.channel.fetch(${jsLiteral(method)}, ${jsLiteral(params)})
console.log(await response.json())
`
}

/** starknet.js puts only the calls that it names into batches; these go one after the other. */
const batch = (input: SnippetInput): string => `\
const calls: ${JS_CALLS_TYPE.replace('unknown', 'object')} = ${jsLiteral(allCalls(input))}

for (const { method, params } of calls) {
  const response = await provider.channel.fetch(method, params)
  console.log(await response.json())
}
`
