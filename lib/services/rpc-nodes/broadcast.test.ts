import { type Hex, keccak256 } from 'viem'
import { expect, test } from 'vitest'
import type { RpcCall } from '@/lib/services/rpc-nodes/calls'
import {
  ask,
  captureLog,
  type Script,
  steadyNodes,
  type TestNode,
  testAnvil,
  testNode,
  textOf,
  withNodes,
} from '@/lib/services/rpc-nodes/testing'

const anvil = await testAnvil()

const raw = (bytes: string): RpcCall => ({ method: 'eth_sendRawTransaction', params: JSON.stringify([bytes]), id: '7' })
const errorOf =
  (message: string, code = -32000): Script =>
  ({ response }) =>
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 7, error: { code, message } }))
const successOf = (hash: string) => `{"jsonrpc":"2.0","id":7,"result":"${hash}"}`

const behind =
  (end: (reply: string, response: Parameters<Script>[0]) => void): Script =>
  async (request) => {
    const { body } = request
    const headers = { 'content-type': 'application/json' }
    const reply = await fetch(anvil.url, { method: 'POST', headers, body })
    end(await reply.text(), request)
  }
const honest = behind((reply, { response }) => response.end(reply))
const resetting = behind((_, { request }) => request.socket.destroy())
const broadcasts = ({ seen }: TestNode) => seen.filter(({ method }) => method === 'eth_sendRawTransaction').length

test('a broadcast whose node breaks off after it took it is on the chain once, and a success', async () => {
  const [first, second] = [await testNode('ethereum-mainnet', resetting), await testNode('ethereum-mainnet', honest)]
  const network = await steadyNodes([first, second])
  const nonce = await anvil.ask<Hex>('eth_getTransactionCount', [anvil.account.address, 'latest'])
  const bytes = await anvil.sign()
  const reply = await ask(network, raw(bytes))
  expect(textOf(reply)).toBe(successOf(keccak256(bytes)))
  expect(reply).toMatchObject({ kind: 'answered', retries: 1, scanned: { items: [{ outcome: 'result' }] } })
  expect([broadcasts(first), broadcasts(second)]).toEqual([1, 1])
  const after = await anvil.ask<Hex>('eth_getTransactionCount', [anvil.account.address, 'latest'])
  expect(Number(after)).toBe(Number(nonce) + 1)
})

test('a node that answers is the only one that is asked', async () => {
  const [first, second] = [await testNode('ethereum-mainnet', honest), await testNode('ethereum-mainnet', honest)]
  const bytes = await anvil.sign()
  expect(textOf(await ask(await steadyNodes([first, second]), raw(bytes)))).toContain(keccak256(bytes))
  expect([broadcasts(first), broadcasts(second)]).toEqual([1, 0])
})

test('a slow node is waited for: no other is asked beside it', async () => {
  const slow: Script = async (request) => {
    await new Promise((resolve) => setTimeout(resolve, 500))
    await honest(request)
  }
  const [first, second] = [await testNode('ethereum-mainnet', slow), await testNode('ethereum-mainnet', honest)]
  const network = await steadyNodes([first, second])
  expect(await ask(network, raw(await anvil.sign()))).toMatchObject({ kind: 'answered', retries: 0 })
  expect(broadcasts(second)).toBe(0)
  const batch = [raw(await anvil.sign()), { method: 'eth_gasPrice', id: '8' }]
  expect(await ask(network, batch)).toMatchObject({ kind: 'answered', retries: 0 })
  expect(second.seen).toEqual([])
})

test('identical broadcasts are not joined', async () => {
  const node = await testNode('ethereum-mainnet', errorOf('already known'))
  const network = withNodes([node])
  await Promise.all([ask(network, raw('0x02aa')), ask(network, raw('0x02aa'))])
  expect(broadcasts(node)).toBe(2)
})

test('the first node’s "already known" is the caller’s own affair', async () => {
  const [first, second] = [await testNode('ethereum-mainnet', errorOf('already known')), await testNode()]
  expect(textOf(await ask(await steadyNodes([first, second]), raw('0x02aa')))).toContain('already known')
  expect(second.seen).toEqual([])
})

test.each([
  'already known',
  'AlreadyKnown',
  'Known transaction',
  'transaction already imported',
  'Transaction with the same hash was already imported.',
])('after another node broke off, "%s" is a success', async (message) => {
  const first = await testNode('ethereum-mainnet', ({ request }) => request.socket.destroy())
  const second = await testNode('ethereum-mainnet', errorOf(message))
  expect(textOf(await ask(await steadyNodes([first, second]), raw('0x02aa')))).toBe(successOf(keccak256('0x02aa')))
})

test('"nonce too low" is one only when the chain has the transaction', async () => {
  const first = await testNode('ethereum-mainnet', ({ request }) => request.socket.destroy())
  let found: unknown = null
  const second = await testNode('ethereum-mainnet', ({ calls, response }) => {
    const [call] = calls
    const isLookup = call!.method === 'eth_getTransactionByHash'
    const rest = isLookup ? { result: found } : { error: { code: -32000, message: 'nonce too low' } }
    response.end(JSON.stringify({ jsonrpc: '2.0', id: call!.id, ...rest }))
  })
  const network = await steadyNodes([first, second])
  expect(textOf(await ask(network, raw('0x02aa')))).toContain('nonce too low')
  found = { hash: keccak256('0x02aa') }
  expect(textOf(await ask(network, raw('0x02aa')))).toBe(successOf(keccak256('0x02aa')))
})

