import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { networkOf } from '@/lib/contract/rpc-networks'
import {
  ask,
  freshCall,
  type Script,
  steadyNodes,
  testNode,
  textOf,
  withNodes,
  ZERO_BALANCE,
} from '@/lib/services/rpc-nodes/testing'

const ODD = '{ "result" :{"n":12345678901234567890,"s":"\\u00e9 é"},"id":1,"extra":[1.0],\n"jsonrpc":"2.0"}\n'
const send =
  (body: string | Buffer, status = 200, headers: Record<string, string> = {}): Script =>
  ({ response }) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
const rpcError = (code: number, message: string) => JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code, message } })

describe('a reply', () => {
  test('passes through byte by byte, however it is written and cut', async () => {
    const node = await testNode('ethereum-mainnet', async ({ response }) => {
      for (const byte of Buffer.from(ODD)) {
        response.write(Buffer.from([byte]))
        if (byte === 0x22) await new Promise(setImmediate)
      }
      response.end()
    })
    const reply = await ask(withNodes([node]), ZERO_BALANCE)
    expect(textOf(reply)).toBe(ODD)
    expect(reply).toMatchObject({ kind: 'answered', retries: 0, scanned: { items: [{ outcome: 'result' }] } })
  })

  test('keeps the parameters and the id as they were written', async () => {
    const bodies: string[] = []
    const node = await testNode('ethereum-mainnet', ({ body, answer }) => {
      bodies.push(body)
      answer()
    })
    await ask(withNodes([node]), { method: 'eth_call', params: '[{"value": 1.50e1}, "latest"]', id: '"a\\u0062"' })
    expect(bodies).toEqual([
      '{"jsonrpc":"2.0","id":"a\\u0062","method":"eth_call","params":[{"value": 1.50e1}, "latest"]}',
    ])
  })

  test('of a batch passes through in the node’s order', async () => {
    const body = '[{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"no"}}, {"id":1,"result":null}]'
    const node = await testNode('ethereum-mainnet', send(body))
    const reply = await ask(withNodes([node]), [
      { ...ZERO_BALANCE, id: '1' },
      { ...ZERO_BALANCE, id: '2' },
    ])
    expect(textOf(reply)).toBe(body)
  })

  test('of ten million bytes comes whole', async () => {
    const body = `{"jsonrpc":"2.0","id":1,"result":"${'é'.repeat(5_000_000)}"}`
    const node = await testNode('ethereum-mainnet', send(body))
    const reply = await ask(withNodes([node]), ZERO_BALANCE)
    expect(Buffer.from(reply.body).equals(Buffer.from(body))).toBe(true)
  })

  test('that is packed although nobody asked for it is unpacked', async () => {
    const node = await testNode('ethereum-mainnet', send(gzipSync(ODD), 200, { 'content-encoding': 'gzip' }))
    expect(textOf(await ask(withNodes([node]), ZERO_BALANCE))).toBe(ODD)
  })

  test('with an error of the chain is the answer, and no other node is asked', async () => {
    const [first, second] = [
      await testNode('ethereum-mainnet', send(rpcError(3, 'execution reverted'))),
      await testNode(),
    ]
    const reply = await ask(await steadyNodes([first, second]), ZERO_BALANCE)
    expect(textOf(reply)).toBe(rpcError(3, 'execution reverted'))
    expect(second.seen).toEqual([])
  })
})

