import { getAddress, type Hex, hexToBytes } from 'viem'
import { callOf, eventOf, resultOf, shortText, sizeMessage } from '@/components/rpc/response/decode/abi'
import {
  type DecodeContext,
  type DecodedField,
  type DecodedNode,
  listNode,
  MAX_DEPTH,
  type MessageDescriptor,
  type MessageText,
  msg,
  valueNode,
} from '@/components/rpc/response/decode/decoded'
import { isRecord, type Json, type JsonRecord, TOO_DEEP } from '@/components/rpc/response/decode/json'
import {
  amountInterpretations,
  grouped,
  inUnits,
  priceInterpretations,
  quantityOf,
  textInterpretation,
  timeInterpretation,
} from '@/components/rpc/response/decode/quantity'
import { NETWORKS } from '@/lib/contract/rpc'

const ADDRESS = /^0x[\da-f]{40}$/i
const WORD = /^0x[\da-f]{64}$/i
const HEX = /^0x[\da-f]*$/i
/** Longer hex is bytes: numbers of a chain have at most 32 bytes, and those are words. */
const MAX_NUMBER_CHARS = 34
const MAX_FIELDS = 100
const GWEI = 1_000_000_000n

export function evmNode(context: DecodeContext, path: string, value: Json, name = '', kind?: FieldKind): DecodedNode {
  if (value === TOO_DEEP || path.split('/').length > MAX_DEPTH + 2) return { kind: 'left-out', why: 'deep' }
  if (Array.isArray(value)) {
    return listNode(context, path, value, (one, index) => evmNode(context, `${path}/${index}`, one, name, kind))
  }
  if (isRecord(value)) return isLog(value) ? logNode(context, path, value) : recordNode(context, path, value)
  if (typeof value === 'symbol') return { kind: 'left-out', why: 'deep' }
  return leafNode(context, path, value, kind ?? kindOf(name, () => false))
}

function recordNode(context: DecodeContext, path: string, record: JsonRecord): DecodedNode {
  const names = Object.keys(record)
  const has = (name: string) => name in record
  const fields = names.slice(0, MAX_FIELDS).map((name): DecodedField => {
    const value = record[name]!
    const output =
      name === 'output' || name === 'returnData' ? outputNode(context, `${path}/${name}`, record, value) : undefined
    return { name, node: output ?? evmNode(context, `${path}/${name}`, value, name, kindOf(name, has)) }
  })
  const title = titleOf(record)
  const summary = summaryOf(context, record)
  return {
    kind: 'record',
    ...(title && { title }),
    ...(summary && { summary }),
    fields,
    hidden: Math.max(0, names.length - MAX_FIELDS),
  }
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
  const number = kind === undefined ? undefined : quantityOf(value)
  if (kind !== undefined && number !== undefined && typeof value !== 'string' && !isNumeric(kind)) {
    return valueNode(context, value)
  }
  const text = String(value)
  switch (kind) {
    case 'amount':
    case 'gwei': {
      if (number === undefined || WORD.test(text)) break
      const wei = kind === 'gwei' ? number * GWEI : number
      return valueNode(context, value, amountInterpretations(wei, context.network.currency))
    }
    case 'price':
      if (number === undefined) break
      return valueNode(context, value, priceInterpretations(number))
    case 'gas':
    case 'count':
      if (number === undefined) break
      return valueNode(context, value, [textInterpretation(grouped(number))])
    case 'block':
      if (number === undefined) break
      return valueNode(context, value, [textInterpretation(grouped(number))], {
        kind: 'block',
        value: `0x${number.toString(16)}`,
      })
    case 'time': {
      const time = number === undefined ? undefined : timeInterpretation(number)
      if (!time) break
      return valueNode(context, value, [time])
    }
    case 'hash':
      if (!WORD.test(text)) break
      return valueNode(context, value, [], { kind: 'hash', value: text })
    case 'call': {
      if (!HEX.test(text)) break
      const call = callOf(context, path, text)
      const node = valueNode(context, value, [textInterpretation(sizeMessage(text))])
      return call && node.kind === 'value' ? { ...node, call } : node
    }
    case 'code':
      if (!HEX.test(text)) break
      return valueNode(context, value, [textInterpretation(sizeMessage(text))])
    case 'text': {
      const reason = printable(text)
      return valueNode(
        context,
        value,
        reason === undefined ? [textInterpretation(sizeMessage(text))] : [textInterpretation(`“${reason}”`)],
      )
    }
    case 'bloom':
      return valueNode(context, '', [
        textInterpretation(/^0x0*$/.test(text) ? msg('empty: no logs') : msg('bloom filter of the logs, not shown')),
      ])
    case 'status':
      if (text === '0x1' || text === '0x0') {
        return valueNode(context, value, [
          textInterpretation(text === '0x1' ? msg('succeeded') : msg('failed: reverted')),
        ])
      }
      break
    case 'tx-type': {
      const type = number === undefined ? undefined : TX_TYPES[`0x${number.toString(16)}`]
      if (!type) break
      return valueNode(context, value, [textInterpretation(type)])
    }
    case 'chain': {
      const chain = number === undefined ? undefined : chainMessage(number)
      if (!chain) break
      return valueNode(context, value, [textInterpretation(chain)])
    }
  }
  return shapeNode(context, value)
}

