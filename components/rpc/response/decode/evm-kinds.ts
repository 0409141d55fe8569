import { type MessageDescriptor, msg } from '@/components/rpc/response/decode/message-descriptor'
/** What a field of a node's reply is, by its name: the execution APIs use one name for one thing nearly everywhere. */
export type FieldKind =
  | 'amount'
  | 'gwei'
  | 'price'
  | 'gas'
  | 'count'
  | 'block'
  | 'time'
  | 'hash'
  | 'call'
  | 'code'
  | 'text'
  | 'bloom'
  | 'status'
  | 'tx-type'
  | 'chain'

const NAMES: Readonly<Record<FieldKind, string>> = {
  amount: 'value balance l1Fee fee mint deposit refund gasFee totalFee',
  // In a withdrawal of the beacon chain only; see `kindOf`.
  gwei: '',
  price: `gasPrice maxFeePerGas maxPriorityFeePerGas effectiveGasPrice baseFeePerGas maxFeePerBlobGas blobGasPrice
    l1GasPrice l1BlobBaseFee l1BaseFee suggestedMaxFeePerGas suggestedMaxPriorityFeePerGas l2GasPrice fairPubdataPrice
    gas_per_pubdata_limit max_fee_per_gas max_priority_fee_per_gas`,
  gas: `gas gasLimit gasUsed cumulativeGasUsed blobGasUsed excessBlobGas callGasLimit verificationGasLimit
    preVerificationGas paymasterVerificationGasLimit paymasterPostOpGasLimit gasUsedForL1 l1GasUsed actualGasUsed
    gasCost refundCounter gas_limit gasRequired daFootprintGasScalar`,
  count: `nonce transactionIndex logIndex index validatorIndex size difficulty totalDifficulty depositNonce
    depositReceiptVersion v yParity pending queued l1BatchNumber l1BatchTxIndex l1TxCount l2TxCount sendCount
    l1BaseFeeScalar l1BlobBaseFeeScalar operatorFeeScalar operatorFeeConstant traceAddress subtraces`,
  block: 'number blockNumber l1BlockNumber startingBlock currentBlock highestBlock oldestBlock ethExecuteBlock',
  time: 'timestamp blockTimestamp time',
  hash: `hash blockHash transactionHash parentHash userOpHash txHash ethCommitTxHash ethProveTxHash ethExecuteTxHash
    commitTxHash proveTxHash executeTxHash l1OriginHash requestId`,
  call: 'input callData calldata initCode',
  code: 'code bytecode init',
  text: 'extraData',
  bloom: 'logsBloom',
  status: 'status',
  'tx-type': 'type',
  chain: 'chainId',
}

const KINDS: ReadonlyMap<string, FieldKind> = new Map(
  Object.entries(NAMES).flatMap(([kind, names]) =>
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, kind as FieldKind] as const),
  ),
)

/** @param hasSibling whether the record has another field of a name: some names mean two things. */
export function kindOf(name: string, hasSibling: (name: string) => boolean): FieldKind | undefined {
  if (name === 'amount' && hasSibling('validatorIndex')) return 'gwei'
  // Of a call to a contract it is the call, of a log it is what the event says; a log is known before this is asked.
  if (name === 'data' && hasSibling('to')) return 'call'
  // The nonce of a block is the leftover of mining, not a count.
  if (name === 'nonce' && hasSibling('parentHash')) return undefined
  return KINDS.get(name)
}

/** Kinds of transactions, by the byte that they begin with. */
export const TX_TYPES: Readonly<Record<string, MessageDescriptor>> = {
  '0x0': msg('legacy'),
  '0x1': msg('access list (EIP-2930)'),
  '0x2': msg('dynamic fee (EIP-1559)'),
  '0x3': msg('blob (EIP-4844)'),
  '0x4': msg('set code (EIP-7702)'),
  '0x64': msg('Arbitrum deposit'),
  '0x65': msg('Arbitrum unsigned'),
  '0x66': msg('Arbitrum contract'),
  '0x68': msg('Arbitrum retry'),
  '0x69': msg('Arbitrum retryable ticket'),
  '0x6a': msg('Arbitrum internal'),
  '0x71': msg('zkSync (EIP-712)'),
  '0x7e': msg('OP Stack deposit'),
  '0x7f': msg('Polygon state sync'),
  '0xff': msg('zkSync priority'),
}
