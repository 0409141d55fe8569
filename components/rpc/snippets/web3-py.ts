import { allCalls, endpointOf, onlyCall, type SnippetInput } from '@/components/rpc/snippets/types'
import { KEY_VARIABLE, pyLiteral } from '@/lib/contract/code-literals'

/** The headers stand in for web3.py's own, so the content type is among them. */
export function web3PySnippet(input: SnippetInput): string {
  const calls = input.isBatch ? batch(input) : single(input)
  const imports = [...(calls.includes('json.loads(') ? ['import json'] : []), 'import os']
  return `\
# pip install web3
${imports.join('\n')}

from web3 import Web3

provider = Web3.HTTPProvider(
    ${pyLiteral(endpointOf(input))},
    request_kwargs={
        "headers": {
            "Content-Type": "application/json",
            "Authorization": f"Bearer {os.environ['${KEY_VARIABLE}']}",
        },
    },
)

${calls}`
}

function single(input: SnippetInput): string {
  const { method, params } = onlyCall(input)
  return `\
answer = provider.make_request(
    ${pyLiteral(method)},
    ${pyLiteral(params, 1)},
)
print(answer)
`
}

const batch = (input: SnippetInput): string => `\
calls = [
${allCalls(input)
  .map(({ method, params }) => `    (${pyLiteral(method)}, ${pyLiteral(params, 1)}),\n`)
  .join('')}]
answers = provider.make_batch_request(calls)
print(answers)
`
