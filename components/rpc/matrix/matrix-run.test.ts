import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { matrixHref, type NetworkPick, readMatrixLink } from '@/components/rpc/link'
import { callNetworks, matrixProblem, networksFor, pickedNetworks } from '@/components/rpc/matrix/matrix-run'
import { ApiError } from '@/lib/contract/errors'
import { type MatrixLine, networkOf, RPC_SLUGS } from '@/lib/contract/rpc-networks'

let server: Server
let answer: (response: ServerResponse) => void | Promise<void>
const realFetch = globalThis.fetch

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume()
    request.on('end', () => void answer(response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(() => {
  vi.unstubAllGlobals()
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  // The page asks its own origin; here that is the local server.
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => realFetch(origin + path, init))
})

const networks = [networkOf('base-mainnet')!, networkOf('zksync-mainnet')!]
const call = { networks, method: 'eth_blockNumber', params: [] }
const line = (network: string, more: object = {}): string =>
  `${JSON.stringify({ network, status: 200, ms: 5, credits: 20, costUsd: 0.000014, outcome: 'result', reply: { jsonrpc: '2.0', id: 1, result: '0x1' }, height: 1, ...more })}\n`

async function ask(signal = new AbortController().signal): Promise<MatrixLine[]> {
  const lines: MatrixLine[] = []
  await callNetworks(call, (each) => lines.push(each), signal)
  return lines
}

test('answers come one by one, however the stream is cut', async () => {
  const bytes = Buffer.from(line('zksync-mainnet', { reply: { result: 'é🌊' } }) + line('base-mainnet').trimEnd())
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 6 }), async (cuts) => {
      answer = async (response) => {
        const places = [...new Set([0, ...cuts, bytes.length])].sort((one, other) => one - other)
        for (const [index, place] of places.slice(1).entries()) {
          response.write(bytes.subarray(places[index], place))
          await new Promise((resolve) => setImmediate(resolve))
        }
        response.end()
      }
      const lines = await ask()
      expect(lines.map(({ network }) => network)).toEqual(['zksync-mainnet', 'base-mainnet'])
      expect(lines[0]?.reply).toEqual({ result: 'é🌊' })
    }),
    { numRuns: 25 },
  )
})

test('an answer is handed on before the next one is there', async () => {
  let end: () => void = () => undefined
  answer = (response) => {
    response.write(line('base-mainnet'))
    end = () => response.end(line('zksync-mainnet'))
  }
  const seen: string[] = []
  await callNetworks(
    call,
    ({ network }) => {
      seen.push(network)
      end()
    },
    new AbortController().signal,
  )
  expect(seen).toEqual(['base-mainnet', 'zksync-mainnet'])
})

test('what was not asked for, comes twice, or is no line at all is passed over', async () => {
  answer = (response) => {
    const wrong = ['nonsense\n', '[]\n', 'null\n', '\n', line('ethereum-mainnet'), line('no-network')]
    const odd = line('base-mainnet', { outcome: 'perhaps' })
    response.end([...wrong, odd, line('base-mainnet', { ms: 'soon', height: 1.5 }), line('base-mainnet')].join(''))
  }
  expect(await ask()).toEqual([expect.objectContaining({ network: 'base-mainnet', ms: 0, height: null, credits: 20 })])
})

test('a refusal of the whole is an error with its code', async () => {
  answer = (response) => {
    response.writeHead(402, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: { code: 'INSUFFICIENT_BALANCE', message: 'Add credits.' } }))
  }
  await expect(ask()).rejects.toThrow(ApiError)
})

test('a connection that breaks keeps what came and says that it broke', async () => {
  const seen: string[] = []
  answer = (response) => {
    response.write(line('base-mainnet'))
    setImmediate(() => response.destroy())
  }
  await expect(callNetworks(call, ({ network }) => seen.push(network), new AbortController().signal)).rejects.toThrow()
  expect(seen).toEqual(['base-mainnet'])
})

test('cancelling ends the stream', async () => {
  const controller = new AbortController()
  answer = (response) => void response.write(line('base-mainnet'))
  await expect(callNetworks(call, () => controller.abort(), controller.signal)).rejects.toMatchObject({
    name: 'AbortError',
  })
})

test('nothing that cannot be answered is sent', () => {
  const problem = (change: object) => matrixProblem({ ...call, ...change })
  expect(problem({})).toBeUndefined()
  expect(problem({ networks: [] })).toMatch(/Choose/)
  expect(problem({ method: 'eth_sendRawTransaction' })).toMatch(/one network/)
  expect(problem({ method: 'eth_newFilter' })).toMatch(/eth_getLogs/)
  expect(problem({ method: '' })).toMatch(/Enter a method/)
  expect(problem({ params: undefined })).toMatch(/JSON/)
})

test('a method is asked on the networks of its family', () => {
  expect(networksFor('eth_blockNumber')).toHaveLength(19)
  expect(networksFor('starknet_blockNumber').map(({ slug }) => slug)).toEqual(['starknet-mainnet', 'starknet-sepolia'])
  expect(pickedNetworks(['starknet-mainnet', 'base-mainnet'], 'eth_chainId').map(({ slug }) => slug)).toEqual([
    'base-mainnet',
  ])
})

const anyPick: fc.Arbitrary<NetworkPick> = fc.oneof(
  fc.constantFrom('all' as const, 'mainnets' as const, 'testnets' as const),
  fc.subarray([...RPC_SLUGS]),
)

test('a link says what was asked, and reads back as it was', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 3 }), anyPick, (params, pick) => {
      const href = matrixHref({ method: 'eth_call', params, pick })
      const read = readMatrixLink(new URL(href, 'http://localhost').search)
      fc.pre(href.includes('p='))
      expect(JSON.stringify(read.params)).toBe(JSON.stringify(params))
      expect(read.method).toBe('eth_call')
      expect(read.pick ?? 'all').toEqual(pick)
    }),
  )
})

test('a link never holds a signed transaction, and none is too long', () => {
  expect(matrixHref({ method: 'eth_sendRawTransaction', params: ['0x02f8'], pick: 'all' })).not.toContain('02f8')
  expect(matrixHref({ method: 'eth_call', params: ['a'.repeat(9_000)], pick: 'all' })).toBe('/rpc/matrix?m=eth_call')
})

test('whatever a link says, the screen opens', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), (m, p, n) => {
      const read = readMatrixLink(`?${new URLSearchParams({ m, p, n })}`)
      if (read.method !== undefined) expect(read.method).toMatch(/^\w+$/)
      if (read.params !== undefined) expect(typeof read.params).toBe('object')
    }),
  )
})