const isNumeric = (kind: FieldKind) =>
  ['amount', 'gwei', 'price', 'gas', 'count', 'block', 'time', 'tx-type', 'chain'].includes(kind)

function shapeNode(context: DecodeContext, value: string | number | bigint): DecodedNode {
  if (typeof value !== 'string') return valueNode(context, value)
  if (ADDRESS.test(value)) return addressNode(context, value)
  if (WORD.test(value)) return wordNode(context, value)
  const isEmpty = value.toLowerCase() === '0x'
  if (!HEX.test(value) || isEmpty) return valueNode(context, value, isEmpty ? [textInterpretation(msg('empty'))] : [])
  const isNumber = value.length <= MAX_NUMBER_CHARS && (value === '0x0' || !/^0x0/.test(value))
  return valueNode(context, value, [textInterpretation(isNumber ? grouped(BigInt(value)) : sizeMessage(value))])
}

function addressNode(context: DecodeContext, address: string): DecodedNode {
  const interpretations = /^0x0{40}$/.test(address) ? [textInterpretation(msg('zero address'))] : []
  const checked = getAddress(address as Hex)
  return valueNode(context, checked, interpretations, { kind: 'address', value: checked })
}

/** Decodes 32 bytes: padded with zeros an address, a number or a short text, otherwise a hash. */
export function wordNode(context: DecodeContext, word: string): DecodedNode {
  const number = BigInt(word)
  const text = shortText(word)
  if (text !== undefined) return valueNode(context, word, [textInterpretation(`“${text}”`)])
  if (number < 2n ** 96n) return valueNode(context, word, [textInterpretation(grouped(number))])
  if (number < 2n ** 160n) {
    const address = getAddress(`0x${word.slice(26)}`)
    return valueNode(context, word, [textInterpretation(address, msg('as an address'))], {
      kind: 'address',
      value: address,
    })
  }
  return valueNode(context, word, [], { kind: 'hash', value: word })
}

const isLog = (record: JsonRecord): boolean =>
  Array.isArray(record.topics) &&
  record.topics.every((topic) => typeof topic === 'string') &&
  typeof record.data === 'string' &&
  typeof record.address === 'string'

function logNode(context: DecodeContext, path: string, log: JsonRecord): DecodedNode {
  const topics = log.topics as string[]
  const event = topics.every((topic) => WORD.test(topic))
    ? eventOf(context, `${path}/event`, topics, String(log.data))
    : undefined
  const eventFields = event ? ['topics', 'data'] : []
  const names = Object.keys(log)
    .filter((name) => !eventFields.includes(name))
    .slice(0, MAX_FIELDS)
  const fields = names.map((name): DecodedField => {
    const at = `${path}/${name}`
    const node =
      name === 'topics'
        ? listNode(context, at, topics, (topic) => shapeNode(context, topic))
        : evmNode(context, at, log[name]!, name, name === 'data' ? 'code' : kindOf(name, () => false))
    return { name, node }
  })
  return { kind: 'record', title: event ? event.name : msg('Log'), ...(event && { event }), fields, hidden: 0 }
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

/** Meaning of a field by its name: the execution APIs use one name for one thing nearly everywhere. */
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
function kindOf(name: string, hasSibling: (name: string) => boolean): FieldKind | undefined {
  if (name === 'amount' && hasSibling('validatorIndex')) return 'gwei'
  // Of a call to a contract it is the call, of a log it is what the event says; a log is known before this is asked.
  if (name === 'data' && hasSibling('to')) return 'call'
  // The nonce of a block is the leftover of mining, not a count.
  if (name === 'nonce' && hasSibling('parentHash')) return undefined
  return KINDS.get(name)
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
