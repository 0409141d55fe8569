import {
  ADDRESS,
  ANY,
  choice,
  gives,
  HASH,
  list,
  may,
  mayGive,
  method,
  NULL,
  need,
  orNull,
  QUANTITY,
  record,
  TEXT,
  union,
  WEI,
  WHOLE,
} from '@/components/rpc/methods/build'
import {
  addressParam,
  BURNED,
  blockHashParam,
  callParam,
  HASH_HELLO,
  NO_HASH,
  stateParam,
  storageKeysParam,
  transactionHashParam,
} from '@/components/rpc/methods/evm-shapes'
import type { MethodDoc, Type } from '@/components/rpc/methods/types'
import { msg } from '@/lib/i18n/t'

const BYTE: Type = { kind: 'number', isWhole: true, min: 0, max: 255 }
const PLAIN_NUMBER = 'A plain number, not a quantity.'

const blockNumberParam = need('block', 'Block', WHOLE, PLAIN_NUMBER)
const batchParam = need('batch', 'L1 batch', WHOLE, `Blocks are proven in batches. ${PLAIN_NUMBER}`)

const MESSAGE_PROOF = orNull(
  record(gives('id', WHOLE, 'The leaf’s place in the tree.'), gives('proof', list(HASH, 'Node')), gives('root', HASH)),
)

const PROGRESS = [
  gives('status', choice('sealed', 'verified')),
  mayGive('commitTxHash', HASH, 'On L1, as the next five.'),
  mayGive('committedAt', TEXT),
  mayGive('proveTxHash', HASH),
  mayGive('provenAt', TEXT),
  mayGive('executeTxHash', HASH),
  mayGive('executedAt', TEXT),
]

