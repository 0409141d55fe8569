import {
  ADDRESS,
  choice,
  FELT,
  FELT_ADDRESS,
  FELT_HASH,
  gives,
  HASH,
  list,
  mayGive,
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
  DECLARE,
  DEPLOY_ACCOUNT,
  EMITTED_EVENT,
  EVENT_FILTER,
  EXAMPLE_DECLARE,
  EXAMPLE_DEPLOY_ACCOUNT,
  EXAMPLE_INVOKE,
  estimateFlagsParam,
  FEE,
  INVOKE,
  NOTHING,
  proofFactsParam,
  RECEIPT,
  STRK,
  settledBlockParam,
  simulationFlagsParam,
  TRACE,
  TRANSACTION,
  TRANSACTIONS as TRANSACTION_LIST,
  traceFlagsParam,
  transactionParam,
} from '@/components/rpc/methods/starknet-shapes'
import type { MethodDoc } from '@/components/rpc/methods/types'
import { msg } from '@/lib/i18n/t'

const UNSIGNED = 'The example is signed by nobody: the node says why it does not take it.'
const NOT_FOUND = 'An error says when there is none.'

const SIMULATED = record(gives('transaction_trace', TRACE), gives('fee_estimation', FEE))

export const TRANSACTIONS: readonly MethodDoc[] = [
  named('starknet_getTransactionByHash', {
    says: msg('A transaction by hash.'),
    params: [transactionParam, proofFactsParam],
    result: TRANSACTION,
    read: `What was signed. ${NOT_FOUND}`,
    start: { transaction_hash: NOTHING },
  }),
  named('starknet_getTransactionByBlockIdAndIndex', {
    says: msg('A transaction by block and index.'),
    params: [blockParam, need('index', 'Index', WHOLE, 'Counted from 0. A plain number.'), proofFactsParam],
    result: TRANSACTION,
    read: `What was signed. ${NOT_FOUND}`,
    start: { block_id: 'latest', index: 0 },
  }),
  named('starknet_getTransactionReceipt', {
    says: msg('Receipt of a transaction: status, fee and events.'),
    params: [transactionParam],
    result: RECEIPT,
    read: 'execution_status is the outcome, revert_reason why it failed.',
    start: { transaction_hash: NOTHING },
  }),
  named('starknet_getTransactionStatus', {
    says: msg('Status of a transaction.'),
    more: 'Also while it waits, which the receipt does not show.',
    params: [transactionParam],
    result: record(
      gives('finality_status', choice('RECEIVED', 'CANDIDATE', 'PRE_CONFIRMED', 'ACCEPTED_ON_L2', 'ACCEPTED_ON_L1')),
      mayGive('execution_status', choice('SUCCEEDED', 'REVERTED')),
      mayGive('failure_reason', TEXT),
    ),
    read: 'ACCEPTED_ON_L1 is as final as Ethereum.',
    start: { transaction_hash: NOTHING },
  }),
  named('starknet_getMessagesStatus', {
    says: msg('Status of messages sent by an Ethereum transaction.'),
    params: [need('transaction_hash', 'L1 transaction hash', HASH, 'Of the transaction on Ethereum.')],
    result: list(
      record(
        gives('transaction_hash', FELT_HASH, 'Of the transaction that handled it.'),
        gives('finality_status', TEXT),
        mayGive('execution_status', choice('SUCCEEDED', 'REVERTED')),
        mayGive('failure_reason', TEXT),
      ),
      'Message',
    ),
    read: 'In the order in which they were sent.',
    start: { transaction_hash: `0x${'0'.repeat(64)}` },
  }),
  named('starknet_getEvents', {
    says: msg('Events in a range of blocks that match a filter, page by page.'),
    more: 'What contracts announced. Narrow it by contract and key, and keep ranges short.',
    params: [need('filter', 'Filter', EVENT_FILTER)],
    result: record(gives('events', list(EMITTED_EVENT, 'Event')), mayGive('continuation_token', TEXT)),
    read: 'With a continuation_token there are more: put it into the next call.',
    start: { filter: { from_block: 'latest', to_block: 'latest', address: STRK, chunk_size: 10 } },
  }),
  named('starknet_addInvokeTransaction', {
    says: msg('Sends a signed invoke transaction.'),
    more: `Sign it locally: the nodes hold no keys. ${UNSIGNED}`,
    params: [need('invoke_transaction', 'Transaction', INVOKE)],
    result: record(gives('transaction_hash', FELT_HASH)),
    read: 'Its hash. It is accepted, not yet included.',
    start: { invoke_transaction: EXAMPLE_INVOKE },
  }),
  named('starknet_addDeclareTransaction', {
    says: msg('Sends a signed declare transaction.'),
    more: UNSIGNED,
    params: [need('declare_transaction', 'Transaction', DECLARE)],
    result: record(gives('transaction_hash', FELT_HASH), gives('class_hash', FELT_HASH)),
    read: 'Its hash, and that of the class.',
    start: { declare_transaction: EXAMPLE_DECLARE },
  }),
  named('starknet_addDeployAccountTransaction', {
    says: msg('Sends a signed deploy-account transaction.'),
    more: `The address must have been paid for before. ${UNSIGNED}`,
    params: [need('deploy_account_transaction', 'Transaction', DEPLOY_ACCOUNT)],
    result: record(gives('transaction_hash', FELT_HASH), gives('contract_address', FELT_ADDRESS)),
    read: 'Its hash, and the address of the account.',
    start: { deploy_account_transaction: EXAMPLE_DEPLOY_ACCOUNT },
  }),
]

