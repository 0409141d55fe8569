import {
  ANY,
  BOOLEAN,
  FELT,
  FELT_ADDRESS,
  FELT_HASH,
  gives,
  list,
  may,
  mayGive,
  minor,
  named,
  need,
  object,
  record,
  TEXT,
  union,
  WHOLE,
} from '@/components/rpc/methods/build'
import {
  blockParam,
  CALL,
  classHashParam,
  contractParam,
  HEADER,
  NAME_SELECTOR,
  proofFactsParam,
  RECEIPT,
  STRK,
  settledBlockParam,
  storageFlagsParam,
  TRANSACTION,
} from '@/components/rpc/methods/starknet-shapes'
import type { MethodDoc } from '@/components/rpc/methods/types'
import { msg } from '@/lib/i18n/t'

const LATEST = { block_id: 'latest' }

const CLASS = record(
  mayGive('sierra_program', list(FELT, 'Felt')),
  mayGive('contract_class_version', TEXT),
  mayGive('program', TEXT, 'Of classes of Cairo 0: compressed.'),
  gives('entry_points_by_type', record()),
  mayGive('abi', ANY, 'Text of JSON; a list in classes of Cairo 0.'),
)

export const BLOCKS: readonly MethodDoc[] = [
  named('starknet_blockNumber', {
    says: msg('Number of the latest block.'),
    more: 'The cheapest way to see that the network is alive.',
    result: WHOLE,
    read: 'A plain number, not hexadecimal.',
    gave: 1_000_000,
  }),
  named('starknet_blockHashAndNumber', {
    says: msg('Number and hash of the latest block.'),
    result: record(gives('block_hash', FELT_HASH), gives('block_number', WHOLE)),
    read: 'Both of one block: they agree.',
  }),
  named('starknet_getBlockWithTxHashes', {
    says: msg('A block with transaction hashes.'),
    more: 'The smallest of the three forms of a block.',
    params: [blockParam],
    result: record(...HEADER, gives('transactions', list(FELT_HASH, 'Hash'))),
    read: 'The header, and hashes in the order of the block.',
    start: LATEST,
  }),
  named('starknet_getBlockWithTxs', {
    says: msg('A block with full transactions.'),
    params: [blockParam, proofFactsParam],
    result: record(...HEADER, gives('transactions', list(TRANSACTION, 'Transaction'))),
    read: 'The header, and transactions in the order of the block.',
    start: LATEST,
  }),
  named('starknet_getBlockWithReceipts', {
    says: msg('A block with transactions and receipts.'),
    more: 'One call in place of one for each transaction. Answers are large.',
    params: [blockParam, proofFactsParam],
    result: record(
      ...HEADER,
      gives('transactions', list(record(gives('transaction', TRANSACTION), gives('receipt', RECEIPT)), 'Transaction')),
    ),
    read: 'The header, and pairs in the order of the block.',
    start: LATEST,
  }),
  named('starknet_getBlockTransactionCount', {
    says: msg('Number of transactions in a block.'),
    params: [blockParam],
    result: WHOLE,
    read: 'A plain number.',
    start: LATEST,
  }),
  named('starknet_getStateUpdate', {
    says: msg('State changes of a block: storage, nonces and classes.'),
    params: [
      blockParam,
      minor(
        'contract_addresses',
        'Contracts',
        list(FELT_ADDRESS, 'Address'),
        'Only what concerns these. Since version 0.10 of the interface.',
      ),
    ],
    result: record(
      mayGive('block_hash', FELT_HASH),
      mayGive('old_root', FELT_HASH),
      mayGive('new_root', FELT_HASH),
      gives('state_diff', record(gives('storage_diffs', list(ANY, 'Contract')), gives('nonces', list(ANY, 'Nonce')))),
    ),
    read: 'Values as they are after the block.',
    start: LATEST,
  }),
]

