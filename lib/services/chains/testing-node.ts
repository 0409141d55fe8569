import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll } from 'vitest'

type Call = { id: number; method: string; params: unknown[] }
type Reply = { result?: unknown; error?: { code: number; message: string } }
type Twist<Params extends unknown[]> = (params: Params, real: () => Promise<unknown>) => unknown

export class NodeError extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

export async function twistedNode(target: string) {
  const twists = new Map<string, Twist<unknown[]>>()
  const asked = new Map<string, number>()
  let drips = false
  let requests = 0

  async function answer({ method, params }: Call): Promise<Reply> {
    asked.set(method, (asked.get(method) ?? 0) + 1)
    const real = async () => {
      const reply = await ask(target, method, params)
      if (reply.error) throw new NodeError(reply.error.code, reply.error.message)
      return reply.result
    }
    try {
      const twist = twists.get(method)
      return { result: (await (twist ? twist(params, real) : real())) ?? null }
    } catch (error) {
      if (!(error instanceof NodeError)) throw error
      return { error: { code: error.code, message: error.message } }
    }
  }

  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    requests++
    if (drips) return drip(response)
    const calls = JSON.parse(text) as Call | Call[]
    const one = async (call: Call) => ({ jsonrpc: '2.0', id: call.id, ...(await answer(call)) })
    const replies = Array.isArray(calls) ? await Promise.all(calls.map(one)) : await one(calls)
    response.writeHead(200, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify(replies))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: (method: string) => asked.get(method) ?? 0,
    requests: () => requests,
    twist: <Params extends unknown[]>(method: string, twist: Twist<Params>) =>
      void twists.set(method, twist as Twist<unknown[]>),
    drip: () => {
      drips = true
    },
    straighten: () => {
      twists.clear()
      asked.clear()
      drips = false
      requests = 0
    },
  }
}

async function ask(url: string, method: string, params: unknown[]): Promise<Reply> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return (await response.json()) as Reply
}

function drip(response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'application/json' })
  response.write('{"jsonrpc":')
}
