import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type Column,
  csvOf,
  displayOf,
  endWaiting,
  fastestOf,
  sortedRows,
  totalsOf,
  tsvOf,
  waitingRows,
  withLine,
} from '@/components/rpc/matrix/rows'
import type { MatrixLine, RpcSlug } from '@/lib/contract/rpc-networks'
import { NETWORKS, networkOf } from '@/lib/contract/rpc-networks'

const base = networkOf('base-mainnet')!

const line = (result: unknown, more: Partial<MatrixLine> = {}): MatrixLine => ({
  network: 'base-mainnet',
  status: 200,
  ms: 12,
  credits: 20,
  costUsd: 0.000014,
  outcome: 'result',
  reply: { jsonrpc: '2.0', id: 1, result },
  height: 100,
  ...more,
})

const decoded = (method: string, result: unknown, slug: RpcSlug = 'base-mainnet') =>
  displayOf(line(result), method, networkOf(slug)!).decoded

test.each([
  ['eth_blockNumber', '0x12d687', '1,234,567'],
  ['eth_getBalance', '0xde0b6b3a7640000', '1 ETH'],
  ['eth_gasPrice', '0x59682f00', '1.5 gwei'],
  ['eth_chainId', '0x2105', '8453'],
  ['eth_syncing', false, 'Synced'],
  ['eth_getTransactionReceipt', null, 'Not found'],
  ['eth_getLogs', [{}, {}], '2 entries'],
  ['eth_getCode', '0x', 'Empty'],
  ['eth_call', `0x${'00'.repeat(64)}`, '64 bytes'],
  ['web3_clientVersion', 'geth/1.0', undefined],
  [
    'eth_getBlockByNumber',
    { number: '0x10', transactions: [], timestamp: '0x65a00000' },
    '16 · 0 transactions · 2024-01-11T14:49:36Z',
  ],
])('%s of %j is %j', (method, result, expected) => {
  expect(decoded(method, result)).toBe(expected)
})

test('a Starknet chain id is read as the name it is', () => {
  expect(decoded('starknet_chainId', '0x534e5f4d41494e', 'starknet-mainnet')).toBe('SN_MAIN')
})

test('whatever a node answers is shown in one short line', () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ maxDepth: 4 }),
      fc.constantFrom('eth_call', 'eth_getBlockByNumber', 'eth_syncing'),
      (value, method) => {
        const shown = displayOf(line(value), method, base)
        expect(shown.text.length).toBeLessThan(100)
        expect(shown.text).not.toMatch(/undefined|\[object/)
      },
    ),
  )
})

test('an error of the node and one of the service say what they are', () => {
  const reply = { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'the method does not exist' } }
  expect(displayOf(line(undefined, { outcome: 'error', reply }), 'eth_x', base)).toEqual({
    text: '-32601 the method does not exist',
    isFault: true,
  })
  const { reply: _, ...bare } = line(undefined, {
    outcome: 'failed',
    error: { code: 'RPC_UPSTREAM_FAILED', message: 'No node responded.' },
  })
  expect(displayOf(bare, 'eth_x', base)).toEqual({ text: 'No node responded.', isFault: true })
})

const rowsOf = (lines: MatrixLine[]) =>
  lines.reduce((rows, each) => withLine(rows, each, 'eth_blockNumber'), waitingRows(NETWORKS.slice(0, 5)))
const slugs = (rows: { network: { slug: string } }[]) => rows.map(({ network }) => network.slug)

test('an answer takes the place that was held for it', () => {
  const rows = waitingRows(NETWORKS)
  const next = withLine(rows, line('0x1'), 'eth_blockNumber')
  expect(slugs(next)).toEqual(slugs(rows))
  expect(next.find(({ network }) => network === base)).toMatchObject({ state: 'answered', shown: { text: '0x1' } })
  expect(next.filter((row, index) => row !== rows[index])).toHaveLength(1)
})

