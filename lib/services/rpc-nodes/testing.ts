import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import pino from 'pino'
import { type Hex, http, type PrivateKeyAccount, parseEther, parseGwei } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, afterEach } from 'vitest'
import { networkOf, nodesVariable, type RpcNetwork, type RpcSlug } from '@/lib/contract/rpc-networks'
import { type Config, config, parseConfig } from '@/lib/kernel/config'
import { perProcess, resetPerProcess } from '@/lib/kernel/per-process'
import type { RpcCall } from '@/lib/services/rpc-nodes/calls'
import { forward } from '@/lib/services/rpc-nodes/forward'
import { look } from '@/lib/services/rpc-nodes/health'
import type { NodeReply } from '@/lib/services/rpc-nodes/node-outcome'
import { findNodes, type NodeSet } from '@/lib/services/rpc-nodes/nodes'
import { startAnvil } from '@/sandbox/evm/anvil'

type NodeCallSeen = { id: unknown; method: string; params?: unknown[] }

type NodeRequest = {
  body: string
  calls: NodeCallSeen[]
  request: IncomingMessage
  response: ServerResponse
  answer: () => void
}
export type Script = (request: NodeRequest) => unknown

export type TestNode = {
  url: string
  port: number
  seen: NodeCallSeen[]
  count: (method: string) => number
  facts: { chainId: string; height: number; finalized: number | undefined }
  script: (script: Script, options?: { isForAll?: boolean }) => void
  stop: () => Promise<void>
}

const HEALTH: ReadonlySet<string> = new Set([
  'eth_chainId',
  'eth_blockNumber',
  'starknet_chainId',
  'starknet_blockNumber',
])
const FINALIZED = '["finalized",false]'

const RESULTS = ['rpc-results', 'rpc-overview']

const stops: (() => Promise<void>)[] = []
const holder = globalThis as { __serviceConfig?: Config }
let before: Config | undefined
let variables: Record<string, string> = {}

afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()))
  if (before) holder.__serviceConfig = before
  before = undefined
  variables = {}
  for (const name of ['rpc-nodes', 'rpc-joins', 'log', ...RESULTS]) resetPerProcess(name)
})

/** Starts a node of this network on loopback. It ends with the test. */
export async function testNode(slug: RpcSlug = 'ethereum-mainnet', script?: Script): Promise<TestNode> {
  const network = networkOf(slug)!
  const sockets = new Set<Socket>()
  const counts = new Map<string, number>()
  let current: Script = script ?? (({ answer }) => answer())
  let isForAll = false
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const parsed = JSON.parse(body) as NodeCallSeen | NodeCallSeen[]
    const calls = Array.isArray(parsed) ? parsed : [parsed]
    for (const { method } of calls) counts.set(method, (counts.get(method) ?? 0) + 1)
    const isCheck = !Array.isArray(parsed) && isHealthCheck(parsed)
    const answer = () => {
      const replies = calls.map((call) => ({ jsonrpc: '2.0', id: call.id ?? null, result: resultOf(node, call) }))
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(Array.isArray(parsed) ? replies : replies[0]))
    }
    if (isCheck && !isForAll) return answer()
    if (!isCheck) node.seen.push(...calls)
    await current({ body, calls, request, response, answer })
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = (server.address() as AddressInfo).port
  const stop = async () => {
    if (!server.listening) return
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  }
  stops.push(stop)
  const node: TestNode = {
    url: `http://127.0.0.1:${port}`,
    port,
    seen: [],
    count: (method) => counts.get(method) ?? 0,
    facts: { chainId: network.chainId, height: 1_000, finalized: 900 },
    script: (next, options) => {
      current = next
      isForAll = options?.isForAll ?? false
    },
    stop,
  }
  return node
}

export function withNodes(nodes: readonly (TestNode | string)[], slug: RpcSlug = 'ethereum-mainnet'): RpcNetwork {
  before ??= config()
  for (const name of RESULTS) resetPerProcess(name)
  variables[nodesVariable(slug)] = nodes.map((node) => (typeof node === 'string' ? node : node.url)).join(',')
  holder.__serviceConfig = parseConfig({ ...variables, SANDBOX: 'on', LOG_LEVEL: 'silent' })
  return networkOf(slug)!
}

