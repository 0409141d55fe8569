import {
  ADDRESS,
  ANY,
  BOOLEAN,
  bytes,
  DATA,
  gives,
  HASH,
  list,
  may,
  mayGive,
  minor,
  need,
  object,
  orNull,
  QUANTITY,
  record,
  union,
  WEI,
} from '@/components/rpc/methods/build'
import type { ParamDoc, Type } from '@/components/rpc/methods/types'

/** Written by nobody: money that is sent there is gone, and so every network has some. */
export const BURNED = '0x000000000000000000000000000000000000dEaD'
/** The precompiled SHA-256, which every EVM has, also on a chain that is a minute old. */
export const SHA256 = '0x0000000000000000000000000000000000000002'
/** Asks it for the hash of `hello`. */
export const HASH_HELLO = { to: SHA256, data: '0x68656c6c6f' }
/** No block and no transaction has it. */
export const NO_HASH = `0x${'0'.repeat(64)}`
/** The version 0.7 contract of ERC-4337, at one address everywhere. */
export const ENTRY_POINT = '0x0000000071727De22E5E9d8BAf0edAc6f37da032'

const BLOCK: Type = { kind: 'block', takesHash: false }
const STATE_BLOCK: Type = { kind: 'block', takesHash: true }

/** A block by its number or tag. */
export const blockParam = (help = 'A number or a tag.'): ParamDoc => need('block', 'Block', BLOCK, help)

/** The block whose state is asked. */
export const stateParam: ParamDoc = need('block', 'Block', STATE_BLOCK, 'Whose state to look at.', {
  default: 'latest',
})

export const mayBlockParam = (help: string, takesHash = false): ParamDoc =>
  may('block', 'Block', takesHash ? STATE_BLOCK : BLOCK, help, { default: 'latest' })

export const blockHashParam: ParamDoc = need('blockHash', 'Block hash', HASH, 'The 32 bytes that identify the block.')
export const transactionHashParam: ParamDoc = need('transactionHash', 'Transaction hash', HASH)
export const indexParam = (what: string): ParamDoc => need('index', 'Index', QUANTITY, `Which ${what}, counted from 0.`)
export const addressParam = (help = 'The account or contract.'): ParamDoc => need('address', 'Address', ADDRESS, help)

const ACCESS_LIST: Type = list(
  object([need('address', 'Address', ADDRESS), need('storageKeys', 'Storage slots', list(HASH, 'Slot'))]),
  'Contract',
)

/** A transaction that nobody signed, as calls and estimates take it. */
export const CALL: Type = object(
  [
    may('to', 'To', ADDRESS, 'What is called. Left out, the data is run as the code of a new contract.'),
    may('data', 'Data', DATA, 'Function selector and encoded arguments.'),
    may('value', 'Value', WEI, 'Coins that go with the call.'),
    may('from', 'From', ADDRESS, 'Who calls. Left out, the zero address does.'),
    minor('gas', 'Gas', QUANTITY, 'The most gas that the call may use.'),
    minor('gasPrice', 'Gas price', WEI, 'A price before EIP-1559: not together with the two below.'),
    minor('maxFeePerGas', 'Most per gas', WEI),
    minor('maxPriorityFeePerGas', 'Tip per gas', WEI),
    minor('nonce', 'Nonce', QUANTITY),
    minor('input', 'Input', DATA, 'The newer name of data. Set one of the two.'),
    minor('accessList', 'Access list', ACCESS_LIST, 'What the call will touch, by EIP-2930.'),
    minor('type', 'Type', QUANTITY, 'Of the transaction: 0x0 to 0x4.'),
    minor('chainId', 'Chain', QUANTITY),
    minor('maxFeePerBlobGas', 'Most per blob gas', WEI),
    minor('blobVersionedHashes', 'Blob hashes', list(HASH, 'Hash')),
    minor('blobs', 'Blobs', list(DATA, 'Blob')),
    minor('authorizationList', 'Authorizations', list(ANY, 'Authorization'), 'Signed delegations of EIP-7702.'),
  ],
  'call',
)

export const callParam = (help = 'A call as a transaction would make it.'): ParamDoc =>
  need('transaction', 'Call', CALL, help)

const SLOTS: Type = { kind: 'map', key: HASH, keyLabel: 'Slot', value: HASH }

export const STATE_OVERRIDES: Type = {
  kind: 'map',
  key: ADDRESS,
  keyLabel: 'Address',
  value: object([
    may('balance', 'Balance', WEI),
    may('nonce', 'Nonce', QUANTITY),
    may('code', 'Code', DATA, 'As it is run, not as it is deployed.'),
    minor('state', 'Whole storage', SLOTS, 'Replaces all slots.'),
    minor('stateDiff', 'Some storage', SLOTS, 'Replaces these slots only.'),
    minor('movePrecompileToAddress', 'Move precompile to', ADDRESS),
  ]),
}

export const BLOCK_OVERRIDES: Type = object([
  may('number', 'Number', QUANTITY),
  may('time', 'Time', QUANTITY, 'Seconds since 1970.'),
  may('gasLimit', 'Gas limit', QUANTITY),
  may('feeRecipient', 'Fee recipient', ADDRESS),
  may('prevRandao', 'Randomness', HASH),
  may('baseFeePerGas', 'Base fee', WEI),
  may('blobBaseFee', 'Blob base fee', WEI),
])

