import {
  allCalls,
  endpointOf,
  JS_BEARER,
  JS_CALLS_TYPE,
  onlyCall,
  type SnippetInput,
} from '@/components/rpc/snippets/types'
import { jsLiteral } from '@/lib/contract/code-literals'

export const web3JsSnippet = (input: SnippetInput): string => `\
// npm install web3
import { HttpProvider, Web3 } from 'web3'

const web3 = new Web3(
  new HttpProvider(${jsLiteral(endpointOf(input))}, {
    providerOptions: { headers: { Authorization: ${JS_BEARER} } },
  }),
)

${input.isBatch ? batch(input) : single(input)}`

function single(input: SnippetInput): string {
  const { method, params } = onlyCall(input)
  return `\
const result: unknown = await web3.requestManager.send({
  method: ${jsLiteral(method)},
  params: ${jsLiteral(params, 1)},
})
console.log(result)
`
}

const batch = (input: SnippetInput): string => `\
const calls: ${JS_CALLS_TYPE} = ${jsLiteral(allCalls(input))}

const batch = new web3.BatchRequest()
const results = calls.map((call) => batch.add<unknown>(call))
await batch.execute()
console.log(await Promise.allSettled(results))
`
