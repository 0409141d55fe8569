import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { type Answer, ask, expectError, expectNoLeak, nanoOf } from '@/e2e/testing/ask'
import { openStage, type Stage } from '@/e2e/testing/contract-stage'
import { expect, test } from '@/e2e/testing/contract-test'
import { NODE_SECRET } from '@/e2e/testing/rpc-node'

/** Nodes that do their worst, and callers who leave or do not read, on the built server. */

const NANO_PER_CREDIT = 700n
const MEGABYTE = 1024 * 1024
/** Of a 200 whose result is `big`, about. */
const BIG_BYTES = 24 * MEGABYTE

type Call = { id?: unknown; method: string; params?: unknown }
type Script = (response: ServerResponse, call: Call, request: IncomingMessage) => void

let stage: Stage
let key: string
let node: { url: string; script: Script; visits: string[]; close: () => Promise<void> }

test.beforeAll(async () => {
  test.setTimeout(120_000)
  node = await startNode()
  stage = await openStage({ failedRequests: { count: 1_000 } }, { RPC_URLS_BASE_MAINNET: node.url })
  key = await stage.newKey()
})
test.afterAll(async () => {
  await stage?.stop()
  await node?.close()
})

/** Says its chain and height well, and to all else what the test has it say. */
async function startNode() {
  const visits: string[] = []
  const facts: Record<string, string> = { eth_chainId: '0x2105', eth_blockNumber: '0x64' }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    visits.push(`${request.method} ${request.url}`)
    if (request.method !== 'POST') return void response.end()
    const parsed = JSON.parse(body) as Call | Call[]
    const call = [parsed].flat()[0]!
    const fact = facts[call.method]
    if (fact) response.end(JSON.stringify({ jsonrpc: '2.0', id: call.id, result: fact }))
    else own.script(response, call, request)
  })
  server.on('clientError', (_, socket) => socket.destroy())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const own = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v3/${NODE_SECRET}`,
    script: ((response) => response.end()) as Script,
    visits,
    close: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
  return own
}

const rpc = (method: string, params: unknown = [], id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params })
const good: Script = (response, { id }) => response.end(JSON.stringify({ jsonrpc: '2.0', id, result: '0x1' }))

async function call(body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const answer = await ask(stage, key, body, headers, 'crypto/rpc/base-mainnet')
  const seen = answer.text + JSON.stringify([...answer.headers])
  expectNoLeak(seen)
  expect(seen).not.toContain(NODE_SECRET)
  return answer
}

/** Calls and goes on without the answer. */
function post(body: unknown, signal?: AbortSignal, path = '/crypto/rpc/base-mainnet') {
  return fetch(`${stage.baseUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  })
}

async function balance(): Promise<bigint> {
  const response = await fetch(`${stage.baseUrl}/models`, { headers: { authorization: `Bearer ${key}` } })
  return nanoOf(response.headers.get('x-service-balance-usd')!)
}

const nested = (depth: number) => `{"jsonrpc":"2.0","id":1,"result":${'['.repeat(depth)}${']'.repeat(depth)}}`
const item = '{"jsonrpc":"2.0","id":1,"result":"0x1"}'

test.describe('a call is free when its only node', () => {
  const WORST: [name: string, script: Script][] = [
    ['sends a page', (response) => response.end(`<html>http://${NODE_SECRET}.example</html>`)],
    ['sends nothing', (response) => response.end()],
    ['sends half of a reply', (response) => response.end('{"jsonrpc":"2.0","id":1,"result":"0x')],
    ['sends two replies', (response) => response.end(item + item)],
    ['sends a batch where one was asked for', (response) => response.end(`[${item},${item}]`)],
    ['gives two results', (response) => response.end('{"id":1,"result":"0x1","result":"0x2"}')],
    ['nests deep', (response) => response.end(nested(5_000))],
    ['goes away', (response) => response.destroy()],
    ['goes away in the middle', (response) => response.write('{"id":1,"result":"0x', () => response.destroy())],
    [
      'says that it sends 100 MB',
      (response) => response.writeHead(200, { 'content-length': 100 * MEGABYTE }).write('{"id":1,"result":"'),
    ],
    [
      'sends a bomb',
      (response) => {
        const bomb = gzipSync(Buffer.concat([Buffer.from('{"id":1,"result":"'), Buffer.alloc(64 * MEGABYTE, 'x')]))
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
      },
    ],
    ['packs in an unknown way', (response) => response.writeHead(200, { 'content-encoding': 'rot13' }).end(item)],
    ['has a head without end', (response) => response.writeHead(200, { 'x-long': 'x'.repeat(200_000) }).end(item)],
    [
      'sends the server elsewhere',
      (response) => response.writeHead(307, { location: `${new URL(node.url).origin}/elsewhere` }).end(),
    ],
  ]
  for (const [name, script] of WORST) {
    test(name, async () => {
      node.script = script
      const before = await balance()
      expectError(await call(rpc('eth_gasPrice')), 500, 'RPC_UPSTREAM_FAILED')
      expect(await balance()).toBe(before)
      expect(node.visits.join()).not.toContain('elsewhere')
    })
  }

  test('and the next call is answered all the same', async () => {
    node.script = good
    expect((await call(rpc('eth_gasPrice'))).status).toBe(200)
  })
})

