import { getAddress, type Hex, hexToBytes } from 'viem'
import { callOf, eventOf, resultOf, shortText, sizeMessage } from '@/components/rpc/response/decode/abi'
import {
  amountInterpretations,
  type DecodeContext,
  type DecodedField,
  type DecodedNode,
  type DecodedResult,
  grouped,
  type InterpretationLike,
  inUnits,
  kindsByName,
  listNode,
  MAX_DEPTH,
  MAX_FIELDS,
  type MessageDescriptor,
  type MessageText,
  msg,
  noted,
  priceInterpretations,
  quantityOf,
  timeInterpretation,
  valueNode,
} from '@/components/rpc/response/decode/decoded'
import { isRecord, type Json, type JsonRecord } from '@/components/rpc/response/decode/json'
import { NETWORKS } from '@/lib/contract/rpc-networks'

const RESULT_KINDS = kindsByName<FieldKind>({
  block: 'eth_blockNumber zks_getL1BatchBlockRange',
  chain: 'eth_chainId net_version zks_L1ChainId',
  count: `zks_L1BatchNumber eth_getTransactionCount eth_getBlockTransactionCountByNumber net_peerCount
    eth_getBlockTransactionCountByHash eth_getUncleCountByBlockNumber eth_getUncleCountByBlockHash`,
  amount: 'eth_getBalance',
  price: 'eth_gasPrice eth_maxPriorityFeePerGas eth_blobBaseFee',
  gas: 'eth_estimateGas',
  hash: 'eth_sendRawTransaction eth_sendUserOperation web3_sha3',
})

// Results that say more when they are missing than `null` does.
const MISSING: Readonly<Record<string, MessageDescriptor>> = {
  eth_getTransactionReceipt: msg('No receipt yet. The transaction is pending or unknown to this network.'),
  eth_getTransactionByHash: msg('Transaction not found on this network.'),
  eth_getBlockByNumber: msg('This block doesn’t exist yet.'),
  eth_getBlockByHash: msg('Block not found on this network.'),
  eth_getUserOperationByHash: msg('User operation not found by the bundler.'),
  eth_getUserOperationReceipt: msg('No receipt yet. The user operation is pending or unknown to the bundler.'),
}

const MINIMAL_PROXY = /^0x363d3d373d3d3d363d73([\da-f]{40})5af43d82803e903d91602b57fd5bf3$/i
const DELEGATION = /^0xef0100([\da-f]{40})$/i

export function evmResult(context: DecodeContext, path: string, result: Json): DecodedResult {
  const method = context.method ?? ''
  if (result === null) {
    return { node: valueNode(context, null), note: MISSING[method] }
  }
  if (typeof result === 'string') {
    const known = textResult(context, path, method, result)
    if (known) return known
  }
  if (method === 'eth_feeHistory' && isRecord(result)) {
    const table = feeHistoryNode(result)
    if (table) return { node: table }
  }
  if (method === 'eth_syncing' && result === false) {
    return { node: valueNode(context, false), note: msg('The node is synced.') }
  }
  return { node: evmNode(context, path, result, '', RESULT_KINDS.get(method)) }
}

function textResult(context: DecodeContext, path: string, method: string, result: string): DecodedResult | undefined {
  if (method === 'eth_call') return callResult(context, path, result)
  if (method === 'eth_getCode') return codeResult(context, result)
  if (method === 'eth_getStorageAt' && WORD.test(result)) return { node: wordNode(context, result) }
  const id = method === 'net_version' ? quantityOf(result) : undefined
  return id === undefined ? undefined : { node: evmNode(context, path, `0x${id.toString(16)}`, '', 'chain') }
}

function callResult(context: DecodeContext, path: string, result: string): DecodedResult {
  const callData = callDataOf(context.params)
  if (result === '0x') {
    const note =
      callData === undefined
        ? msg('No data returned.')
        : msg('No data returned. The address has no contract, or the contract lacks this function.')
    return { node: valueNode(context, result), note }
  }
  const read = callData === undefined ? undefined : resultOf(context, path, result, callData)
  if (read) return { node: read.node, note: `${read.signature}, ${read.standard}` }
  return { node: WORD.test(result) ? wordNode(context, result) : valueNode(context, result, [sizeMessage(result)]) }
}