export function captureLog(): () => string {
  const lines: string[] = []
  resetPerProcess('log')
  perProcess('log', () => pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) }))
  return () => lines.join('')
}

let requests = 0

export function ask(
  network: RpcNetwork,
  calls: RpcCall | RpcCall[],
  signal = new AbortController().signal,
): Promise<NodeReply> {
  const request = Array.isArray(calls) ? { calls, isBatch: true } : { calls: [{ id: '1', ...calls }], isBatch: false }
  return forward(network, request, { signal, requestId: `request-${++requests}`, accountId: 'account' })
}

export function setOf(network: RpcNetwork): NodeSet {
  const found = findNodes(network)
  if ('reason' in found) throw new Error(found.reason)
  return found
}

/** As `withNodes`, with nodes that were checked and are known as equally fast. */
export async function steadyNodes(nodes: readonly TestNode[], usualMs?: number): Promise<RpcNetwork> {
  const network = withNodes(nodes)
  await settle(network, usualMs)
  return network
}

export async function settle(network: RpcNetwork, usualMs = 300): Promise<void> {
  const set = setOf(network)
  await look(set)
  const latencies = set.nodes.flatMap(({ light, heavy }) => [light, heavy])
  for (let times = 0; times < 100; times++) for (const latency of latencies) latency.learn(usualMs, performance.now())
}

export const textOf = (reply: NodeReply): string =>
  typeof reply.body === 'string' ? reply.body : Buffer.from(reply.body).toString('utf8')

export const ZERO_BALANCE: RpcCall = { method: 'eth_getBalance', params: `["0x${'0'.repeat(40)}","latest"]` }

let addresses = 0
export const freshCall = (): RpcCall => ({
  method: 'eth_getBalance',
  params: `["0x${(++addresses).toString(16).padStart(40, '0')}","latest"]`,
})

const isHealthCheck = ({ method, params }: NodeCallSeen): boolean =>
  HEALTH.has(method) || (method === 'eth_getBlockByNumber' && JSON.stringify(params) === FINALIZED)

function resultOf({ facts }: TestNode, { method, params }: NodeCallSeen): unknown {
  switch (method) {
    case 'eth_chainId':
    case 'starknet_chainId':
      return facts.chainId
    case 'eth_blockNumber':
      return `0x${facts.height.toString(16)}`
    case 'starknet_blockNumber':
      return facts.height
    case 'eth_getBlockByNumber':
      return facts.finalized === undefined ? null : { number: `0x${facts.finalized.toString(16)}` }
    default:
      return { method, params }
  }
}

export type TestAnvil = {
  url: string
  ask: <T = unknown>(method: string, params?: unknown[]) => Promise<T>
  sign: (options?: { nonce?: number }) => Promise<Hex>
  account: PrivateKeyAccount
}

const CHAIN_ID = Number(networkOf('ethereum-mainnet')!.chainId)
const RECEIVER = '0x000000000000000000000000000000000000dEaD'

export async function testAnvil(): Promise<TestAnvil> {
  const { url, stop } = await startAnvil(String(CHAIN_ID))
  afterAll(stop)
  const transport = http(url)({})
  const ask = <T>(method: string, params: unknown[] = []) => transport.request({ method, params }) as Promise<T>
  const account = privateKeyToAccount(generatePrivateKey())
  await ask('anvil_setBalance', [account.address, `0x${parseEther('1000').toString(16)}`])
  return {
    url,
    ask,
    account,
    async sign({ nonce } = {}) {
      return account.signTransaction({
        chainId: CHAIN_ID,
        nonce: nonce ?? Number(await ask<Hex>('eth_getTransactionCount', [account.address, 'pending'])),
        to: RECEIVER,
        value: parseEther('1'),
        gas: 21_000n,
        maxFeePerGas: parseGwei('100'),
        maxPriorityFeePerGas: parseGwei('1'),
      })
    },
  }
}