export const STATE: readonly MethodDoc[] = [
  named('starknet_call', {
    says: msg('Runs a contract function and returns its result. Changes nothing.'),
    more: 'The example asks the STRK token for its name.',
    params: [need('request', 'Call', CALL), blockParam],
    result: list(FELT, 'Felt'),
    read: 'Felts as Cairo encodes them: an u256 is two, low half first; short texts are one.',
    start: {
      request: { contract_address: STRK, entry_point_selector: NAME_SELECTOR, calldata: [] },
      block_id: 'latest',
    },
  }),
  named('starknet_getNonce', {
    says: msg('Number of transactions sent from an account: its next nonce.'),
    params: [blockParam, contractParam],
    result: FELT,
    read: 'A felt. 0x0 of contracts that are no accounts.',
    start: { ...LATEST, contract_address: STRK },
    gave: '0x0',
  }),
  named('starknet_getStorageAt', {
    says: msg('One storage slot of a contract.'),
    more: 'A variable lies at the selector of its name; mappings hash their key with it.',
    params: [
      contractParam,
      need('key', 'Slot', { kind: 'felt', is: 'selector' }, 'Its address; a variable’s name is turned into it.'),
      blockParam,
      storageFlagsParam,
    ],
    result: union(['Value', FELT], ['With its block', record(gives('value', FELT), gives('last_update_block', WHOLE))]),
    read: 'A felt. 0x0 also where nothing was ever written.',
    start: { contract_address: STRK, key: NAME_SELECTOR, block_id: 'latest' },
  }),
  named('starknet_getStorageProof', {
    says: msg('Merkle proofs for classes, contracts and storage slots.'),
    more: 'Whoever knows the block’s root can check the state with it. Nodes keep it for few blocks.',
    params: [
      settledBlockParam,
      may('class_hashes', 'Classes', list(FELT_HASH, 'Class hash')),
      may('contract_addresses', 'Contracts', list(FELT_ADDRESS, 'Address')),
      may(
        'contracts_storage_keys',
        'Slots',
        list(object([contractParam, need('storage_keys', 'Slots', list(FELT, 'Slot'))]), 'Contract'),
      ),
    ],
    result: record(
      gives('classes_proof', list(ANY, 'Node')),
      gives('contracts_proof', record()),
      gives('contracts_storage_proofs', list(ANY, 'Contract')),
      gives('global_roots', record()),
    ),
    read: 'Nodes by their hash, from the roots down to what was asked.',
    start: { ...LATEST, contract_addresses: [STRK] },
  }),
  named('starknet_getClass', {
    says: msg('Class definition by class hash.'),
    more: 'A class is the code; contracts are its instances. Answers are large.',
    params: [blockParam, classHashParam],
    result: CLASS,
    read: 'Program, functions and ABI.',
    start: { ...LATEST, class_hash: '0x4ad3c1dc8413453db314497945b6903e1c766495a1e60492d44da9c2a986e4b' },
  }),
  named('starknet_getClassAt', {
    says: msg('Class definition of a contract.'),
    more: 'The way to a contract’s ABI. Answers are large.',
    params: [blockParam, contractParam],
    result: CLASS,
    read: 'Program, functions and ABI.',
    start: { ...LATEST, contract_address: STRK },
  }),
  named('starknet_getClassHashAt', {
    says: msg('Class hash of a contract.'),
    more: 'It changes when the contract is upgraded.',
    params: [blockParam, contractParam],
    result: FELT,
    read: 'The hash of the class.',
    start: { ...LATEST, contract_address: STRK },
  }),
  named('starknet_getCompiledCasm', {
    says: msg('Compiled code (CASM) of a class.'),
    params: [classHashParam],
    result: record(gives('prime', FELT), gives('bytecode', list(ANY, 'Felt')), gives('entry_points_by_type', record())),
    read: 'Cairo assembly, as the sequencer runs it.',
    start: { class_hash: '0x4ad3c1dc8413453db314497945b6903e1c766495a1e60492d44da9c2a986e4b' },
  }),
]

export const NODE: readonly MethodDoc[] = [
  named('starknet_chainId', {
    says: msg('Chain ID used in signatures.'),
    result: FELT,
    read: 'A name as a felt: 0x534e5f4d41494e is SN_MAIN.',
    gave: '0x534e5f4d41494e',
  }),
  named('starknet_specVersion', {
    says: msg('JSON-RPC spec version of the node.'),
    result: TEXT,
    read: 'Such as 0.8.1.',
    gave: '0.8.1',
  }),
  named('starknet_syncing', {
    says: msg('Sync status of the node.'),
    result: union(
      ['In step', BOOLEAN],
      ['Syncing', record(gives('current_block_num', WHOLE), gives('highest_block_num', WHOLE))],
    ),
    read: 'false when it is in step; else how far it has come.',
    gave: false,
  }),
]
