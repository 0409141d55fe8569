import { bodyOf, type RpcCallDraft } from '@/components/rpc/client'
import { jsLiteral, KEY_VARIABLE, pyLiteral, shellQuote, visibleJson } from '@/lib/contract/code-literals'
import type { RpcFamily, RpcNetwork } from '@/lib/contract/rpc-networks'

type SnippetInput = { origin: string; network: RpcNetwork; calls: readonly RpcCallDraft[]; isBatch: boolean }

export type SnippetKind = 'curl' | 'fetch' | 'viem' | 'ethers' | 'web3js' | 'web3py' | 'starknet'

export type Snippet = {
  kind: SnippetKind
  name: string
  language: 'sh' | 'ts' | 'py'
  families: readonly RpcFamily[]
  print: (input: SnippetInput) => string
}

const JS_BEARER = `\`Bearer \${process.env.${KEY_VARIABLE}}\``

const endpointOf = ({ origin, network }: SnippetInput): string => `${origin}/api/v1/crypto/rpc/${network.slug}`

const allCalls = ({ calls }: SnippetInput): RpcCallDraft[] =>
  calls.map(({ method, params }) => ({ method, params: params ?? [] }))

const onlyCall = (input: SnippetInput): RpcCallDraft => allCalls(input)[0] ?? { method: '', params: [] }

// Batches need a type: their parameters have no common one.
const JS_CALLS_TYPE = '{ method: string; params: unknown }[]'

// Linux takes no argument of 128 KiB or more, so larger bodies go in by standard input.
const MAX_ARGUMENT_CHARS = 30_000
const MAX_LINE_CHARS = 100
const END = 'JSON'

function curlSnippet(input: SnippetInput): string {
  const body = bodyOf(input.calls, input.isBatch)
  const head = [
    `curl ${shellQuote(endpointOf(input))}`,
    `-H 'Content-Type: application/json'`,
    `-H "Authorization: Bearer $${KEY_VARIABLE}"`,
  ]
  const line = visibleJson(body)
  const text = line.length > MAX_LINE_CHARS ? visibleJson(body, 2) : line
  if (text.length > MAX_ARGUMENT_CHARS) {
    // Quoted, so that nothing in it is expanded; no line of JSON can be the end mark, which has no quotes.
    return `${[...head, `--data-binary @- <<'${END}'`].join(' \\\n  ')}\n${line}\n${END}\n`
  }
  return `${[...head, `-d ${shellQuote(text)}`].join(' \\\n  ')}\n`
}

const fetchSnippet = (input: SnippetInput): string => `\
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

const REQUEST = 'client.request<{ Parameters: unknown; ReturnType: unknown }>'

function viemSnippet(input: SnippetInput): string {
  const { method, params } = onlyCall(input)
  const call = `\
const result = await ${REQUEST}({ method: ${jsLiteral(method)}, params: ${jsLiteral(params, 1)} })
console.log(result)
`
  const batch = `\
const calls: ${JS_CALLS_TYPE} = ${jsLiteral(allCalls(input))}

const results = await Promise.allSettled(
  calls.map((call) => ${REQUEST}(call)),
)
console.log(results)
`
  return `\
// npm install viem
import { createClient, http } from 'viem'

const client = createClient({
  transport: http(${jsLiteral(endpointOf(input))}, {${input.isBatch ? '\n    batch: true,' : ''}
    fetchOptions: { headers: { Authorization: ${JS_BEARER} } },
  }),
})

${input.isBatch ? batch : call}`
}

// A static network keeps ethers from asking for the chain id, which would be one more paid call.
function ethersSnippet(input: SnippetInput): string {
  const { method, params } = onlyCall(input)
  const call = `\
const result: unknown = await provider.send(${jsLiteral(method)}, ${jsLiteral(params)})
console.log(result)
`
  const batch = `\
const calls: { method: string; params: unknown[] | Record<string, unknown> }[] = ${jsLiteral(allCalls(input))}

const results = await Promise.allSettled(calls.map(({ method, params }) => provider.send(method, params)))
console.log(results)
`
  return `\
// npm install ethers
import { FetchRequest, JsonRpcProvider } from 'ethers'