function callDataOf(params: unknown): string | undefined {
  const call: unknown = Array.isArray(params) ? params[0] : undefined
  if (typeof call !== 'object' || call === null) return undefined
  const { input, data } = call as { input?: unknown; data?: unknown }
  return typeof input === 'string' ? input : typeof data === 'string' ? data : undefined
}

function codeResult(context: DecodeContext, code: string): DecodedResult {
  const proxy = MINIMAL_PROXY.exec(code)?.[1]
  const delegate = DELEGATION.exec(code)?.[1]
  const note: MessageDescriptor =
    code === '0x'
      ? msg('No code. The address is an externally owned account (EOA) or unused.')
      : proxy
        ? msg('Minimal proxy (ERC-1167) for {address}.', { address: `0x${proxy}` })
        : delegate
          ? msg('Account that delegates to the code at {address} (EIP-7702).', { address: `0x${delegate}` })
          : { counted: 'contract-bytes', count: Math.ceil((code.length - 2) / 2) }
  const target = proxy ?? delegate
  const use = target === undefined ? undefined : ({ kind: 'address', value: `0x${target}` } as const)
  return { node: valueNode(context, code, [], { use }), note }
}

const MAX_ROWS = 200
const MAX_REWARDS = 6
const GWEI_DECIMALS = 9

function feeHistoryNode(history: JsonRecord): DecodedNode | undefined {
  const first = quantityOf(history.oldestBlock)
  const fees = list(history.baseFeePerGas)
  if (first === undefined || fees.length === 0) return undefined
  const used = list(history.gasUsedRatio)
  const blobFees = list(history.baseFeePerBlobGas)
  const hasBlobs = blobFees.some((fee) => (quantityOf(fee) ?? 0n) > 0n)
  const rewards = list(history.reward).map(list)
  const rewardCount = Math.min(MAX_REWARDS, Math.max(0, ...rewards.slice(0, MAX_ROWS).map(({ length }) => length)))
  const columns = [
    msg('Block'),
    msg('Base fee (gwei)'),
    msg('Gas used'),
    ...(hasBlobs ? [msg('Blob fee (gwei)')] : []),
    ...Array.from({ length: rewardCount }, (_, index) =>
      rewardCount === 1 ? msg('Priority fee (gwei)') : msg('Priority fee {place} (gwei)', { place: String(index + 1) }),
    ),
  ]
  const rows = fees.slice(0, MAX_ROWS).map((fee, index) => [
    // Of the last one only the price is known: it is not made yet.
    index < used.length
      ? grouped(first + BigInt(index))
      : msg('{block} (next)', { block: grouped(first + BigInt(index)) }),
    gwei(fee),
    share(used[index]),
    ...(hasBlobs ? [gwei(blobFees[index])] : []),
    ...Array.from({ length: rewardCount }, (_, reward) => gwei(rewards[index]?.[reward])),
  ])
  return { kind: 'table', columns, rows, total: fees.length }
}

const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : [])

function gwei(value: Json | undefined): string {
  const wei = quantityOf(value)
  return wei === undefined ? '' : inUnits(wei, GWEI_DECIMALS)
}

const share = (value: Json | undefined): string => (typeof value === 'number' ? `${(value * 100).toFixed(1)} %` : '')

const ADDRESS = /^0x[\da-f]{40}$/i
const WORD = /^0x[\da-f]{64}$/i
const HEX = /^0x[\da-f]*$/i
// Longer hex is bytes: numbers of a chain have at most 32 bytes, and those are words.
const MAX_NUMBER_CHARS = 34
const GWEI = 1_000_000_000n

function evmNode(context: DecodeContext, path: string, value: Json, name = '', kind?: FieldKind): DecodedNode {
  if (typeof value === 'symbol' || path.split('/').length > MAX_DEPTH + 2) return { kind: 'left-out', why: 'deep' }
  if (Array.isArray(value)) {
    return listNode(context, path, value, (one, at) => evmNode(context, at, one, name, kind))
  }
  if (isRecord(value)) return isLog(value) ? logNode(context, path, value) : recordNode(context, path, value)
  return leafNode(context, path, value, kind ?? kindOf(name, () => false))
}

function recordNode(context: DecodeContext, path: string, record: JsonRecord): DecodedNode {
  const names = Object.keys(record)
  const has = (name: string) => name in record
  const fields = names.slice(0, MAX_FIELDS).map((name): DecodedField => {
    const at = `${path}/${name}`
    const value = record[name]!
    const output = name === 'output' || name === 'returnData' ? outputNode(context, at, record, value) : undefined
    return { name, node: output ?? evmNode(context, at, value, name, kindOf(name, has)) }
  })
  const hidden = Math.max(0, names.length - MAX_FIELDS)
  return { kind: 'record', title: titleOf(record), summary: summaryOf(context, record), fields, hidden }
}

