import {
  BOOLEAN,
  choice,
  FELT,
  FELT_ADDRESS,
  FELT_HASH,
  gives,
  list,
  may,
  mayGive,
  minor,
  need,
  object,
  record,
  TEXT,
  union,
  WHOLE,
} from '@/components/rpc/methods/build'
import type { ParamDoc, Type } from '@/components/rpc/methods/types'

/** The contract of the STRK token, which has one address on both networks. */
export const STRK = '0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d'
/** Selector of its function `name`. */
export const NAME_SELECTOR = '0x361458367e696363fbcc70777d07ebbd2394e89fd0adcaf147faccd1d294d60'
/** Nothing has it. */
export const NOTHING = '0x0'

const SETTLED = ['latest', 'l1_accepted']
const BLOCK_ID: Type = { kind: 'blockId', tags: ['latest', 'pre_confirmed', 'l1_accepted'] }
const SETTLED_BLOCK_ID: Type = { kind: 'blockId', tags: SETTLED }

export const blockParam: ParamDoc = need('block_id', 'Block', BLOCK_ID, 'A tag, a number or a hash.')
export const settledBlockParam: ParamDoc = need('block_id', 'Block', SETTLED_BLOCK_ID, 'One that is decided.')
export const contractParam: ParamDoc = need('contract_address', 'Contract', FELT_ADDRESS)
export const classHashParam: ParamDoc = need('class_hash', 'Class hash', FELT_HASH)
export const transactionParam: ParamDoc = need('transaction_hash', 'Transaction hash', FELT_HASH)

const flags = (...values: string[]): Type => list(choice(...values), 'Flag', values.length)

export const proofFactsParam: ParamDoc = minor(
  'response_flags',
  'Also give',
  flags('INCLUDE_PROOF_FACTS'),
  'Since version 0.10 of the interface.',
)
export const storageFlagsParam: ParamDoc = minor(
  'response_flags',
  'Also give',
  flags('INCLUDE_LAST_UPDATE_BLOCK'),
  'The block that last wrote the slot. Since version 0.10 of the interface.',
)
export const traceFlagsParam: ParamDoc = minor(
  'trace_flags',
  'Also give',
  flags('RETURN_INITIAL_READS'),
  'What was read of the state. Since version 0.10 of the interface.',
)
export const simulationFlagsParam: ParamDoc = need(
  'simulation_flags',
  'Leave out',
  flags('SKIP_VALIDATE', 'SKIP_FEE_CHARGE', 'RETURN_INITIAL_READS'),
  'Checks to be skipped. An empty list skips none.',
)
export const estimateFlagsParam: ParamDoc = need(
  'simulation_flags',
  'Leave out',
  flags('SKIP_VALIDATE'),
  'The check of the signature, while there is none yet.',
)

export const BLOCK_ID_TYPE = BLOCK_ID
export const CALL: Type = object([
  contractParam,
  need('entry_point_selector', 'Function', { kind: 'felt', is: 'selector' }, 'Its selector; a name is turned into it.'),
  need('calldata', 'Arguments', list(FELT, 'Felt'), 'Encoded as Cairo has them: an u256 is two felts.'),
])

const BOUND: Type = object([
  need('max_amount', 'Most units', FELT, 'Up to 64 bits.'),
  need('max_price_per_unit', 'Most per unit', FELT, 'In fri, up to 128 bits.'),
])

const BOUNDS: Type = object([
  need('l1_gas', 'L1 gas', BOUND),
  need('l1_data_gas', 'L1 data gas', BOUND),
  need('l2_gas', 'L2 gas', BOUND),
])

const LAYER = choice('L1', 'L2')

const signed = (type: string, own: readonly ParamDoc[]): readonly ParamDoc[] => [
  need('type', 'Type', choice(type)),
  need('version', 'Version', FELT, '0x3; with 2^128 added, it can be simulated and never be sent.'),
  need('nonce', 'Nonce', FELT),
  ...own,
  need('signature', 'Signature', list(FELT, 'Felt'), 'As the account’s own code checks it.'),
  need('resource_bounds', 'Most to pay', BOUNDS),
  need('tip', 'Tip', FELT, 'For one unit of L2 gas, in fri.'),
  need('paymaster_data', 'Paymaster data', list(FELT, 'Felt'), 'Empty: not in use yet.'),
  need('nonce_data_availability_mode', 'Nonce kept on', LAYER),
  need('fee_data_availability_mode', 'Fee kept on', LAYER),
]

