import {
  ADDRESS,
  DATA,
  HASH,
  list,
  may,
  method,
  NULL,
  need,
  object,
  orNull,
  union,
} from '@/components/rpc/methods/build'
import {
  blockHashParam,
  blockParam,
  indexParam,
  LOG,
  NO_HASH,
  RECEIPT,
  TRANSACTION_OR_NOTHING,
  transactionHashParam,
} from '@/components/rpc/methods/evm-shapes'
import type { MethodDoc, Type } from '@/components/rpc/methods/types'
import { msg } from '@/lib/i18n/t'

const BLOCK: Type = { kind: 'block', takesHash: false }
const NONE = 'null when there is none.'

/** The signed transaction that EIP-155 has as its example: its sender has nothing, so that no node takes it. */
const EXAMPLE_TRANSACTION =
  '0xf86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83'

const TOPIC: Type = union(['One value', HASH], ['One of several', list(HASH, 'Value')], ['Anything', NULL])

const LOG_FILTER: Type = object(
  [
    may('fromBlock', 'From block', BLOCK, undefined, { default: 'latest' }),
    may('toBlock', 'To block', BLOCK, 'Most nodes take 10,000 blocks at most, many far fewer.', {
      default: 'latest',
    }),
    may(
      'address',
      'Contracts',
      union(['One', ADDRESS], ['Several', list(ADDRESS, 'Address')]),
      'Who wrote the logs. Left out, anybody.',
    ),
    may('topics', 'Topics', list(TOPIC, 'Topic', 4), 'By place. The first is the hash of the event’s signature.'),
    may('blockHash', 'Block hash', HASH, 'One block in place of a range.', { isMinor: true }),
  ],
  'logs',
)

export const TRANSACTIONS: readonly MethodDoc[] = [
  method('eth_sendRawTransaction', {
    says: msg('Sends a signed transaction to the network.'),
    more: 'Sign it locally: the nodes hold no keys. The same bytes sent twice are one transaction. The example is the one of EIP-155, which every node refuses, since its sender owns nothing.',
    params: [need('transaction', 'Signed transaction', DATA, 'RLP, with its type byte where it has one.')],
    result: HASH,
    read: 'The transaction’s hash. It is accepted, not yet included: look for its receipt.',
    start: [EXAMPLE_TRANSACTION],
  }),
  method('eth_getTransactionByHash', {
    says: msg('A transaction by hash.'),
    more: 'Also while it waits, as far as this node has heard of it. Whether it worked is in its receipt.',
    params: [transactionHashParam],
    result: TRANSACTION_OR_NOTHING,
    read: `What was signed, and the block it is in. ${NONE}`,
    start: [NO_HASH],
    gave: null,
  }),
  method('eth_getTransactionReceipt', {
    says: msg('Receipt of a transaction: status, gas and logs.'),
    params: [transactionHashParam],
    result: orNull(RECEIPT),
    read: 'status 0x1 is success. null while it is not in a block.',
    start: [NO_HASH],
    gave: null,
  }),
  method('eth_getTransactionByBlockNumberAndIndex', {
    says: msg('A transaction by block and index.'),
    params: [blockParam(), indexParam('transaction')],
    result: TRANSACTION_OR_NOTHING,
    read: `The transaction. ${NONE}`,
    start: ['latest', '0x0'],
  }),
  method('eth_getTransactionByBlockHashAndIndex', {
    says: msg('A transaction by block hash and index.'),
    params: [blockHashParam, indexParam('transaction')],
    result: TRANSACTION_OR_NOTHING,
    read: `The transaction. ${NONE}`,
    start: [NO_HASH, '0x0'],
    gave: null,
  }),
  method('eth_getLogs', {
    says: msg('Logs in a range of blocks that match a filter.'),
    more: 'What contracts announced: transfers, swaps, votes. Narrow it by contract and topic, and keep ranges short.',
    params: [need('filter', 'Filter', LOG_FILTER)],
    result: list(LOG, 'Log'),
    read: 'Logs in the order of the chain. [] when nothing matches.',
    start: [{ fromBlock: 'latest', toBlock: 'latest' }],
    gave: [],
  }),
]