function outputNode(context: DecodeContext, path: string, record: JsonRecord, value: Json): DecodedNode | undefined {
  const { input } = record
  return typeof value === 'string' && typeof input === 'string'
    ? resultOf(context, path, value, input)?.node
    : undefined
}

function leafNode(
  context: DecodeContext,
  path: string,
  value: Exclude<Json, object | symbol> | null,
  kind: FieldKind | undefined,
): DecodedNode {
  if (value === null || typeof value === 'boolean') return valueNode(context, value)
  const text = String(value)
  const read = kind && NUMERIC[kind]
  if (read) {
    const number = quantityOf(value)
    const interpretations = number === undefined ? undefined : read(number, context, text)
    if (number === undefined || !interpretations) return shapeNode(context, value)
    const use = kind === 'block' ? ({ kind, value: `0x${number.toString(16)}` } as const) : undefined
    return valueNode(context, value, interpretations, { use })
  }
  if (typeof value !== 'string') return valueNode(context, value)
  switch (kind) {
    case 'hash':
      if (!WORD.test(text)) break
      return valueNode(context, value, [], { use: { kind: 'hash', value: text } })
    case 'call':
    case 'code': {
      if (!HEX.test(text)) break
      const call = kind === 'call' ? callOf(context, path, text) : undefined
      return valueNode(context, value, [sizeMessage(text)], { call })
    }
    case 'text': {
      const reason = printable(text)
      return valueNode(context, value, [reason === undefined ? sizeMessage(text) : `“${reason}”`])
    }
    case 'bloom':
      return valueNode(context, '', [
        /^0x0*$/.test(text) ? msg('empty: no logs') : msg('bloom filter of the logs, not shown'),
      ])
    case 'status':
      if (text !== '0x1' && text !== '0x0') break
      return valueNode(context, value, [text === '0x1' ? msg('succeeded') : msg('failed: reverted')])
  }
  return shapeNode(context, value)
}

type NumberReader = (number: bigint, context: DecodeContext, text: string) => InterpretationLike[] | undefined

const coins: NumberReader = (wei, { network }, text) =>
  WORD.test(text) ? undefined : amountInterpretations(wei, network.currency)

const count: NumberReader = (number) => [grouped(number)]

const NUMERIC: { readonly [K in FieldKind]?: NumberReader } = {
  amount: coins,
  gwei: (gwei, context, text) => coins(gwei * GWEI, context, text),
  price: priceInterpretations,
  gas: count,
  count,
  block: count,
  time: (seconds) => {
    const time = timeInterpretation(seconds)
    return time && [time]
  },
  'tx-type': (type) => {
    const name = TX_TYPES[`0x${type.toString(16)}`]
    return name && [name]
  },
  chain: (id) => [chainMessage(id)],
}

function shapeNode(context: DecodeContext, value: string | number | bigint): DecodedNode {
  if (typeof value !== 'string') return valueNode(context, value)
  if (ADDRESS.test(value)) return addressNode(context, value)
  if (WORD.test(value)) return wordNode(context, value)
  const isEmpty = value.toLowerCase() === '0x'
  if (!HEX.test(value) || isEmpty) return valueNode(context, value, isEmpty ? [msg('empty')] : [])
  const isNumber = value.length <= MAX_NUMBER_CHARS && (value === '0x0' || !/^0x0/.test(value))
  return valueNode(context, value, [isNumber ? grouped(BigInt(value)) : sizeMessage(value)])
}

function addressNode(context: DecodeContext, address: string): DecodedNode {
  const checked = getAddress(address as Hex)
  const use = { kind: 'address', value: checked } as const
  return valueNode(context, checked, /^0x0{40}$/.test(address) ? [msg('zero address')] : [], { use })
}