const senderParam = need('sender_address', 'Account', FELT_ADDRESS)
const deploymentParam = need('account_deployment_data', 'Deployment data', list(FELT, 'Felt'), 'Empty: not in use yet.')

export const INVOKE: Type = object([
  ...signed('INVOKE', [
    senderParam,
    need('calldata', 'Calls', list(FELT, 'Felt'), 'As the account’s __execute__ takes them.'),
    deploymentParam,
  ]),
  minor('proof_facts', 'Proof facts', list(FELT, 'Felt')),
  minor('proof', 'Proof', TEXT, 'Base64.'),
])

const ENTRY_POINTS: Type = list(
  object([need('selector', 'Selector', FELT), need('function_idx', 'Function', WHOLE, 'Its place in the program.')]),
  'Function',
)

const CLASS: Type = object([
  need('sierra_program', 'Program', list(FELT, 'Felt'), 'Sierra, as the compiler gives it.'),
  need('contract_class_version', 'Version', TEXT, 'Such as 0.1.0.'),
  need(
    'entry_points_by_type',
    'Functions',
    object([
      need('CONSTRUCTOR', 'Constructor', ENTRY_POINTS),
      need('EXTERNAL', 'External', ENTRY_POINTS),
      need('L1_HANDLER', 'For messages of L1', ENTRY_POINTS),
    ]),
  ),
  need('abi', 'ABI', TEXT, 'JSON, as text.'),
])

export const DECLARE: Type = object(
  signed('DECLARE', [
    senderParam,
    need('compiled_class_hash', 'Compiled class hash', FELT_HASH),
    need('contract_class', 'Class', CLASS),
    deploymentParam,
  ]),
)

export const DEPLOY_ACCOUNT: Type = object(
  signed('DEPLOY_ACCOUNT', [
    classHashParam,
    need('contract_address_salt', 'Salt', FELT),
    need('constructor_calldata', 'Constructor’s arguments', list(FELT, 'Felt')),
  ]),
)

export const TRANSACTIONS: Type = list(
  union(['Invoke', INVOKE], ['Declare', DECLARE], ['Deploy account', DEPLOY_ACCOUNT]),
  'Transaction',
)

const NO_BOUND = { max_amount: '0x0', max_price_per_unit: '0x0' }
const UNSIGNED = {
  version: '0x3',
  nonce: '0x0',
  signature: [],
  resource_bounds: { l1_gas: NO_BOUND, l1_data_gas: NO_BOUND, l2_gas: NO_BOUND },
  tip: '0x0',
  paymaster_data: [],
  nonce_data_availability_mode: 'L1',
  fee_data_availability_mode: 'L1',
}

/** Transactions that nobody signed: nodes say why they do not take them. */
export const EXAMPLE_INVOKE = {
  type: 'INVOKE',
  ...UNSIGNED,
  sender_address: STRK,
  calldata: ['0x0'],
  account_deployment_data: [],
}
export const EXAMPLE_DECLARE = {
  type: 'DECLARE',
  ...UNSIGNED,
  sender_address: STRK,
  compiled_class_hash: '0x1',
  contract_class: {
    sierra_program: [],
    contract_class_version: '0.1.0',
    entry_points_by_type: { CONSTRUCTOR: [], EXTERNAL: [], L1_HANDLER: [] },
    abi: '[]',
  },
  account_deployment_data: [],
}
export const EXAMPLE_DEPLOY_ACCOUNT = {
  type: 'DEPLOY_ACCOUNT',
  ...UNSIGNED,
  class_hash: '0x1',
  contract_address_salt: '0x0',
  constructor_calldata: [],
}

const PRICE: Type = record(gives('price_in_fri', FELT), gives('price_in_wei', FELT))

/** What blocks have beside their transactions. */
export const HEADER: readonly ParamDoc[] = [
  mayGive('status', choice('PRE_CONFIRMED', 'ACCEPTED_ON_L2', 'ACCEPTED_ON_L1')),
  gives('block_number', WHOLE),
  mayGive('block_hash', FELT_HASH, 'Nothing while the block is being built.'),
  mayGive('parent_hash', FELT_HASH),
  gives('timestamp', WHOLE, 'Seconds since 1970.'),
  gives('sequencer_address', FELT_ADDRESS),
  mayGive('new_root', FELT_HASH),
  gives('l1_gas_price', PRICE),
  gives('l2_gas_price', PRICE),
  gives('l1_data_gas_price', PRICE),
  gives('l1_da_mode', choice('BLOB', 'CALLDATA')),
  gives('starknet_version', TEXT),
]