test('in a batch only what the chain has becomes a success, and the rest stays as it came', async () => {
  const first = await testNode('ethereum-mainnet', ({ request }) => request.socket.destroy())
  const second = await testNode('ethereum-mainnet', ({ response }) =>
    response.end(
      '[{"id":2, "result":  "0x1"},{"id":7,"error":{"code":-32000,"message":"already known"}}, {"id":"é","error":{"message":"underpriced"}}]',
    ),
  )
  const reply = await ask(await steadyNodes([first, second]), [
    raw('0x02aa'),
    { method: 'eth_gasPrice', id: '2' },
    { ...raw('0x02bb'), id: '"é"' },
  ])
  expect(textOf(reply)).toBe(
    `[{"id":2, "result":  "0x1"},${successOf(keccak256('0x02aa'))},{"id":"é","error":{"message":"underpriced"}}]`,
  )
  expect(reply).toMatchObject({ scanned: { isBatch: true, items: [{}, { outcome: 'result' }, { outcome: 'error' }] } })
})

test('a node that wants no more of us did not take it: the next is asked, and the first is believed when all say so', async () => {
  const limited = errorOf('Too many requests', -32029)
  const [first, second] = [await testNode('ethereum-mainnet', limited), await testNode('ethereum-mainnet', honest)]
  const bytes = await anvil.sign()
  expect(textOf(await ask(await steadyNodes([first, second]), raw(bytes)))).toContain(keccak256(bytes))
  second.script(limited)
  expect(textOf(await ask(await steadyNodes([first, second]), raw('0x02aa')))).toContain('Too many requests')
})

test('when no node says what became of it, the error names the transaction and warns of a second one', async () => {
  const first = await testNode('ethereum-mainnet', ({ request }) => request.socket.destroy())
  const second = await testNode('ethereum-mainnet', ({ response }) => response.end('<html>'))
  await expect(ask(await steadyNodes([first, second]), raw('0x02aa'))).rejects.toMatchObject({
    code: 'RPC_UPSTREAM_FAILED',
    message: expect.stringMatching(new RegExp(`${keccak256('0x02aa')} before you sign another`)),
  })
  // Each was asked once.
  expect([broadcasts(first), broadcasts(second)]).toEqual([1, 1])
})

test('when no node could be reached, it says nothing of the kind', async () => {
  const gone = await testNode()
  await gone.stop()
  await expect(ask(withNodes([gone]), raw('0x02aa'))).rejects.toThrow(/Try again/)
})

test('every broadcast is logged with its hash and never with what was signed', async () => {
  const node = await testNode('ethereum-mainnet', honest)
  const network = withNodes([node])
  const log = captureLog()
  const bytes = await anvil.sign()
  await ask(network, raw(bytes))
  // Whatever watches nodes writes into the same log, when it pleases.
  const lines = log()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.filter(({ msg }) => msg === 'broadcast')).toEqual([
    expect.objectContaining({
      network: 'ethereum-mainnet',
      method: 'eth_sendRawTransaction',
      hash: keccak256(bytes),
      outcome: 'result',
      requestId: expect.stringMatching(/^request-/),
      accountId: 'account',
    }),
  ])
  expect(log()).not.toContain(bytes.slice(2, 40))
})

test('so are user operations and Starknet transactions, by what the node calls them', async () => {
  const result = `0x${'ab'.repeat(32)}`
  const bundler = await testNode('ethereum-mainnet', ({ response }) => response.end(`{"id":1,"result":"${result}"}`))
  const network = withNodes([bundler])
  const log = captureLog()
  await ask(network, { method: 'eth_sendUserOperation', params: '[{"signature":"0xsecret"},"0x1"]' })
  expect(log()).toContain(`"hash":"${result}"`)
  expect(log()).not.toContain('secret')

  const script: Script = ({ response }) => response.end('{"id":1,"result":{"transaction_hash":"0xabc"}}')
  const starknet = await testNode('starknet-sepolia', script)
  const other = withNodes([starknet], 'starknet-sepolia')
  const otherLog = captureLog()
  await ask(other, { method: 'starknet_addInvokeTransaction', params: '[{"signature":["0xsecret"]}]' })
  expect(otherLog()).toContain('"hash":"0xabc"')
  expect(otherLog()).not.toContain('secret')
})

test('of a batch whose nonces are all taken, the chain is asked about all at once', async () => {
  const first = await testNode('ethereum-mainnet', ({ request }) => request.socket.destroy())
  const batch = Array.from({ length: 20 }, (_, id) => ({ ...raw(`0x02${10 + id}`), id: String(id) }))
  const allLook = Promise.withResolvers<void>()
  let looks = 0
  const second = await testNode('ethereum-mainnet', async ({ calls, response }) => {
    if (calls[0]!.method === 'eth_getTransactionByHash') {
      if (++looks === batch.length) allLook.resolve()
      // The first is answered when the last has come.
      await allLook.promise
      response.end('{"jsonrpc":"2.0","id":1,"result":null}')
      return
    }
    const error = { code: -32000, message: 'nonce too low' }
    response.end(JSON.stringify(calls.map(({ id }) => ({ jsonrpc: '2.0', id, error }))))
  })
  const network = await steadyNodes([first, second])
  expect(textOf(await ask(network, batch))).toContain('nonce too low')
  expect(looks).toBe(20)
})