test('rows sort by what they show: numbers as numbers, and what has nothing to show last', () => {
  const rows = rowsOf([
    line('0x9', { network: 'arbitrum-mainnet', ms: 30 }),
    line('0x10', { network: 'arbitrum-sepolia', ms: 20 }),
    line('0x2', { network: 'avalanche-fuji', ms: 10 }),
    line(undefined, { network: 'avalanche-mainnet', ms: 5, outcome: 'failed', error: { code: 'X', message: 'down' } }),
  ])
  const by = (column: Column, isDescending = false) => slugs(sortedRows(rows, { column, isDescending }))
  expect(by('result')).toEqual([
    'avalanche-fuji',
    'arbitrum-mainnet',
    'arbitrum-sepolia',
    'avalanche-mainnet',
    'base-mainnet',
  ])
  expect(by('result', true)).toEqual([
    'arbitrum-sepolia',
    'arbitrum-mainnet',
    'avalanche-fuji',
    'avalanche-mainnet',
    'base-mainnet',
  ])
  expect(by('latency')[0]).toBe('avalanche-mainnet')
  expect(by('latency').at(-1)).toBe('base-mainnet')
  expect(fastestOf(rows)).toBe('avalanche-fuji')
})

test('sorting loses no row and makes none', () => {
  const some = fc.array(fc.record({ at: fc.nat(4), ms: fc.nat(), result: fc.jsonValue() }), { maxLength: 5 })
  fc.assert(
    fc.property(
      some,
      fc.constantFrom<Column>('network', 'result', 'height', 'latency', 'credits'),
      fc.boolean(),
      (lines, column, isDescending) => {
        const rows = rowsOf(lines.map(({ at, ms, result }) => line(result, { network: NETWORKS[at]!.slug, ms })))
        const sorted = sortedRows(rows, { column, isDescending })
        expect(slugs(sorted).toSorted()).toEqual(slugs(rows).toSorted())
        expect(sortedRows(sorted, { column, isDescending })).toEqual(sorted)
      },
    ),
  )
})

test('totals count what came', () => {
  const rows = endWaiting(rowsOf([line('0x1', { network: 'arbitrum-mainnet' })]), 'lost')
  expect(totalsOf(rows)).toEqual({ asked: 5, answered: 1, results: 1, faults: 0, credits: 20, costUsd: 0.000014 })
  expect(rows.map(({ state }) => state)).toEqual(['answered', 'lost', 'lost', 'lost', 'lost'])
})

function parseCsv(text: string): string[][] {
  return text
    .split(/\r\n(?=(?:[^"]*"[^"]*")*[^"]*$)/)
    .filter((record) => record !== '')
    .map((record) =>
      [...record.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, bare]) =>
        quoted === undefined ? (bare ?? '') : quoted.replaceAll('""', '"'),
      ),
    )
}

test('CSV holds what the rows hold, and runs nothing', () => {
  const nasty = fc.oneof(
    fc.constantFrom('=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\r', '\n', '"', ',', '",=1', 'plain'),
    fc.string(),
  )
  fc.assert(
    fc.property(nasty, (result) => {
      const rows = rowsOf([line(result, { network: 'arbitrum-mainnet' })])
      const [head, first, ...rest] = parseCsv(csvOf(rows))
      expect(head).toHaveLength(10)
      expect(rest).toHaveLength(4)
      const cell = first?.[3] ?? ''
      expect(cell).toBe(/^[=+\-@\t\r\n]/.test(result) ? `'${result}` : result)
      expect(cell).not.toMatch(/^[=+\-@\t\r\n]/)
      expect(tsvOf(rows).trimEnd().split('\n')).toHaveLength(6)
    }),
  )
})

test('a row of CSV has the network, its answer, and what it took', () => {
  const [, first] = parseCsv(csvOf([...rowsOf([line('0x9', { network: 'arbitrum-mainnet' })])]))
  expect(first).toEqual(['arbitrum-mainnet', '0xa4b1', 'result', '0x9', '9', '', '100', '12', '20', '0.000014000'])
})
