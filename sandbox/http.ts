import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  failure,
  INVALID_REQUEST,
  PARSE_ERROR,
  parseRequest,
  RpcError,
  type RpcReply,
  type RpcRequest,
} from './json-rpc'

const MAX_BODY_BYTES = 2 * 1024 * 1024
const MAX_BATCH = 100
const REQUEST_TIMEOUT_MS = 30_000

export type Answer = (request: RpcRequest) => unknown

export type AnswerAt = (path: string) => Answer | undefined

export type RpcServer = { port: number; url: string; close: () => Promise<void> }

/**
 * Serves JSON-RPC on loopback, on the first free port of `ports` (0 takes any). Requests of web pages, and under other
 * host names, are refused.
 *
 * @throws Error when no port is free.
 */
export async function serveRpc(answerAt: AnswerAt, ports: readonly number[]): Promise<RpcServer> {
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    void serve(answerAt, request, response)
  })
  const port = await listen(server, ports)
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function listen(server: Server, ports: readonly number[]): Promise<number> {
  for (const port of ports) {
    try {
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
      // A server that listens on a port has such an address.
      return (server.address() as AddressInfo).port
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error
    }
  }
  throw new Error(`none of the ports ${ports.join(', ')} is free`)
}

async function serve(answerAt: AnswerAt, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const refusal = refusalOf(request)
  if (refusal) return refuse(response, refusal)
  const answer = answerAt(request.url ?? '/')
  if (!answer) return refuse(response, { status: 404, message: 'There is no chain here.' })
  try {
    const text = JSON.stringify(await answerAll(answer, await readBody(request)))
    response.writeHead(200, { 'Content-Type': 'application/json' })
    response.end(text)
  } catch {
    // The client left in the middle, or sent more than it may without saying how much.
    response.destroy()
  }
}

function refuse(response: ServerResponse, { status, message, headers }: Refusal): void {
  response.writeHead(status, { 'Content-Type': 'text/plain', Connection: 'close', ...headers })
  response.end(`${message}\n`)
}

type Refusal = { status: number; message: string; headers?: Record<string, string> }

/** A JSON content type makes a browser send a preflight, which is refused. */
function refusalOf({ method, headers }: IncomingMessage): Refusal | undefined {
  if (method !== 'POST') return { status: 405, message: 'Send JSON-RPC with POST.', headers: { Allow: 'POST' } }
  // Extensions have origins of their own and may use the node; a page's is http, https or "null".
  if (headers.origin !== undefined && !/^[a-z]+(-[a-z]+)?-extension:/.test(headers.origin)) {
    return { status: 403, message: 'Pages of the web may not use this node.' }
  }
  if (!/^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(headers.host ?? '')) {
    return { status: 403, message: 'This node answers as 127.0.0.1 only.' }
  }
  if (headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() !== 'application/json') {
    return { status: 415, message: 'Send application/json.' }
  }
  if (Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES) {
    return { status: 413, message: `The body is larger than ${MAX_BODY_BYTES} bytes.` }
  }
  return undefined
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) throw new RangeError('the body is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

async function answerAll(answer: Answer, body: string): Promise<RpcReply | RpcReply[]> {
  let parsed: unknown
  try {
    parsed = JSON.parse(body)
  } catch {
    return failure(null, new RpcError(PARSE_ERROR, 'Parse error'))
  }
  if (!Array.isArray(parsed)) return answerOne(answer, parsed)
  if (parsed.length === 0 || parsed.length > MAX_BATCH) {
    return failure(null, new RpcError(INVALID_REQUEST, `A batch has 1 to ${MAX_BATCH} requests`))
  }
  // One after the other: a batch is answered as if its requests had come in this order.
  const replies: RpcReply[] = []
  for (const item of parsed) replies.push(await answerOne(answer, item))
  return replies
}

async function answerOne(answer: Answer, item: unknown): Promise<RpcReply> {
  let id: RpcRequest['id'] = null
  try {
    const request = parseRequest(item)
    id = request.id
    return { jsonrpc: '2.0', id, result: (await answer(request)) ?? null }
  } catch (error) {
    return failure(id, error)
  }
}