/** What only zkSync’s nodes know. */
const ZKSYNC: readonly MethodDoc[] = [
  method('zks_estimateFee', {
    says: msg('Fee parameters for a transaction on zkSync.'),
    params: [callParam('The transaction to be sent.')],
    result: record(
      gives('gas_limit', QUANTITY),
      gives('max_fee_per_gas', WEI),
      gives('max_priority_fee_per_gas', WEI),
      gives('gas_per_pubdata_limit', QUANTITY, 'For data that is published on L1.'),
    ),
    read: 'Four values to be put into the transaction.',
    start: [{ from: BURNED, ...HASH_HELLO }],
  }),
  method('zks_estimateGasL1ToL2', {
    says: msg('Estimates the L2 gas for a call from L1.'),
    params: [callParam('The call on L2.')],
    result: QUANTITY,
    read: 'Gas units of L2.',
    start: [{ from: BURNED, ...HASH_HELLO }],
  }),
  method('zks_getAllAccountBalances', {
    says: msg('All token balances of an account.'),
    more: 'Confirmed tokens only. Public nodes may have switched it off.',
    params: [addressParam()],
    result: { kind: 'map', key: ADDRESS, keyLabel: 'Token', value: QUANTITY },
    read: 'Token address to balance, in the token’s smallest unit.',
    start: [BURNED],
    gave: {},
  }),
  method('zks_getBlockDetails', {
    says: msg('An L2 block and the status of its proof on L1.'),
    params: [blockNumberParam],
    result: orNull(
      record(
        gives('number', WHOLE),
        gives('l1BatchNumber', WHOLE),
        gives('timestamp', WHOLE, 'Seconds since 1970.'),
        gives('l1TxCount', WHOLE),
        gives('l2TxCount', WHOLE),
        mayGive('rootHash', HASH),
        ...PROGRESS,
      ),
    ),
    read: 'Committed, proven, executed: with the transactions on L1. null when there is no such block.',
    start: [1],
  }),
  method('zks_getBridgeContracts', {
    says: msg('Addresses of the bridges between L1 and L2.'),
    result: record(
      mayGive('l1SharedDefaultBridge', ADDRESS),
      mayGive('l2SharedDefaultBridge', ADDRESS),
      mayGive('l1Erc20DefaultBridge', ADDRESS),
      mayGive('l2Erc20DefaultBridge', ADDRESS),
      mayGive('l1WethBridge', ADDRESS),
      mayGive('l2WethBridge', ADDRESS),
    ),
    read: 'Names that start with l1 are contracts on Ethereum, l2 on zkSync.',
  }),
  method('zks_getBytecodeByHash', {
    says: msg('Bytecode for a bytecode hash.'),
    params: [need('hash', 'Bytecode hash', HASH)],
    result: orNull(list(BYTE, 'Byte')),
    read: 'Bytes as numbers from 0 to 255. null when the hash is not known.',
    start: [NO_HASH],
    gave: null,
  }),
  method('zks_getConfirmedTokens', {
    says: msg('Tokens known to the bridge, page by page.'),
    more: 'Newer nodes have dropped it.',
    params: [
      need('from', 'Skip', WHOLE, 'How many to leave out.'),
      need('limit', 'At most', { kind: 'number', isWhole: true, min: 0, max: 255 }, 'Up to 255.'),
    ],
    result: list(
      record(
        gives('l1Address', ADDRESS),
        gives('l2Address', ADDRESS),
        gives('name', TEXT),
        gives('symbol', TEXT),
        gives('decimals', WHOLE),
      ),
      'Token',
    ),
    read: 'Names and addresses on both layers.',
    start: [0, 10],
  }),
  method('zks_getL1BatchBlockRange', {
    says: msg('First and last block of a batch.'),
    params: [batchParam],
    result: orNull(list(QUANTITY, 'Block')),
    read: 'Two quantities. null when there is no such batch.',
    start: [1],
  }),
  method('zks_getL1BatchDetails', {
    says: msg('A batch and the status of its proof on L1.'),
    params: [batchParam],
    result: orNull(
      record(
        gives('number', WHOLE),
        gives('timestamp', WHOLE, 'Seconds since 1970.'),
        gives('l1TxCount', WHOLE),
        gives('l2TxCount', WHOLE),
        mayGive('rootHash', HASH),
        ...PROGRESS,
        mayGive('l1GasPrice', WHOLE),
        mayGive('l2FairGasPrice', WHOLE),
      ),
    ),
    read: 'Committed, proven, executed: with the transactions on L1. null when there is no such batch.',
    start: [1],
  }),
  method('zks_getL2ToL1LogProof', {
    says: msg('Proof of a log sent from L2 to L1, by transaction.'),
    more: 'What a withdrawal is claimed with on Ethereum.',
    params: [
      transactionHashParam,
      may('index', 'Log', WHOLE, 'Which of the transaction’s logs for L1, counted from 0.', { default: 0 }),
    ],
    result: MESSAGE_PROOF,
    read: 'null until the batch is executed.',
    start: [NO_HASH],
    gave: null,
  }),
  method('zks_getL2ToL1MsgProof', {
    says: msg('Proof of a message sent from L2 to L1, by block and sender.'),
    more: 'On its way out: zks_getL2ToL1LogProof does the same by transaction.',
    params: [
      blockNumberParam,
      need('sender', 'Sender', ADDRESS),
      need('message', 'Message hash', HASH, 'Keccak-256 of the message.'),
      may('index', 'Log', WHOLE, 'Which of the block’s logs, where several are the same.'),
    ],
    result: MESSAGE_PROOF,
    read: 'null when there is no such message.',
    start: [1, BURNED, NO_HASH],
    gave: null,
  }),
  method('zks_getMainContract', {
    says: msg('Address of zkSync’s main contract on L1.'),
    result: ADDRESS,
    read: 'A contract on Ethereum.',
  }),
  method('zks_getProof', {
    says: msg('Storage slots of an account, with Merkle proofs.'),
    params: [addressParam(), need('keys', 'Slots', list(HASH, 'Slot')), batchParam],
    result: orNull(
      record(
        gives('address', ADDRESS),
        gives(
          'storageProof',
          list(
            record(gives('key', HASH), gives('value', HASH), gives('index', WHOLE), gives('proof', list(HASH, 'Node'))),
            'Slot',
          ),
        ),
      ),
    ),
    read: 'Nodes from the slot up to the batch’s root hash.',
    start: [BURNED, [NO_HASH], 1],
  }),
  method('zks_getRawBlockTransactions', {
    says: msg('Transactions of a block, with zkSync’s own fields.'),
    params: [blockNumberParam],
    result: list(ANY, 'Transaction'),
    read: 'Each with common_data, execute and raw_bytes.',
    start: [1],
    gave: [],
  }),
  method('zks_getTestnetPaymaster', {
    says: msg('Address of the testnet paymaster, which takes fees in tokens.'),
    result: orNull(ADDRESS),
    read: 'null on the mainnet.',
  }),
  method('zks_getTransactionDetails', {
    says: msg('A transaction and the status of its proof on L1.'),
    params: [transactionHashParam],
    result: orNull(
      record(
        gives('status', choice('pending', 'included', 'verified', 'failed')),
        gives('fee', WEI),
        gives('gasPerPubdata', QUANTITY),
        gives('initiatorAddress', ADDRESS),
        gives('receivedAt', TEXT),
        mayGive('ethCommitTxHash', HASH),
        mayGive('ethProveTxHash', HASH),
        mayGive('ethExecuteTxHash', HASH),
      ),
    ),
    read: 'verified is as final as Ethereum. null when there is none.',
    start: [NO_HASH],
    gave: null,
  }),
  method('zks_L1BatchNumber', {
    says: msg('Number of the latest batch.'),
    result: QUANTITY,
    read: 'A quantity.',
  }),
  method('zks_L1ChainId', {
    says: msg('Chain ID of the L1 that zkSync settles on.'),
    result: QUANTITY,
    read: '0x1 is Ethereum, 0xaa36a7 its Sepolia.',
    gave: '0x1',
  }),
]

