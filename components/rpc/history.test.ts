import { expect, test } from 'vitest'
import type { RpcAnswer } from '@/components/rpc/client'
import { type RpcRun, runOutcome, searchRuns } from '@/components/rpc/store'

const answer = (changes: Partial<RpcAnswer>): RpcAnswer => ({
  network: 'base-mainnet',
  calls: [{ method: 'eth_call', params: [] }],
  isBatch: false,
  at: 0,
  status: 200,
  ms: 10,
  bytes: 2,
  text: '{}',
  headers: [],
  isReplayed: false,
  ...changes,
})
const two = [
  { method: 'eth_call', params: [] },
  { method: 'trace_block', params: [] },
]

test.each([
  ['result', { credits: 20 }],
  ['error', { credits: 5 }],
  ['result', { credits: 60, calls: two, isBatch: true }],
  ['mixed', { credits: 25, calls: two, isBatch: true }],
  ['error', { credits: 10, calls: two, isBatch: true }],
  ['refused', { status: 400 }],
  ['refused', { status: 429 }],
] as const)('an answer counts as %s by its price: %o', (outcome, changes) => {
  expect(runOutcome(answer(changes))).toBe(outcome)
})

test('runs are found by network, method and parameters', () => {
  const run = (words: string) => ({ words }) as RpcRun
  const runs = [run('base-mainnet eth_getbalance ["0xdead","latest"]'), run('base-sepolia eth_call [{}]')]
  expect(searchRuns(runs, 'BASE getBalance')).toEqual([runs[0]])
  expect(searchRuns(runs, '0xdead')).toEqual([runs[0]])
  expect(searchRuns(runs, ' ')).toEqual(runs)
  expect(searchRuns(runs, 'sepolia dead')).toEqual([])
})
