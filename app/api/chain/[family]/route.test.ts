import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { POST } from '@/app/api/chain/[family]/route'
import { testDatabase } from '@/lib/db/testing'
import { openGuestSession } from '@/lib/endpoints/session/guest'
import { withEnvironment } from '@/lib/services/identity/testing'
import { countCalls } from '@/lib/services/payments/relay'
import { testChains } from '@/sandbox/testing'

await testChains()
const ORIGIN = 'http://localhost:3000'
const LIVE = { SANDBOX: 'off', SERVICE_ORIGIN: ORIGIN, LOG_LEVEL: 'silent' }

await testDatabase()
const { cookie: GUEST } = await openGuestSession('192.0.2.1')

const call = (
  family: string,
  body: unknown,
  { origin = ORIGIN, contentType = 'application/json', cookie = GUEST.split(';')[0]! } = {},
) =>
  POST(
    new Request(`${ORIGIN}/api/chain/${family}`, {
      method: 'POST',
      headers: { origin, 'content-type': contentType, cookie },
      body: JSON.stringify(body),
    }),
    { params: Promise.resolve({ family }) },
  )
const request = (method: string, params: unknown[] = [], id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params })

const servers: ReturnType<typeof createServer>[] = []
afterAll(() => {
  for (const server of servers) server.close()
})

