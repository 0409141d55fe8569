import {
  allCalls,
  endpointOf,
  JS_BEARER,
  JS_CALLS_TYPE,
  onlyCall,
  type SnippetInput,
} from '@/components/rpc/snippets/types'
import { jsLiteral } from '@/lib/contract/code-literals'

/** The types of a method that viem does not know by name. */
const REQUEST = 'client.request<{ Parameters: unknown; ReturnType: unknown }>'

export const viemSnippet = (input: SnippetInput): string => `\
// npm install viem
import { createClient, http } from 'viem'

const client = createClient({
  transport: http(${jsLiteral(endpointOf(input))}, {${input.isBatch ? '\n    batch: true,' : ''}
    fetchOptions: { headers: { Authorization: ${JS_BEARER} } },
  }),
})

${input.isBatch ? batch(input) : single(input)}`

function single(input: SnippetInput): string {
  const { method, params } = onlyCall(input)
  return `\
const result = await ${REQUEST}({
  method: ${jsLiteral(method)},
  params: ${jsLiteral(params, 1)},
})
console.log(result)
`
}

const batch = (input: SnippetInput): string => `\
const calls: ${JS_CALLS_TYPE} = ${jsLiteral(allCalls(input))}

const results = await Promise.allSettled(
  calls.map((call) => ${REQUEST}(call)),
)
console.log(results)
`
