import { createServer } from 'node:http'
import { type Calls, listen, serveParent } from '@/bench/children'

/** Runs as a process of its own: a node of Base whose replies cost almost nothing to make. */
export type MockNodeCalls = Calls & {
  listen: () => Promise<number>
  requests: () => number
}

const RESULTS: Readonly<Record<string, string>> = {
  eth_chainId: '"0x2105"',
  eth_blockNumber: '"0x1f4a0c8"',
  eth_getBlockByNumber: '{"number":"0x1f4a000"}',
  eth_getBalance: '"0xde0b6b3a7640000"',
}

let requests = 0

const server = createServer({ noDelay: true }, (request, response) => {
  requests++
  let text = ''
  request.setEncoding('latin1')
  request.on('data', (chunk: string) => {
    text += chunk
  })
  request.once('end', () => {
    const body = answerTo(text)
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
  })
})
server.keepAliveTimeout = 60_000

serveParent({
  listen: () => listen(server),
  requests: () => requests,
} satisfies MockNodeCalls)

// Looked at without parsing: a mock that is itself the bottleneck measures nothing.
function answerTo(text: string): string {
  const method = /"method":"(\w+)"/.exec(text)?.[1] ?? ''
  const items = Array.from(text.matchAll(/"id":(\d+|"[^"]*")/g), ([, id]) => itemOf(id!, method))
  return text.startsWith('[') ? `[${items.join(',')}]` : (items[0] ?? itemOf('null', method))
}

function itemOf(id: string, method: string): string {
  const result = RESULTS[method]
  const end = result === undefined ? '"error":{"code":-32601,"message":"unknown method"}' : `"result":${result}`
  return `{"jsonrpc":"2.0","id":${id},${end}}`
}