// Decodes 32 bytes: padded with zeros an address, a number or a short text, otherwise a hash.
function wordNode(context: DecodeContext, word: string): DecodedNode {
  const number = BigInt(word)
  const text = shortText(word)
  if (text !== undefined) return valueNode(context, word, [`“${text}”`])
  if (number < 2n ** 96n) return valueNode(context, word, [grouped(number)])
  if (number >= 2n ** 160n) return valueNode(context, word, [], { use: { kind: 'hash', value: word } })
  const address = getAddress(`0x${word.slice(26)}`)
  return valueNode(context, word, [noted(address, msg('as an address'))], { use: { kind: 'address', value: address } })
}

const isLog = (record: JsonRecord): boolean =>
  Array.isArray(record.topics) &&
  record.topics.every((topic) => typeof topic === 'string') &&
  typeof record.data === 'string' &&
  typeof record.address === 'string'

function logNode(context: DecodeContext, path: string, log: JsonRecord): DecodedNode {
  const topics = log.topics as string[]
  const isWords = topics.every((topic) => WORD.test(topic))
  const event = isWords ? eventOf(context, `${path}/event`, topics, String(log.data)) : undefined
  const names = Object.keys(log).filter((name) => !event || (name !== 'topics' && name !== 'data'))
  const fields = names.slice(0, MAX_FIELDS).map((name): DecodedField => {
    const at = `${path}/${name}`
    if (name === 'topics') return { name, node: listNode(context, at, topics, (topic) => shapeNode(context, topic)) }
    return { name, node: evmNode(context, at, log[name]!, name, name === 'data' ? 'code' : kindOf(name, () => false)) }
  })
  return { kind: 'record', title: event ? event.name : msg('Log'), event, fields, hidden: 0 }
}

function titleOf(record: JsonRecord): MessageDescriptor | undefined {
  const has = (...names: string[]) => names.every((name) => name in record)
  if (has('cumulativeGasUsed', 'logs')) return msg('Receipt')
  if (has('parentHash', 'stateRoot')) return msg('Block')
  if (has('from', 'nonce', 'gas', 'input')) return msg('Transaction')
  if (has('validatorIndex', 'amount')) return msg('Withdrawal')
  return undefined
}

function summaryOf({ network }: DecodeContext, record: JsonRecord): MessageText | undefined {
  const { from, to, value, number, hash, method } = record
  if (typeof from === 'string' && ADDRESS.test(from)) {
    const wei = quantityOf(value)
    const amount = wei === undefined || wei === 0n ? '' : ` · ${inUnits(wei, 18)} ${network.currency}`
    if (typeof to === 'string' && ADDRESS.test(to)) return `${shortHex(from)} → ${shortHex(to)}${amount}`
    return msg('{from} → new contract{amount}', { from: shortHex(from), amount })
  }
  if (typeof number === 'string' && typeof hash === 'string') return grouped(quantityOf(number) ?? 0n)
  return typeof method === 'string' ? method.slice(0, 80) : undefined
}

const shortHex = (hex: string) => `${hex.slice(0, 6)}…${hex.slice(-4)}`

function printable(hex: string): string | undefined {
  if (!HEX.test(hex) || hex.length < 6 || hex.length % 2 === 1) return undefined
  const text = new TextDecoder().decode(hexToBytes(hex as Hex))
  return /^[\p{L}\p{N}\p{P}\p{S} ]+$/u.test(text) && !text.includes('\ufffd') ? text : undefined
}

function chainMessage(id: bigint): string {
  const network = NETWORKS.find(({ family, chainId }) => family === 'evm' && BigInt(chainId) === id)
  return network ? `${id}: ${network.group} ${network.name}` : String(id)
}

type FieldKind =
  | 'amount'
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
  // In a withdrawal of the beacon chain only; see `kindOf`.
  | 'gwei'

// Meaning of a field by its name: the execution APIs use one name for one thing nearly everywhere.
const FIELD_KINDS = kindsByName<FieldKind>({
  amount: 'value balance l1Fee fee mint deposit refund gasFee totalFee',
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
})

// Some names mean two things: what else the record has tells them apart.
function kindOf(name: string, hasSibling: (name: string) => boolean): FieldKind | undefined {
  if (name === 'amount' && hasSibling('validatorIndex')) return 'gwei'
  // Of a call to a contract it is the call, of a log it is what the event says; a log is known before this is request.
  if (name === 'data' && hasSibling('to')) return 'call'
  // The nonce of a block is the leftover of mining, not a count.
  if (name === 'nonce' && hasSibling('parentHash')) return undefined
  return FIELD_KINDS.get(name)
}

const TX_TYPES: Readonly<Record<string, MessageDescriptor>> = {
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
