import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Stands in the node's address and must never be seen by anybody. */
export const NODE_SECRET = 'nodekey0123456789abcdef'

type Call = { id?: unknown; method: string; params?: unknown }
/** What the node says in place of its own answer: a result, a whole body, or a way to fail. */
export type Said =
  | { result: unknown; afterMs?: number }
  | { error: { code: number; message: string }; afterMs?: number }
  | { status: number; body: string; type?: string }
  | { cut: true }

export type RpcNode = {
  url: string
  /** Bodies as they came, oldest first; not those of health checks. */
  bodies: string[]
  /** Says what to answer to a method from now on. */
  say: (method: string, said: Said | ((call: Call) => Said)) => void
  /** Forgets what was said and asked. */
  reset: () => void
  close: () => Promise<void>
}

/** A node of a made-up chain on loopback, which answers what a test says and keeps what it was asked. */
export async function startRpcNode(chainId: string): Promise<RpcNode> {
  const said = new Map<string, (call: Call) => Said>()
  const own: Record<string, () => Said> = {
    eth_chainId: () => ({ result: chainId }),
    starknet_chainId: () => ({ result: chainId }),
    eth_blockNumber: () => ({ result: '0x64' }),
    starknet_blockNumber: () => ({ result: 100 }),
  }
  const bodies: string[] = []
  const say = (call: Call): Said =>
    (said.get(call.method) ?? own[call.method] ?? (() => ({ result: `${call.method} of ${chainId}` })))(call)

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = ''
    for await (const chunk of request) body += chunk
    const parsed = JSON.parse(body) as Call | Call[]
    if (!request.url?.includes(NODE_SECRET)) return void response.writeHead(401).end('wrong key')
    const calls = [parsed].flat()
    if (!calls.every(({ method }) => PROBES.has(method))) bodies.push(body)
    const items: unknown[] = []
    for (const call of calls) {
      const what = say(call)
      if ('cut' in what) return void response.destroy()
      if ('status' in what) {
        response.writeHead(what.status, { 'content-type': what.type ?? 'application/json' }).end(what.body)
        return
      }
      if (what.afterMs) await sleep(what.afterMs)
      const { afterMs: _, ...outcome } = what
      items.push({ jsonrpc: '2.0', id: call.id ?? null, ...outcome })
    }
    response.writeHead(200, { 'content-type': 'application/json', 'x-node-says': NODE_SECRET })
    response.end(JSON.stringify(Array.isArray(parsed) ? items : items[0]))
  }

  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v3/${NODE_SECRET}`,
    bodies,
    say: (method, what) => said.set(method, typeof what === 'function' ? what : () => what),
    reset: () => {
      said.clear()
      bodies.length = 0
    },
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** What the service asks by itself. */
const PROBES = new Set([
  'eth_chainId',
  'eth_blockNumber',
  'eth_getBlockByNumber',
  'starknet_chainId',
  'starknet_blockNumber',
])
