import { expect, test } from 'vitest'
import { decodeReply } from '@/components/rpc/response/decode/decode'
import { openReply } from '@/components/rpc/response/decode/json'
import { hintFor, hintsOf } from '@/components/rpc/response/text-view'

function hints(method: string, result: unknown, params: unknown = []) {
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, result })
  const asked = { network: 'base-mainnet' as const, calls: [{ method, params }] }
  return hintsOf(decodeReply(text, openReply(text, 1), asked, { wanted: {} }))
}

test('a number in hex has its decimals beside it, an amount its coins, a time its date', () => {
  expect(hintFor('0x2', hints('eth_blockNumber', '0x2'))).toMatchObject({ kind: 'text', text: '2' })
  const balance = hints('eth_getBalance', '0xde0b6b3a7640000')
  expect(hintFor('0xde0b6b3a7640000', balance)).toMatchObject({ kind: 'text', text: '1 ETH' })
  const block = { number: '0x10', timestamp: '0x65920080', baseFeePerGas: '0x3b9aca00', transactions: [] }
  const ofBlock = hints('eth_getBlockByNumber', block, ['latest', false])
  expect(hintFor('0x65920080', ofBlock)).toEqual({ kind: 'time', at: 0x65920080 })
  expect(hintFor('0x3b9aca00', ofBlock)).toMatchObject({ text: '1 gwei' })
})

test('what means two things is only a number, and what is no number says nothing', () => {
  // Gas and wei of the same digits.
  const twofold = hints('eth_getTransactionByHash', { gas: '0x5208', value: '0x5208', nonce: '0x1' })
  expect(hintFor('0x5208', twofold)).toMatchObject({ text: '21,000' })
  expect(hintFor('0x00ff', new Map())).toBeUndefined()
  expect(hintFor('0x', new Map())).toBeUndefined()
  const zeros = `0x${'0'.repeat(64)}`
  expect(hintFor(zeros, hints('eth_getBlockByNumber', { parentHash: zeros }))).toBeUndefined()
  expect(hintFor(`0x${'f'.repeat(40)}`, new Map())).toBeUndefined()
  expect(hintFor('hello', new Map())).toBeUndefined()
})