/** What only Linea’s nodes know. */
const LINEA: readonly MethodDoc[] = [
  method('linea_estimateGas', {
    says: msg('Estimates gas and fees for a transaction on Linea.'),
    more: 'Unlike eth_estimateGas it also says the fees, and reckons with what the transaction takes on L1.',
    params: [callParam('The transaction to be sent.')],
    result: record(gives('gasLimit', QUANTITY), gives('baseFeePerGas', WEI), gives('priorityFeePerGas', WEI)),
    read: 'Three quantities to be put into the transaction.',
    start: [{ from: BURNED, ...HASH_HELLO }],
  }),
  method('linea_getProof', {
    says: msg('An account and its storage slots, with proofs from Linea’s state tree.'),
    more: 'For blocks that are finalized on L1. What eth_getProof gives is of the other tree.',
    params: [addressParam(), storageKeysParam, stateParam],
    result: record(gives('accountProof', ANY), gives('storageProofs', list(ANY, 'Slot'))),
    read: 'A leaf with its path where there is one, else its two neighbours.',
    start: [BURNED, [], 'finalized'],
  }),
  method('linea_getTransactionExclusionStatusV1', {
    says: msg('Reason Linea’s prover rejected a transaction.'),
    more: 'Known for some days after the attempt.',
    params: [transactionHashParam],
    result: orNull(
      record(
        gives('txHash', HASH),
        gives('from', ADDRESS),
        gives('nonce', QUANTITY),
        gives('txRejectionStage', choice('SEQUENCER', 'RPC', 'P2P'), 'Where it was turned away.'),
        gives('reasonMessage', TEXT),
        mayGive('blockNumber', QUANTITY),
        gives('timestamp', TEXT, 'ISO 8601.'),
      ),
    ),
    read: 'null when it was not turned away.',
    start: [NO_HASH],
    gave: null,
  }),
]

const VALIDATOR = record(
  gives('ID', WHOLE),
  gives('signer', ADDRESS),
  gives('power', WHOLE),
  mayGive('accum', { kind: 'number', isWhole: true }),
)

/** What only Polygon’s nodes know. */
const POLYGON: readonly MethodDoc[] = [
  method('bor_getAuthor', {
    says: msg('Author of a block.'),
    more: 'The header’s miner field is empty on Polygon; the maker follows from the seal.',
    params: [need('block', 'Block', { kind: 'block', takesHash: true }, 'A number, a tag or a hash.')],
    result: ADDRESS,
    read: 'A validator’s address.',
    start: ['latest'],
  }),
  method('bor_getCurrentProposer', {
    says: msg('Current block proposer.'),
    result: ADDRESS,
    read: 'A validator’s address.',
  }),
  method('bor_getCurrentValidators', {
    says: msg('Current validators.'),
    result: list(VALIDATOR, 'Validator'),
    read: 'power is the voting power; signer makes the blocks.',
  }),
  method('bor_getRootHash', {
    says: msg('Root hash of a range of blocks, as used in checkpoints on Ethereum.'),
    params: [
      need('from', 'First block', WHOLE, PLAIN_NUMBER),
      need('to', 'Last block', WHOLE, 'Included. Nodes bound the range.'),
    ],
    result: union(['Root', TEXT], ['Nothing', NULL]),
    read: '32 bytes as hexadecimal digits, without 0x.',
    start: [1, 8],
  }),
  method('bor_getSignersAtHash', {
    says: msg('Signers allowed after a block.'),
    params: [blockHashParam],
    result: list(ADDRESS, 'Validator'),
    read: 'Addresses in rising order.',
    start: [NO_HASH],
  }),
]

export const EXTENSIONS: readonly MethodDoc[] = [...ZKSYNC, ...LINEA, ...POLYGON]
