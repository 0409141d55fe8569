import {
  BOOLEAN,
  DATA,
  gives,
  HASH,
  list,
  may,
  mayGive,
  method,
  minor,
  need,
  object,
  QUANTITY,
  record,
  TEXT,
  WEI,
} from '@/components/rpc/methods/build'
import {
  BLOCK_FOUND,
  BLOCK_OVERRIDES,
  CALL,
  callParam,
  HASH_HELLO,
  LOG,
  mayBlockParam,
  STATE_OVERRIDES,
  stateOverridesParam,
} from '@/components/rpc/methods/evm-shapes'
import type { MethodDoc } from '@/components/rpc/methods/types'
import { msg } from '@/lib/i18n/t'

const RATIO = { kind: 'number', isWhole: false, min: 0 } as const
const PERCENT = { kind: 'number', isWhole: false, min: 0, max: 100 } as const

const SIMULATED_BLOCK = object([
  may('calls', 'Calls', list(CALL, 'Call'), 'In their order: each sees what the ones before it changed.'),
  minor('blockOverrides', 'Block overrides', BLOCK_OVERRIDES),
  minor('stateOverrides', 'State overrides', STATE_OVERRIDES),
])

export const CALLS: readonly MethodDoc[] = [
  method('eth_call', {
    says: msg('Runs a contract call and returns its result. Changes nothing.'),
    more: 'How contracts are read. The example asks the SHA-256 precompile, which is on every network, to hash “hello”.',
    params: [
      callParam(),
      mayBlockParam('Whose state the call sees.', true),
      stateOverridesParam,
      minor('blockOverrides', 'Block overrides', BLOCK_OVERRIDES, 'Pretends that the block is otherwise.'),
    ],
    result: DATA,
    read: 'The returned bytes, ABI-encoded. 0x is also what an address without code returns.',
    start: [HASH_HELLO, 'latest'],
    gave: '0x2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
  }),
  method('eth_estimateGas', {
    says: msg('Estimates the gas a transaction needs.'),
    more: 'The node tries it out. Add some room: the state may be another when the transaction is included.',
    params: [
      callParam('The transaction to be sent.'),
      mayBlockParam('Whose state it is tried on.', true),
      stateOverridesParam,
    ],
    result: QUANTITY,
    read: 'Gas units. A reverting transaction gives an error with the reason instead.',
    start: [HASH_HELLO],
    gave: '0x52d0',
  }),
  method('eth_createAccessList', {
    says: msg('Accounts and storage slots a transaction touches.'),
    more: 'Sent along as an EIP-2930 access list, they make the transaction cheaper where it reads other contracts.',
    params: [callParam('The transaction to be sent.'), mayBlockParam('Whose state it is tried on.', true)],
    result: record(
      gives(
        'accessList',
        list(record(gives('address', { kind: 'address' }), gives('storageKeys', list(HASH, 'Slot'))), 'Contract'),
      ),
      gives('gasUsed', QUANTITY, 'With the list in use.'),
      mayGive('error', TEXT),
    ),
    read: 'The list, and the gas with it in use.',
    start: [HASH_HELLO, 'latest'],
  }),
  method('eth_simulateV1', {
    says: msg('Simulates several blocks of calls in sequence, without sending anything.'),
    more: 'Later calls see what earlier ones did. Transfers can be shown as logs, state and block can be overridden.',
    params: [
      need(
        'payload',
        'Simulation',
        object([
          need('blockStateCalls', 'Blocks', list(SIMULATED_BLOCK, 'Block', 256)),
          may('traceTransfers', 'Transfers as logs', BOOLEAN, 'Coins that move are shown like ERC-20 transfers.'),
          may('validation', 'Check strictly', BOOLEAN, 'Nonces, balances and base fee as in a real block.'),
          may('returnFullTransactions', 'Whole transactions', BOOLEAN, 'In place of hashes.'),
        ]),
      ),
      mayBlockParam('The block they are built on.', true),
    ],
    result: list(
      {
        kind: 'object',
        isOpen: true,
        fields: [
          ...(BLOCK_FOUND.kind === 'object' ? BLOCK_FOUND.fields : []),
          gives(
            'calls',
            list(
              record(
                gives('status', QUANTITY, '0x1 it worked.'),
                gives('returnData', DATA),
                gives('gasUsed', QUANTITY),
                gives('logs', list(LOG, 'Log')),
              ),
              'Call',
            ),
          ),
        ],
      },
      'Block',
    ),
    read: 'A block for each that was asked, with the outcome of every call under calls.',
    start: [{ blockStateCalls: [{ calls: [HASH_HELLO] }] }, 'latest'],
  }),
  method('eth_gasPrice', {
    says: msg('Current gas price, as estimated by the node.'),
    more: 'For transactions of the old kind. Since EIP-1559 it is the base fee with a usual tip.',
    result: WEI,
    read: 'Wei for one unit of gas.',
    gave: '0x77359400',
  }),
  method('eth_maxPriorityFeePerGas', {
    says: msg('Suggested priority fee, as estimated by the node.'),
    result: WEI,
    read: 'Wei for one unit of gas, on top of the base fee.',
    gave: '0x3b9aca00',
  }),
  method('eth_feeHistory', {
    says: msg('Base fees, gas usage and priority fees of recent blocks.'),
    more: 'What wallets make their slow, normal and fast fees of. It reaches one block beyond the newest.',
    rule: 'fees',
    params: [
      need('blockCount', 'Blocks', QUANTITY, 'How many, at most 1,024 on most nodes.'),
      need('newestBlock', 'Newest block', { kind: 'block', takesHash: false }, 'Where the range ends.'),
      need(
        'rewardPercentiles',
        'Percentiles',
        list(PERCENT, 'Percentile'),
        'Rising, from 0 to 100: 50 is the middle tip.',
      ),
    ],
    result: record(
      gives('oldestBlock', QUANTITY),
      gives('baseFeePerGas', list(WEI, 'Fee'), 'One more than blocks were asked: the last is of the next block.'),
      gives('gasUsedRatio', list(RATIO, 'Ratio'), 'From 0 (empty) to 1 (full).'),
      mayGive('reward', list(list(WEI, 'Tip'), 'Block'), 'A tip for each percentile, block by block.'),
      mayGive('baseFeePerBlobGas', list(WEI, 'Fee')),
      mayGive('blobGasUsedRatio', list(RATIO, 'Ratio')),
    ),
    read: 'Lists that run from the oldest block to the newest.',
    start: ['0x5', 'latest', [10, 50, 90]],
  }),
]