const endpoint = new FetchRequest(${jsLiteral(endpointOf(input))})
endpoint.setHeader('Authorization', ${JS_BEARER})
const provider = new JsonRpcProvider(endpoint, ${Number(input.network.chainId)}, {
  staticNetwork: true,${input.isBatch ? '' : '\n  batchMaxCount: 1,'}
})

${input.isBatch ? batch : call}`
}

function web3JsSnippet(input: SnippetInput): string {
  const { method, params } = onlyCall(input)
  const call = `\
const result: unknown = await web3.requestManager.send({
  method: ${jsLiteral(method)},
  params: ${jsLiteral(params, 1)},
})
console.log(result)
`
  const batch = `\
const calls: ${JS_CALLS_TYPE} = ${jsLiteral(allCalls(input))}

const batch = new web3.BatchRequest()
const results = calls.map((call) => batch.add<unknown>(call))
await batch.execute()
console.log(await Promise.allSettled(results))
`
  return `\
// npm install web3
import { HttpProvider, Web3 } from 'web3'

const web3 = new Web3(
  new HttpProvider(${jsLiteral(endpointOf(input))}, {
    providerOptions: { headers: { Authorization: ${JS_BEARER} } },
  }),
)

${input.isBatch ? batch : call}`
}

// The headers replace web3.py's own, so the content type is among them.
function web3PySnippet(input: SnippetInput): string {
  const { method, params } = onlyCall(input)
  const call = `\
answer = provider.make_request(
    ${pyLiteral(method)},
    ${pyLiteral(params, 1)},
)
print(answer)
`
  const lines = allCalls(input).map(({ method, params }) => `    (${pyLiteral(method)}, ${pyLiteral(params, 1)}),\n`)
  const batch = `\
calls = [
${lines.join('')}]
answers = provider.make_batch_request(calls)
print(answers)
`
  const calls = input.isBatch ? batch : call
  return `\
# pip install web3
${calls.includes('json.loads(') ? 'import json\n' : ''}import os

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

// The headers replace starknet.js's own, so the content type is among them. It batches only the calls that it names,
// so that these go one after the other.
function starknetSnippet(input: SnippetInput): string {
  const { method, params } = onlyCall(input)
  const call = `\
const response = await provider.channel.fetch(${jsLiteral(method)}, ${jsLiteral(params)})
console.log(await response.json())
`
  const batch = `\
const calls: ${JS_CALLS_TYPE.replace('unknown', 'object')} = ${jsLiteral(allCalls(input))}

for (const { method, params } of calls) {
  const response = await provider.channel.fetch(method, params)
  console.log(await response.json())
}
`
  return `\
// npm install starknet
import { RpcProvider } from 'starknet'

const provider = new RpcProvider({
  nodeUrl: ${jsLiteral(endpointOf(input))},
  headers: {
    'Content-Type': 'application/json',
    Authorization: ${JS_BEARER},
  },
})

${input.isBatch ? batch : call}`
}

const SNIPPETS: readonly Snippet[] = [
  { kind: 'curl', name: 'curl', language: 'sh', families: ['evm', 'starknet'], print: curlSnippet },
  { kind: 'fetch', name: 'fetch', language: 'ts', families: ['evm', 'starknet'], print: fetchSnippet },
  { kind: 'viem', name: 'viem', language: 'ts', families: ['evm'], print: viemSnippet },
  { kind: 'ethers', name: 'ethers', language: 'ts', families: ['evm'], print: ethersSnippet },
  { kind: 'web3js', name: 'web3.js', language: 'ts', families: ['evm'], print: web3JsSnippet },
  { kind: 'web3py', name: 'web3.py', language: 'py', families: ['evm'], print: web3PySnippet },
  { kind: 'starknet', name: 'starknet.js', language: 'ts', families: ['starknet'], print: starknetSnippet },
]

export const snippetsFor = (family: RpcFamily): readonly Snippet[] =>
  SNIPPETS.filter(({ families }) => families.includes(family))

/** Prints a whole program that sends these calls with the key from its environment. */
export const printSnippet = (kind: SnippetKind, input: SnippetInput): string =>
  SNIPPETS.find((each) => each.kind === kind)?.print(input) ?? ''
