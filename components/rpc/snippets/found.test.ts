import fc from 'fast-check'
import { expect, test } from 'vitest'
import { linkOf } from '@/components/rpc/link'
import { callsInCode, foundIn } from '@/components/rpc/snippets/open-in-rpc'

const ADDRESS = '0x00000000219ab540356cBB839Cbe05303d7705Fa'
const HASH = `0x${'5c'.repeat(32)}`

test('an address, a transaction and a block are told apart by the words before them', () => {
  const text = `The deposit contract ${ADDRESS} was called in transaction ${HASH}, in block \`0x${'ab'.repeat(32)}\`.`
  expect(foundIn(text).map(({ kind, method }) => [kind, method])).toEqual([
    ['address', 'eth_getBalance'],
    ['transaction', 'eth_getTransactionByHash'],
    ['block', 'eth_getBlockByHash'],
  ])
})

test.each([
  [`On Polygon Amoy: ${ADDRESS}`, 'polygon-amoy'],
  [`${ADDRESS} on ethereum-sepolia`, 'ethereum-sepolia'],
  [`Ethereum has ${ADDRESS}`, 'ethereum-mainnet'],
  [`It lives on Base Sepolia, not on Sepolia: ${ADDRESS}`, 'ethereum-sepolia'],
  [`${ADDRESS}`, 'base-mainnet'],
  [`the base of polygons: ${ADDRESS}`, 'base-mainnet'],
])('%s is on %s', (text, slug) => {
  expect(foundIn(text)[0]?.network.slug).toBe(slug)
})

test('each is offered once, and no more than a menu holds', () => {
  expect(foundIn(`${ADDRESS} ${ADDRESS.toLowerCase()}`)).toHaveLength(1)
  const many = Array.from({ length: 50 }, (_, index) => `0x${index.toString(16).padStart(40, '0')}`)
  expect(foundIn(many.join(' '))).toHaveLength(8)
})

test('other lengths of hex, and parts of longer ones, are nothing', () => {
  expect(
    foundIn(`0x${'a'.repeat(39)} 0x${'a'.repeat(41)} 0x${'a'.repeat(63)} 0x${'a'.repeat(65)} x${ADDRESS}`),
  ).toEqual([])
})

test('whatever a model writes, only what stands in it is offered, and every way leads into the playground', () => {
  const piece = fc.oneof(
    fc.constantFrom(ADDRESS, HASH, ' block ', ' on Base ', 'Starknet Mainnet', '`', '<a>'),
    fc.string(),
  )
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const text = pieces.join('')
      for (const found of foundIn(text)) {
        expect(text).toContain(found.value)
        expect(linkOf(found).href).toMatch(/^\/rpc\/[a-z-]+\/[A-Za-z_]+\?p=/)
      }
    }),
  )
})

test('a long text costs no more than its beginning', () => {
  const text = `${'0x'.repeat(2_000_000)} ${ADDRESS}`
  expect(foundIn(text)).toEqual([])
})

test('a JSON-RPC call and a batch in code are calls', () => {
  const one = { jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params: [ADDRESS, 'latest'] }
  expect(callsInCode(JSON.stringify(one, null, 2), '')).toMatchObject({
    network: { slug: 'base-mainnet' },
    calls: [{ method: 'eth_getBalance', params: [ADDRESS, 'latest'] }],
    isBatch: false,
  })
  expect(callsInCode(JSON.stringify([one, { method: 'eth_chainId' }]), '')).toMatchObject({
    calls: [{ method: 'eth_getBalance' }, { method: 'eth_chainId', params: [] }],
    isBatch: true,
  })
})

test('a curl command says what it calls and where', () => {
  const code = `curl https://example.com/api/v1/crypto/rpc/polygon-amoy \\\n  -H 'x: y' \\\n  -d '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'`
  expect(callsInCode(code, 'on Base Sepolia')).toMatchObject({
    network: { slug: 'polygon-amoy' },
    calls: [{ method: 'eth_chainId', params: [] }],
  })
})

test('the words around code name its network, if it is of the right family', () => {
  const code = '{"jsonrpc":"2.0","id":1,"method":"starknet_chainId","params":[]}'
  expect(callsInCode(code, 'Ask Base Sepolia, or Starknet Sepolia')?.network.slug).toBe('starknet-sepolia')
  expect(callsInCode(code, 'Ask Base Sepolia')?.network.slug).toBe('starknet-mainnet')
})

test.each([
  '{"method":"POST","params":[]}',
  '{"method":"eth_call","params":"0x"}',
  '{"method":"get user","jsonrpc":"2.0"}',
  '{"method":"eth_call"',
  '[]',
  '[{"method":"eth_call"},7]',
  '7',
  '',
])('%s is no call', (code) => {
  expect(callsInCode(code, '')).toBeUndefined()
})