export const TRANSACTION: Type = record(
  mayGive('transaction_hash', FELT_HASH),
  gives('type', choice('INVOKE', 'DECLARE', 'DEPLOY_ACCOUNT', 'DEPLOY', 'L1_HANDLER')),
  gives('version', FELT),
  mayGive('nonce', FELT),
  mayGive('sender_address', FELT_ADDRESS),
  mayGive('calldata', list(FELT, 'Felt')),
  mayGive('signature', list(FELT, 'Felt')),
  mayGive('tip', FELT),
)

const EVENT_FIELDS = [
  gives('from_address', FELT_ADDRESS, 'The contract.'),
  gives('keys', list(FELT, 'Key'), 'The first is the selector of the event’s name.'),
  gives('data', list(FELT, 'Felt')),
]

export const EMITTED_EVENT: Type = record(
  ...EVENT_FIELDS,
  gives('transaction_hash', FELT_HASH),
  mayGive('block_number', WHOLE),
  mayGive('block_hash', FELT_HASH),
)

export const RECEIPT: Type = record(
  gives('transaction_hash', FELT_HASH),
  gives('type', choice('INVOKE', 'DECLARE', 'DEPLOY_ACCOUNT', 'DEPLOY', 'L1_HANDLER')),
  gives('execution_status', choice('SUCCEEDED', 'REVERTED')),
  mayGive('revert_reason', TEXT),
  gives('finality_status', choice('PRE_CONFIRMED', 'ACCEPTED_ON_L2', 'ACCEPTED_ON_L1')),
  gives('actual_fee', record(gives('amount', FELT), gives('unit', choice('FRI', 'WEI')))),
  gives('events', list(record(...EVENT_FIELDS), 'Event')),
  gives(
    'messages_sent',
    list(
      record(gives('from_address', FELT), gives('to_address', FELT), gives('payload', list(FELT, 'Felt'))),
      'Message',
    ),
  ),
  gives('execution_resources', record(gives('l1_gas', WHOLE), gives('l1_data_gas', WHOLE), gives('l2_gas', WHOLE))),
  mayGive('block_number', WHOLE),
  mayGive('block_hash', FELT_HASH),
)

export const FEE: Type = record(
  gives('overall_fee', FELT, 'Amounts times prices.'),
  gives('unit', choice('FRI', 'WEI'), 'FRI is 10^-18 STRK.'),
  gives('l1_gas_consumed', FELT),
  gives('l1_gas_price', FELT),
  gives('l2_gas_consumed', FELT),
  gives('l2_gas_price', FELT),
  gives('l1_data_gas_consumed', FELT),
  gives('l1_data_gas_price', FELT),
)

export const TRACE: Type = record(
  gives('type', choice('INVOKE', 'DECLARE', 'DEPLOY_ACCOUNT', 'L1_HANDLER')),
  mayGive('execute_invocation', record(mayGive('revert_reason', TEXT), mayGive('is_reverted', BOOLEAN))),
  mayGive('validate_invocation', record()),
  mayGive('fee_transfer_invocation', record()),
  mayGive('state_diff', record()),
)

export const EVENT_FILTER: Type = object(
  [
    may('from_block', 'From block', BLOCK_ID),
    may('to_block', 'To block', BLOCK_ID),
    may(
      'address',
      'Contracts',
      union(['One', FELT_ADDRESS], ['Several', list(FELT_ADDRESS, 'Address')]),
      'Who wrote the events. Several since version 0.10 of the interface.',
    ),
    may(
      'keys',
      'Keys',
      list(list({ kind: 'felt', is: 'selector' }, 'Value'), 'Key'),
      'By place: any of the values. An empty list matches all. The first is the selector of the event’s name.',
    ),
    need('chunk_size', 'Page size', { kind: 'number', isWhole: true, min: 1 }, 'Most nodes give 1,024 at most.'),
    may('continuation_token', 'Next page', TEXT, 'As the page before gave it.'),
  ],
  'events',
)