describe('the next node is asked when one', () => {
  const bad: [name: string, script: Script][] = [
    ['breaks the connection', ({ request }) => request.socket.destroy()],
    ['answers 500', send('{"error":"sick"}', 500)],
    ['answers 503 as JSON-RPC', send(rpcError(-32000, 'sick'), 503)],
    ['answers 401', send('', 401)],
    ['answers 402', send('', 402)],
    ['answers 403', send('<html>', 403)],
    ['answers 429', send('', 429)],
    ['answers 404 without reasons', send('<html>', 404)],
    ['redirects', send('', 307, { location: 'http://127.0.0.1:1/' })],
    ['answers HTML', send('<html><body>{"jsonrpc":"2.0","id":1,"result":1}</body></html>')],
    ['answers nothing', send('')],
    ['answers JSON that is no reply', send('{"ok":true}')],
    ['answers a batch to one call', send('[{"jsonrpc":"2.0","id":1,"result":1}]')],
    ['ends too early', send('{"jsonrpc":"2.0","id":1,"result":{"a":[1,2')],
    ['promises more than it sends', (at) => cutShort(at)],
    ['announces 40 MB', send('{', 200, { 'content-length': '41943040' })],
    ['sends 40 MB', (at) => flood(at)],
    [
      'sends 40 MB packed into a few',
      send(gzipSync(Buffer.alloc(40_000_000, ' ')), 200, { 'content-encoding': 'gzip' }),
    ],
    ['packs in a way of its own', send('x', 200, { 'content-encoding': 'aws-chunked' })],
    ['sends what cannot be unpacked', send('{}', 200, { 'content-encoding': 'br' })],
    ['says that we ask too often', send(rpcError(-32029, 'Too many requests'))],
    ['says that we ask too often in words', send(rpcError(-32000, 'daily request limit exceeded'))],
  ]

  test.each(bad)('%s', async (_, script) => {
    const [first, second] = [await testNode('ethereum-mainnet', script), await testNode('ethereum-mainnet', send(ODD))]
    const reply = await ask(await steadyNodes([first, second]), ZERO_BALANCE)
    expect(textOf(reply)).toBe(ODD)
    expect(reply.retries).toBe(1)
    expect(first.seen).toHaveLength(1)
  })

  test('is not there', async () => {
    const [gone, second] = [await testNode(), await testNode('ethereum-mainnet', send(ODD))]
    await gone.stop()
    expect(textOf(await ask(await steadyNodes([gone, second]), ZERO_BALANCE))).toBe(ODD)
  })

  test('answers a batch with one error, or with fewer replies than calls', async () => {
    const both = '[{"id":1,"result":1},{"id":2,"result":2}]'
    const nodes = [
      await testNode('ethereum-mainnet', send(rpcError(-32600, 'batches are off'))),
      await testNode('ethereum-mainnet', send('[{"id":1,"result":1}]')),
      await testNode('ethereum-mainnet', send(both)),
    ]
    const reply = await ask(await steadyNodes(nodes), [
      { ...ZERO_BALANCE, id: '1' },
      { ...ZERO_BALANCE, id: '2' },
    ])
    expect(textOf(reply)).toBe(both)
  })

  test('answers a batch with one error, and no other does better: that is the answer', async () => {
    const off = rpcError(-32600, 'batches are off')
    const nodes = [await testNode('ethereum-mainnet', send(off)), await testNode('ethereum-mainnet', send('', 503))]
    const reply = await ask(await steadyNodes(nodes), [
      { ...ZERO_BALANCE, id: '1' },
      { ...ZERO_BALANCE, id: '2' },
    ])
    expect(reply.kind).toBe('answered')
    expect(textOf(reply)).toBe(off)
  })
})

