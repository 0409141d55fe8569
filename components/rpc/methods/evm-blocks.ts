import { BOOLEAN, HASH, list, method, need, orNull, QUANTITY } from '@/components/rpc/methods/build'
import {
  BLOCK_OR_NOTHING,
  blockHashParam,
  blockParam,
  indexParam,
  NO_HASH,
  RECEIPT,
} from '@/components/rpc/methods/evm-shapes'
import type { MethodDoc } from '@/components/rpc/methods/types'
import { msg } from '@/lib/i18n/t'

const fullParam = need(
  'hydrated',
  'Full transactions',
  BOOLEAN,
  'Yes: full transactions. No: hashes only, which is far smaller.',
)

const COUNT = 'A count as a quantity: 0x10 is sixteen. null when there is no such block.'
const UNCLES = 'Chains with proof of stake, and every rollup, have none.'

export const BLOCKS: readonly MethodDoc[] = [
  method('eth_blockNumber', {
    says: msg('Number of the latest block.'),
    more: 'The cheapest way to see that a network is alive: ask twice, and the number has grown.',
    result: QUANTITY,
    read: 'The height as a quantity: 0x10 is block 16.',
    gave: '0x10',
  }),
  method('eth_getBlockByNumber', {
    says: msg('A block by number or tag.'),
    more: 'Tags follow the chain: latest is the newest block, finalized one that will not be taken back.',
    params: [blockParam(), fullParam],
    result: BLOCK_OR_NOTHING,
    read: 'The header and the transactions. null when the block does not exist yet.',
    start: ['latest', false],
  }),
  method('eth_getBlockByHash', {
    says: msg('A block by hash.'),
    more: 'Unlike a number, a hash always means the same block, also after a reorganisation.',
    params: [blockHashParam, fullParam],
    result: BLOCK_OR_NOTHING,
    read: 'The header and the transactions. null when no block has this hash.',
    start: [NO_HASH, false],
    gave: null,
  }),
  method('eth_getBlockReceipts', {
    says: msg('Receipts of all transactions in a block, in one call.'),
    more: 'One call in place of one for each transaction. Answers of busy blocks are large.',
    params: [need('block', 'Block', { kind: 'block', takesHash: true }, 'A number, a tag or a hash.')],
    result: orNull(list(RECEIPT, 'Receipt')),
    read: 'Receipts in the order of the block. null when there is no such block.',
    start: ['latest'],
    gave: [],
  }),
  method('eth_getBlockTransactionCountByNumber', {
    says: msg('Number of transactions in a block, by block number.'),
    params: [blockParam()],
    result: orNull(QUANTITY),
    read: COUNT,
    start: ['latest'],
    gave: '0x0',
  }),
  method('eth_getBlockTransactionCountByHash', {
    says: msg('Number of transactions in a block, by block hash.'),
    params: [blockHashParam],
    result: orNull(QUANTITY),
    read: COUNT,
    start: [NO_HASH],
    gave: null,
  }),
  method('eth_getUncleByBlockNumberAndIndex', {
    says: msg('An uncle of a block, by block number.'),
    more: `Blocks that lost the race under proof of work. ${UNCLES}`,
    params: [blockParam(), indexParam('uncle')],
    result: BLOCK_OR_NOTHING,
    read: 'A header without transactions, or null.',
    start: ['latest', '0x0'],
    gave: null,
  }),
  method('eth_getUncleByBlockHashAndIndex', {
    says: msg('An uncle of a block, by block hash.'),
    more: `Blocks that lost the race under proof of work. ${UNCLES}`,
    params: [blockHashParam, indexParam('uncle')],
    result: BLOCK_OR_NOTHING,
    read: 'A header without transactions, or null.',
    start: [NO_HASH, '0x0'],
    gave: null,
  }),
  method('eth_getUncleCountByBlockNumber', {
    says: msg('Number of uncles of a block, by block number.'),
    more: UNCLES,
    params: [blockParam()],
    result: orNull(QUANTITY),
    read: COUNT,
    start: ['latest'],
    gave: '0x0',
  }),
  method('eth_getUncleCountByBlockHash', {
    says: msg('Number of uncles of a block, by block hash.'),
    more: UNCLES,
    params: [need('blockHash', 'Block hash', HASH)],
    result: orNull(QUANTITY),
    read: COUNT,
    start: [NO_HASH],
    gave: null,
  }),
]
