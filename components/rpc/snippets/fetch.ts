import { bodyOf } from '@/components/rpc/client'
import { endpointOf, JS_BEARER, type SnippetInput } from '@/components/rpc/snippets/types'
import { jsLiteral } from '@/lib/contract/code-literals'

export const fetchSnippet = (input: SnippetInput): string => `\
const response = await fetch(${jsLiteral(endpointOf(input))}, {
  method: 'POST',
  headers: {
    'Content-Type': 'application/json',
    Authorization: ${JS_BEARER},
  },
  body: JSON.stringify(${jsLiteral(bodyOf(input.calls, input.isBatch), 1)}),
})

const answer: unknown = await response.json()
console.log(response.status, response.headers.get('X-Service-RPC-Cost-USD'), answer)
`