describe('when no node answers', () => {
  test.each([429, 500, 503])('%i of the last is passed on, in our words', async (status) => {
    const node = await testNode('ethereum-mainnet', send('<html>sorry</html>', status))
    const reply = await ask(withNodes([node]), ZERO_BALANCE)
    expect(reply).toMatchObject({ kind: 'refused', status })
    expect(JSON.parse(textOf(reply))).toEqual({
      error: expect.stringContaining(`HTTP ${status}`),
      code: 'RPC_UPSTREAM_FAILED',
    })
  })

  test.each([401, 402, 403, 407])('%i is our affair', async (status) => {
    const node = await testNode('ethereum-mainnet', send('{"error":"pay"}', status))
    await expect(ask(withNodes([node]), ZERO_BALANCE)).rejects.toMatchObject({ code: 'RPC_UPSTREAM_FAILED' })
  })

  test('a reply that was over a limit is better than none', async () => {
    const limited = await testNode('ethereum-mainnet', send(rpcError(-32005, 'more than 10000 results')))
    const broken = await testNode('ethereum-mainnet', send('', 500))
    const reply = await ask(await steadyNodes([limited, broken]), ZERO_BALANCE)
    expect(textOf(reply)).toContain('more than 10000 results')
  })

  test('a reply that is too large says what to do', async () => {
    const node = await testNode('ethereum-mainnet', (at) => flood(at))
    await expect(ask(withNodes([node]), ZERO_BALANCE)).rejects.toThrow(/larger than 32 MB/)
  })

  test('a read is sent once more where the connection broke before anything came', async () => {
    let asked = 0
    const node = await testNode('ethereum-mainnet', ({ request, answer }) =>
      ++asked === 1 ? request.socket.destroy() : answer(),
    )
    expect(await ask(withNodes([node]), ZERO_BALANCE)).toMatchObject({ kind: 'answered', retries: 1 })
  })
})

describe('a refusal', () => {
  test('with reasons is the answer', async () => {
    const first = await testNode('ethereum-mainnet', send(rpcError(-32602, 'invalid address'), 400))
    const second = await testNode()
    const reply = await ask(await steadyNodes([first, second]), ZERO_BALANCE)
    expect(reply).toMatchObject({ kind: 'refused', status: 400, retries: 0 })
    expect(JSON.parse(textOf(reply))).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32602, message: 'invalid address' },
    })
    expect(second.seen).toEqual([])
  })

  test('without reasons gets words of ours', async () => {
    const node = await testNode('ethereum-mainnet', send('<html>too much for /secret</html>', 413))
    const reply = await ask(withNodes([node]), ZERO_BALANCE)
    expect(reply).toMatchObject({ kind: 'refused', status: 413 })
    expect(JSON.parse(textOf(reply)).error).toBe('The node of this network refused this request with HTTP 413.')
  })
})

test('a network without a node says what to set', async () => {
  withNodes([await testNode()])
  await expect(ask(networkOf('starknet-mainnet')!, { method: 'starknet_chainId' })).rejects.toMatchObject({
    code: 'RPC_NETWORK_NOT_CONFIGURED',
    status: 500,
    message: expect.stringContaining('RPC_URLS_STARKNET_MAINNET'),
  })
})

test('a caller who leaves ends the call at the node', async () => {
  const left = Promise.withResolvers<void>()
  const arrived = Promise.withResolvers<void>()
  const node = await testNode('ethereum-mainnet', ({ response }) => {
    response.on('close', left.resolve)
    arrived.resolve()
  })
  const network = withNodes([node])
  const controller = new AbortController()
  const reply = ask(network, freshCall(), controller.signal)
  await arrived.promise
  controller.abort(new Error('gone'))
  await expect(reply).rejects.toThrow('gone')
  await left.promise
})

test('connections are kept', async () => {
  const ports = new Set<number | undefined>()
  const node = await testNode('ethereum-mainnet', ({ request, answer }) => {
    ports.add(request.socket.remotePort)
    answer()
  })
  const network = withNodes([node])
  for (let index = 0; index < 20; index++) await ask(network, freshCall())
  // The health checks that run beside them have one or two of their own.
  expect(ports.size).toBeLessThanOrEqual(3)
})

const cutShort: Script = ({ response }) => {
  response.writeHead(200, { 'content-length': '1000' })
  response.write('{"jsonrpc":"2.0","id":1,"result":1}', () => response.destroy())
}

const flood: Script = ({ response }) => {
  response.write('{"jsonrpc":"2.0","id":1,"result":"')
  for (let part = 0; part < 40; part++) response.write(Buffer.alloc(1_000_000, 'a'))
  response.end('"}')
}