/** A node that somebody else runs. */
async function node(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  servers.push(server)
  await new Promise((resolve) => server.once('listening', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/?key=s3cret`
}
const answering = (text: string, status = 200) =>
  node((_, response) => response.writeHead(status, { 'content-type': 'application/json' }).end(text))

test('reads both chains', async () => {
  const evm = await call('evm', request('eth_chainId', [], 'x'))
  expect(evm.headers.get('content-type')).toBe('application/json')
  expect(await evm.json()).toEqual({ jsonrpc: '2.0', id: 'x', result: '0x2105' })
  expect(await (await call('solana', request('getGenesisHash'))).json()).toMatchObject({
    result: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
  })
})

test('a batch is answered in its order, what is not relayed among it', async () => {
  const batch = [request('eth_blockNumber', [], 1), request('anvil_dumpState', [], 2), request('eth_chainId', [], 3)]
  expect(await (await call('evm', batch)).json()).toMatchObject([
    { id: 1, result: expect.stringMatching(/^0x/) },
    { id: 2, error: { code: -32601 } },
    { id: 3, result: '0x2105' },
  ])
})

test('nothing that changes a chain is relayed, but for the test wallet of the sandbox', async () => {
  for (const [family, method] of [
    ['evm', 'sandbox_fund'],
    ['evm', 'anvil_setBalance'],
    ['evm', 'eth_sendTransaction'],
    ['solana', 'sendTransaction'],
    ['solana', 'requestAirdrop'],
    ['solana', 'sandbox_fund'],
    ['evm', 'ETH_CHAINID'],
    ['evm', 'eth_chainId '],
    ['evm', 'toString'],
  ] as const) {
    expect(await (await call(family, request(method))).json()).toMatchObject({ error: { code: -32601 } })
  }
  expect(await (await call('evm', request('eth_sendRawTransaction', ['0x00']))).json()).not.toMatchObject({
    error: { code: -32601 },
  })
  await withEnvironment({ ...LIVE, WALLET_RPC_URL_EVM: await answering('{"result":"0x1"}') }, async () => {
    const sent = await call('evm', request('eth_sendRawTransaction', ['0x00']))
    expect(await sent.json()).toMatchObject({ error: { code: -32601 } })
    expect(await (await call('evm', request('eth_blockNumber'))).json()).toEqual({ result: '0x1' })
  })
})

test('numbers of 64 bits come through as the node wrote them', async () => {
  const text = '{"jsonrpc":"2.0","id":1,"result":{"rentEpoch":18446744073709551615}}'
  await withEnvironment({ ...LIVE, WALLET_RPC_URL_SOLANA: await answering(text) }, async () => {
    expect(await (await call('solana', request('getAccountInfo'))).text()).toBe(text)
  })
})

test('a node that fails hands over to the next, and none of their addresses is told', async () => {
  const good = await answering('{"jsonrpc":"2.0","id":1,"result":"0x2a"}')
  const bad = [
    await answering('{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"limit"}}', 429),
    await answering('{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"key s3cret is not known"}}', 401),
    await answering('<html>', 200),
    await answering('{}', 200),
    'http://127.0.0.1:1/?key=s3cret',
    await node((_, response) => response.writeHead(302, { location: good }).end()),
    await node((_, response) => response.end(`{"result":"${'x'.repeat(2_200_000)}"}`)),
  ]
  await withEnvironment({ ...LIVE, WALLET_RPC_URL_EVM: [...bad, good].join(',') }, async () => {
    expect(await (await call('evm', request('eth_blockNumber'))).json()).toMatchObject({ result: '0x2a' })
  })
  await withEnvironment({ ...LIVE, WALLET_RPC_URL_EVM: bad.join(',') }, async () => {
    const response = await call('evm', request('eth_blockNumber'))
    expect(response.status).toBe(502)
    expect(await response.text()).not.toMatch(/127\.0\.0\.1|s3cret/)
  })
})

test('an error that a node answers with status 400 is an answer', async () => {
  const text = '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid params"}}'
  await withEnvironment({ ...LIVE, WALLET_RPC_URL_EVM: await answering(text, 400) }, async () => {
    expect(await (await call('evm', request('eth_call'))).text()).toBe(text)
  })
})

test('the replies of a batch are bounded together', async () => {
  const large = await answering(`{"jsonrpc":"2.0","id":1,"result":"${'x'.repeat(1_000_000)}"}`)
  await withEnvironment({ ...LIVE, WALLET_RPC_URL_EVM: large }, async () => {
    const batch = (count: number) => call('evm', Array(count).fill(request('eth_blockNumber')))
    expect((await batch(4)).status).toBe(200)
    expect((await batch(5)).status).toBe(502)
  })
})

test('without a node the answer says so', async () => {
  await withEnvironment(LIVE, async () => {
    expect((await call('evm', request('eth_blockNumber'))).status).toBe(503)
  })
})

test.each([
  ['another site', 'evm', request('eth_chainId'), { origin: 'https://evil.example' }, 403],
  ['a program that says it is our page', 'evm', request('eth_chainId'), { cookie: '' }, 401],
  ['another chain', 'bitcoin', request('eth_chainId'), {}, 404],
  ['no JSON-RPC', 'evm', { hello: 1 }, {}, 400],
  ['an empty batch', 'evm', [], {}, 400],
  ['a batch of 21', 'evm', Array.from({ length: 21 }, () => request('eth_chainId')), {}, 400],
  ['too much', 'evm', request('eth_call', ['x'.repeat(65_536)]), {}, 413],
  ['a batch in a batch', 'evm', [[request('eth_chainId')]], {}, 400],
  ['an id that is an object', 'evm', request('eth_chainId', [], {}), {}, 400],
  ['an id without end', 'evm', request('eth_chainId', [], 'x'.repeat(65)), {}, 400],
  ['a form', 'evm', request('eth_chainId'), { contentType: 'text/plain' }, 415],
])('%s is refused', async (_what, family, body, options, status) => {
  expect((await call(family, body, options)).status).toBe(status)
})

test('an address can ask 120 times a minute, a batch counting its items', () => {
  const nowMs = Date.UTC(2031, 0, 1)
  const one = { jsonrpc: '2.0', id: 1, method: 'eth_chainId' } as const
  for (let batch = 0; batch < 6; batch++) countCalls('10.1.1.1', Array(19).fill(one), nowMs)
  for (let call = 0; call < 6; call++) countCalls('10.1.1.1', one, nowMs)
  expect(() => countCalls('10.1.1.1', one, nowMs)).toThrow(expect.objectContaining({ retryAfterSeconds: 60 }))
  countCalls('10.1.1.2', one, nowMs)
})