test('hints before the reply are not the reply, and cookies of a node are not passed on', async () => {
  node.script = (response, own, request) => {
    response.writeEarlyHints({ link: '</a>; rel=preload' })
    response.setHeader('set-cookie', 'node=1')
    good(response, own, request)
  }
  const answer = await call(rpc('eth_gasPrice'))
  expect(answer.status).toBe(200)
  expect(answer.headers.get('set-cookie')).toBeNull()
})

test('a name that is given a hundred thousand times is told once', async () => {
  const answer = await call(`{${'"id":1,'.repeat(100_000)}"method":"eth_gasPrice"}`)
  expectError(answer, 400, 'INVALID_REQUEST')
  expect(answer.text.length).toBeLessThan(1_000)
})

test.describe('a client', () => {
  test('that leaves while the node thinks pays nothing, and its turn is free', async () => {
    const asked = Promise.withResolvers<void>()
    node.script = () => asked.resolve()
    const before = await balance()
    const controller = new AbortController()
    const leaving = post(rpc('eth_getCode'), controller.signal)
    await asked.promise
    controller.abort()
    await expect(leaving).rejects.toThrow()
    node.script = good
    expect((await call(rpc('eth_gasPrice'))).status).toBe(200)
    expect(before - (await balance())).toBe(20n * NANO_PER_CREDIT)
  })

  test('that does not read a large reply has no turn until it does, and pays once', async () => {
    const before = await balance()
    const big = `{"jsonrpc":"2.0","id":1,"result":"0x${'ab'.repeat(BIG_BYTES / 2)}"}`
    node.script = (response) => response.end(big)
    const slow = await post(rpc('eth_getCode', ['0x1']))
    expect(slow.status).toBe(200)
    node.script = good
    expectError(await call(rpc('eth_gasPrice')), 429, 'RATE_LIMIT_EXCEEDED')
    expect(await slow.text()).toBe(big)
    await expect.poll(async () => before - (await balance())).toBe(20n * NANO_PER_CREDIT)
    expect((await call(rpc('eth_gasPrice'))).status).toBe(200)
  })

  test('that leaves in the middle of one gives its turn back, and pays once', async () => {
    const before = await balance()
    node.script = (response) => response.end(`{"jsonrpc":"2.0","id":1,"result":"0x${'ab'.repeat(BIG_BYTES / 2)}"}`)
    const controller = new AbortController()
    await post(rpc('eth_getCode', ['0x2']), controller.signal)
    controller.abort()
    await expect.poll(async () => before - (await balance())).toBe(20n * NANO_PER_CREDIT)
    node.script = good
    expect((await call(rpc('eth_gasPrice'))).status).toBe(200)
  })
})

test.describe('what is for the service’s own pages', () => {
  for (const origin of ['https://evil.example', 'null', undefined]) {
    for (const [path, body] of [
      ['rpc/matrix', { networks: ['base-mainnet'], method: 'eth_gasPrice' }],
      ['sandbox/ether', { network: 'base-sepolia', address: `0x${'ab'.repeat(20)}` }],
    ] as const) {
      test(`/api/${path} says no to ${origin ?? 'a program'}`, async () => {
        const response = await fetch(stage.baseUrl.replace(/v1$/, path), {
          method: 'POST',
          headers: {
            authorization: `Bearer ${key}`,
            'content-type': 'application/json',
            ...(origin !== undefined && { origin }),
          },
          body: JSON.stringify(body),
        })
        expect(response.status).toBe(403)
      })
    }
  }

  test('the matrix asks a network once, however often it is named, and charges what came', async () => {
    node.script = good
    const before = await balance()
    const response = await fetch(stage.baseUrl.replace(/v1$/, 'rpc/matrix'), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        origin: new URL(stage.baseUrl).origin,
      },
      body: JSON.stringify({ networks: ['base-mainnet', 'base-mainnet'], method: 'eth_gasPrice' }),
    })
    expect(response.status).toBe(200)
    const lines = (await response.text()).trim().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ network: 'base-mainnet', credits: 20 }])
    await expect.poll(async () => before - (await balance())).toBe(20n * NANO_PER_CREDIT)
  })
})

test('nothing of this is in the log with the node’s address, and the server never stopped', async () => {
  const log = await stage.log()
  expect(log).not.toContain(NODE_SECRET)
  expect(log).not.toMatch(/unhandled|uncaught/i)
})
