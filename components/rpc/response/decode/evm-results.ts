import { resultOf, sizeMessage } from '@/components/rpc/response/decode/abi'
import {
  type DecodeContext,
  type DecodedNode,
  type MessageDescriptor,
  type MessageText,
  msg,
  valueNode,
} from '@/components/rpc/response/decode/decoded'
import { evmNode, type FieldKind, wordNode } from '@/components/rpc/response/decode/evm'
import { isRecord, type Json, type JsonRecord } from '@/components/rpc/response/decode/json'
import { grouped, inUnits, quantityOf, textInterpretation } from '@/components/rpc/response/decode/quantity'

export type DecodedResult = { node: DecodedNode; note?: MessageText }

const RESULT_KINDS: Readonly<Record<string, FieldKind>> = {
  eth_blockNumber: 'block',
  eth_chainId: 'chain',
  net_version: 'chain',
  zks_L1ChainId: 'chain',
  zks_L1BatchNumber: 'count',
  zks_getL1BatchBlockRange: 'block',
  eth_getBalance: 'amount',
  eth_gasPrice: 'price',
  eth_maxPriorityFeePerGas: 'price',
  eth_blobBaseFee: 'price',
  eth_estimateGas: 'gas',
  eth_getTransactionCount: 'count',
  eth_getBlockTransactionCountByNumber: 'count',
  eth_getBlockTransactionCountByHash: 'count',
  eth_getUncleCountByBlockNumber: 'count',
  eth_getUncleCountByBlockHash: 'count',
  net_peerCount: 'count',
  eth_sendRawTransaction: 'hash',
  eth_sendUserOperation: 'hash',
  web3_sha3: 'hash',
}

/** Results that say more when they are missing than `null` does. */
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
    const note = MISSING[method]
    return { node: valueNode(context, null), ...(note && { note }) }
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
  return { node: evmNode(context, path, result, '', RESULT_KINDS[method]) }
}

function textResult(context: DecodeContext, path: string, method: string, result: string): DecodedResult | undefined {
  switch (method) {
    case 'eth_call':
      return callResult(context, path, result)
    case 'eth_getCode':
      return codeResult(context, result)
    case 'eth_getStorageAt':
      return /^0x[\da-f]{64}$/i.test(result) ? { node: wordNode(context, result) } : undefined
    case 'net_version': {
      const id = quantityOf(result)
      return id === undefined ? undefined : { node: evmNode(context, path, `0x${id.toString(16)}`, '', 'chain') }
    }
    default:
      return undefined
  }
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
  const isWord = /^0x[\da-f]{64}$/i.test(result)
  return {
    node: isWord ? wordNode(context, result) : valueNode(context, result, [textInterpretation(sizeMessage(result))]),
  }
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
  return { node: valueNode(context, code, [], use), note }
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
  const columns = [msg('Block'), msg('Base fee (gwei)'), msg('Gas used'), ...(hasBlobs ? [msg('Blob fee (gwei)')] : [])]
  for (let index = 0; index < rewardCount; index++) {
    columns.push(
      rewardCount === 1 ? msg('Priority fee (gwei)') : msg('Priority fee {place} (gwei)', { place: String(index + 1) }),
    )
  }
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
