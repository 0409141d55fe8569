import {
  ADDRESS,
  ANY,
  BOOLEAN,
  bytes,
  choice,
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
  orNull,
  QUANTITY,
  record,
  WEI,
} from '@/components/rpc/methods/build'
import { ENTRY_POINT, NO_HASH, RECEIPT, STATE_OVERRIDES } from '@/components/rpc/methods/evm-shapes'
import type { MethodDoc, ParamDoc } from '@/components/rpc/methods/types'
import { msg } from '@/lib/i18n/t'

const BUNDLER = 'Answered by nodes with a bundler for ERC-4337; others do not know it.'

const OPERATION_FIELDS: readonly ParamDoc[] = [
  need('sender', 'Account', ADDRESS, 'The smart account.'),
  need('nonce', 'Nonce', QUANTITY, 'As the entry point counts it.'),
  need('callData', 'Call data', DATA, 'What the account shall do.'),
  may('callGasLimit', 'Gas for the call', QUANTITY),
  may('verificationGasLimit', 'Gas for the check', QUANTITY),
  may('preVerificationGas', 'Gas for the bundler', QUANTITY),
  may('maxFeePerGas', 'Most per gas', WEI),
  may('maxPriorityFeePerGas', 'Tip per gas', WEI),
  need('signature', 'Signature', DATA, 'For an estimate, one of the right length will do.'),
  minor('factory', 'Factory', ADDRESS, 'What creates the account, where it does not exist yet.'),
  minor('factoryData', 'Factory data', DATA),
  minor('paymaster', 'Paymaster', ADDRESS, 'Who pays in the account’s place.'),
  minor('paymasterData', 'Paymaster data', DATA),
  minor('paymasterVerificationGasLimit', 'Paymaster’s gas for the check', QUANTITY),
  minor('paymasterPostOpGasLimit', 'Paymaster’s gas afterwards', QUANTITY),
  minor('initCode', 'Init code', DATA, 'Version 0.6: factory and its data in one.'),
  minor('paymasterAndData', 'Paymaster and data', DATA, 'Version 0.6: both in one.'),
  minor('eip7702Auth', 'Authorization', ANY, 'A delegation by EIP-7702.'),
]

const OPERATION = object(OPERATION_FIELDS)
const operationParam = need('operation', 'User operation', OPERATION, 'In the form of entry point 0.7, or 0.6.')
const entryPointParam = need('entryPoint', 'Entry point', ADDRESS, 'One that the bundler supports.')
const operationHashParam = need('operationHash', 'Operation hash', HASH, 'As eth_sendUserOperation gave it.')

/** An operation of an account that does not exist: bundlers answer why they do not take it. */
const START = {
  sender: '0x000000000000000000000000000000000000dEaD',
  nonce: '0x0',
  callData: '0x',
  callGasLimit: '0x186a0',
  verificationGasLimit: '0x186a0',
  preVerificationGas: '0xc350',
  maxFeePerGas: '0x3b9aca00',
  maxPriorityFeePerGas: '0x3b9aca00',
  signature: '0x',
}

const FEES = record(gives('maxFeePerGas', WEI), gives('maxPriorityFeePerGas', WEI))

export const OPERATIONS: readonly MethodDoc[] = [
  method('eth_sendUserOperation', {
    says: msg('Sends a signed user operation to a bundler.'),
    more: `How smart accounts act without a key of their own. ${BUNDLER}`,
    params: [operationParam, entryPointParam],
    result: HASH,
    read: 'The operation’s hash: look for its receipt with it.',
    start: [START, ENTRY_POINT],
  }),
  method('eth_estimateUserOperationGas', {
    says: msg('Estimates the gas a user operation needs.'),
    more: `The gas fields may be left out, and any signature of the right length will do. ${BUNDLER}`,
    params: [
      operationParam,
      entryPointParam,
      minor('stateOverrides', 'State overrides', STATE_OVERRIDES, 'Pretends that accounts are otherwise.'),
    ],
    result: record(
      gives('preVerificationGas', QUANTITY),
      gives('verificationGasLimit', QUANTITY),
      gives('callGasLimit', QUANTITY),
      mayGive('paymasterVerificationGasLimit', QUANTITY),
      mayGive('paymasterPostOpGasLimit', QUANTITY),
    ),
    read: 'Gas units for each part, to be put into the operation.',
    start: [START, ENTRY_POINT],
  }),
  method('eth_getUserOperationByHash', {
    says: msg('A user operation by hash.'),
    more: BUNDLER,
    params: [operationHashParam],
    result: orNull(
      record(
        gives('userOperation', record(...OPERATION_FIELDS.map((field) => ({ ...field, isRequired: false })))),
        gives('entryPoint', ADDRESS),
        mayGive('transactionHash', HASH),
        mayGive('blockNumber', QUANTITY),
        mayGive('blockHash', HASH),
      ),
    ),
    read: 'The operation, and the transaction that carried it. null when the bundler has not heard of it.',
    start: [NO_HASH],
    gave: null,
  }),
  method('eth_getUserOperationReceipt', {
    says: msg('Receipt of a user operation.'),
    more: BUNDLER,
    params: [operationHashParam],
    result: orNull(
      record(
        gives('userOpHash', HASH),
        gives('sender', ADDRESS),
        gives('nonce', QUANTITY),
        gives('success', BOOLEAN, 'Of the call inside.'),
        gives('actualGasUsed', QUANTITY),
        gives('actualGasCost', WEI),
        mayGive('paymaster', ADDRESS),
        gives('logs', list(ANY, 'Log'), 'Of this operation only.'),
        gives('receipt', RECEIPT, 'Of the whole transaction.'),
      ),
    ),
    read: 'success is the outcome. null while it is not in a block.',
    start: [NO_HASH],
    gave: null,
  }),
  method('eth_supportedEntryPoints', {
    says: msg('Entry points the bundler supports.'),
    more: BUNDLER,
    result: list(ADDRESS, 'Entry point'),
    read: 'Addresses, the preferred one first.',
    gave: [ENTRY_POINT],
  }),
  method('pimlico_getUserOperationGasPrice', {
    says: msg('Current gas prices for user operations, at three speeds.'),
    more: 'An addition of Pimlico’s bundlers.',
    result: record(gives('slow', FEES), gives('standard', FEES), gives('fast', FEES)),
    read: 'Put one of the three pairs into the operation.',
  }),
  method('pimlico_getUserOperationStatus', {
    says: msg('Status of a user operation.'),
    more: 'An addition of Pimlico’s bundlers. The transaction can still be replaced while it is submitted.',
    params: [operationHashParam],
    result: record(
      gives(
        'status',
        choice('not_found', 'not_submitted', 'queued', 'submitted', 'rejected', 'reverted', 'included', 'failed'),
      ),
      mayGive('transactionHash', bytes(32)),
    ),
    read: 'included is success of the bundle; rejected and failed are the ends that are not.',
    start: [NO_HASH],
    gave: { status: 'not_found', transactionHash: null },
  }),
]