export const FEES_AND_TRACES: readonly MethodDoc[] = [
  named('starknet_estimateFee', {
    says: msg('Estimates the fees of transactions, in sequence.'),
    params: [need('request', 'Transactions', TRANSACTION_LIST), estimateFlagsParam, blockParam],
    result: list(FEE, 'Fee'),
    read: 'One estimate a transaction. overall_fee is in fri, 10^-18 STRK.',
    start: { request: [EXAMPLE_INVOKE], simulation_flags: ['SKIP_VALIDATE'], block_id: 'latest' },
  }),
  named('starknet_estimateMessageFee', {
    says: msg('Estimates the fee of a message from Ethereum.'),
    params: [
      need(
        'message',
        'Message',
        object([
          need('from_address', 'From', ADDRESS, 'The contract on Ethereum.'),
          need('to_address', 'To', FELT_ADDRESS, 'The contract on Starknet.'),
          need(
            'entry_point_selector',
            'Handler',
            { kind: 'felt', is: 'selector' },
            'Its selector; a name is turned into it.',
          ),
          need('payload', 'Payload', list(FELT, 'Felt')),
        ]),
      ),
      blockParam,
    ],
    result: FEE,
    read: 'overall_fee in the unit that is said.',
    start: {
      message: {
        from_address: '0x000000000000000000000000000000000000dEaD',
        to_address: STRK,
        entry_point_selector: '0x2d757788a8d8d6f21d1cd40bce38a8222d70654214e96ff95d8086e684fbee5',
        payload: ['0x1'],
      },
      block_id: 'latest',
    },
  }),
  named('starknet_simulateTransactions', {
    says: msg('Simulates transactions and returns their traces, without sending them.'),
    params: [blockParam, need('transactions', 'Transactions', TRANSACTION_LIST), simulationFlagsParam, traceFlagsParam],
    result: union(['Traces', list(SIMULATED, 'Transaction')], ['With what was read', record()]),
    read: 'A trace and a fee for each. A reverted one says so in its trace.',
    start: {
      block_id: 'latest',
      transactions: [EXAMPLE_INVOKE],
      simulation_flags: ['SKIP_VALIDATE', 'SKIP_FEE_CHARGE'],
    },
  }),
  named('starknet_traceTransaction', {
    says: msg('All calls made by a transaction.'),
    params: [transactionParam],
    result: TRACE,
    read: 'Calls as a tree, with events, messages and what changed.',
    start: { transaction_hash: NOTHING },
  }),
  named('starknet_traceBlockTransactions', {
    says: msg('All calls of all transactions in a block.'),
    more: 'The largest answers there are: megabytes for a busy block.',
    params: [settledBlockParam, traceFlagsParam],
    result: union(
      ['Traces', list(record(gives('transaction_hash', FELT), gives('trace_root', TRACE)), 'Transaction')],
      ['With what was read', record()],
    ),
    read: 'One trace a transaction, in the order of the block.',
    start: { block_id: 'latest' },
  }),
]