export const stateOverridesParam: ParamDoc = minor(
  'stateOverrides',
  'State overrides',
  STATE_OVERRIDES,
  'Pretends that accounts are otherwise. Not every node knows it.',
)

export const LOG: Type = record(
  gives('address', ADDRESS, 'The contract that wrote it.'),
  gives('topics', list(HASH, 'Topic'), 'The first is the hash of the event’s signature, then what is indexed.'),
  gives('data', DATA, 'What is not indexed, ABI-encoded.'),
  mayGive('blockNumber', QUANTITY),
  mayGive('blockHash', HASH),
  mayGive('transactionHash', HASH),
  mayGive('transactionIndex', QUANTITY),
  mayGive('logIndex', QUANTITY, 'Its place in the block.'),
  mayGive('removed', BOOLEAN, 'True when a reorganisation took it back.'),
)

const TRANSACTION: Type = record(
  gives('hash', HASH),
  gives('from', ADDRESS),
  mayGive('to', ADDRESS, 'Nothing where a contract is created.'),
  mayGive('value', WEI),
  mayGive('input', DATA),
  mayGive('nonce', QUANTITY),
  mayGive('gas', QUANTITY, 'The limit, not what was used.'),
  mayGive('gasPrice', WEI),
  mayGive('maxFeePerGas', WEI),
  mayGive('maxPriorityFeePerGas', WEI),
  mayGive('type', QUANTITY),
  mayGive('chainId', QUANTITY),
  mayGive('blockNumber', QUANTITY, 'Nothing while it waits.'),
  mayGive('blockHash', HASH),
  mayGive('transactionIndex', QUANTITY),
  mayGive('accessList', ACCESS_LIST),
  mayGive('v', QUANTITY),
  mayGive('r', QUANTITY),
  mayGive('s', QUANTITY),
)

export const RECEIPT: Type = record(
  gives('transactionHash', HASH),
  mayGive('status', QUANTITY, '0x1 it worked, 0x0 it was reverted.'),
  gives('from', ADDRESS),
  mayGive('to', ADDRESS),
  mayGive('contractAddress', ADDRESS, 'The contract that it created.'),
  gives('gasUsed', QUANTITY),
  gives('cumulativeGasUsed', QUANTITY, 'With everything before it in the block.'),
  mayGive('effectiveGasPrice', WEI, 'Times the gas used, it is the fee.'),
  gives('logs', list(LOG, 'Log')),
  mayGive('logsBloom', bytes(256)),
  gives('blockNumber', QUANTITY),
  gives('blockHash', HASH),
  gives('transactionIndex', QUANTITY),
  mayGive('type', QUANTITY),
)

export const BLOCK_FOUND: Type = record(
  mayGive('number', QUANTITY, 'Nothing while it is pending.'),
  mayGive('hash', HASH),
  gives('parentHash', HASH),
  gives('timestamp', QUANTITY, 'Seconds since 1970.'),
  mayGive('miner', ADDRESS, 'Who gets the tips.'),
  gives('gasUsed', QUANTITY),
  gives('gasLimit', QUANTITY),
  mayGive('baseFeePerGas', WEI),
  gives('transactions', list(union(['Hash', HASH], ['Transaction', TRANSACTION]), 'Transaction')),
  mayGive('stateRoot', HASH),
  mayGive('transactionsRoot', HASH),
  mayGive('receiptsRoot', HASH),
  mayGive('logsBloom', bytes(256)),
  mayGive('difficulty', QUANTITY),
  mayGive('extraData', DATA),
  mayGive('mixHash', HASH),
  mayGive('nonce', bytes(8)),
  mayGive('size', QUANTITY, 'In bytes.'),
  mayGive('sha3Uncles', HASH),
  mayGive('uncles', list(HASH, 'Uncle')),
  mayGive('withdrawals', list(ANY, 'Withdrawal')),
  mayGive('withdrawalsRoot', HASH),
  mayGive('blobGasUsed', QUANTITY),
  mayGive('excessBlobGas', QUANTITY),
  mayGive('parentBeaconBlockRoot', HASH),
)

export const PROOF: Type = record(
  mayGive('address', ADDRESS),
  gives('balance', WEI),
  gives('nonce', QUANTITY),
  gives('codeHash', HASH),
  gives('storageHash', HASH, 'Root of the account’s storage.'),
  gives('accountProof', list(DATA, 'Node'), 'Nodes from the state root down to the account.'),
  gives(
    'storageProof',
    list(record(gives('key', DATA), gives('value', QUANTITY), gives('proof', list(DATA, 'Node'))), 'Slot'),
  ),
)

export const storageKeysParam: ParamDoc = need(
  'storageKeys',
  'Storage slots',
  list({ kind: 'data', maxBytes: 32 }, 'Slot'),
  'Slots to prove as well. An empty list proves the account alone.',
)

export const BLOCK_OR_NOTHING: Type = orNull(BLOCK_FOUND)
export const TRANSACTION_OR_NOTHING: Type = orNull(TRANSACTION)
