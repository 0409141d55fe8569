import { bodyOf } from '@/lib/client/rpc'
import { jsLiteral } from '@/lib/client/snippets/literals'
import { endpointOf, JS_BEARER, type SnippetInput } from '@/lib/client/snippets/types'

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
