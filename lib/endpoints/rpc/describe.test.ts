import { expect, test } from 'vitest'
import { describeRpc } from '@/lib/endpoints/rpc/describe'

test.each([
  ['arbitrum-mainnet', { eth_blockNumber: 18 }, 'eth_blockNumber ×18 · Arbitrum'],
  ['base-sepolia', { eth_call: 1 }, 'eth_call · Base Sepolia'],
  ['arbitrum-mainnet', { b: 1, c: 2, a: 1, d: 1, e: 1 }, 'c ×2, a, b, +2 · Arbitrum'],
  ['base-mainnet', {}, 'JSON-RPC · Base'],
  ['gone-mainnet', { eth_call: 1 }, 'eth_call · gone-mainnet'],
])('%s %j reads %s', (network, calls, text) => expect(describeRpc({ network, calls })).toBe(text))
