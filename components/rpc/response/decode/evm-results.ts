import { resultOf, sizeWords } from '@/components/rpc/response/decode/abi-values'
import { type DecodeContext, valueNode } from '@/components/rpc/response/decode/context'
import type { DecodedNode } from '@/components/rpc/response/decode/decoded'
import { evmNode, wordNode } from '@/components/rpc/response/decode/evm'
import type { FieldKind } from '@/components/rpc/response/decode/evm-kinds'
import { feeHistoryNode } from '@/components/rpc/response/decode/fee-history'
import { isRecord, type Json } from '@/components/rpc/response/decode/json-value'
import { msg, type Said, type Words } from '@/components/rpc/response/decode/message-descriptor'
import { quantityOf, words } from '@/components/rpc/response/decode/quantity'

export type DecodedResult = { node: DecodedNode; note?: Words }

/** Methods whose result is one value without a name. */
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
const MISSING: Readonly<Record<string, Said>> = {
  eth_getTransactionReceipt: msg('No receipt yet. The transaction is pending or unknown to this network.'),
  eth_getTransactionByHash: msg('Transaction not found on this network.'),
  eth_getBlockByNumber: msg('This block doesn’t exist yet.'),
  eth_getBlockByHash: msg('Block not found on this network.'),
  eth_getUserOperationByHash: msg('User operation not found by the bundler.'),
  eth_getUserOperationReceipt: msg('No receipt yet. The user operation is pending or unknown to the bundler.'),
}

const MINIMAL_PROXY = /^0x363d3d373d3d3d363d73([\da-f]{40})5af43d82803e903d91602b57fd5bf3$/i
const DELEGATION = /^0xef0100([\da-f]{40})$/i

/** The result of a call to an EVM network. */
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
  return { node: isWord ? wordNode(context, result) : valueNode(context, result, [words(sizeWords(result))]) }
}

/** What an `eth_call` was asked with. */
function callDataOf(params: unknown): string | undefined {
  const call: unknown = Array.isArray(params) ? params[0] : undefined
  if (typeof call !== 'object' || call === null) return undefined
  const { input, data } = call as { input?: unknown; data?: unknown }
  return typeof input === 'string' ? input : typeof data === 'string' ? data : undefined
}

function codeResult(context: DecodeContext, code: string): DecodedResult {
  const proxy = MINIMAL_PROXY.exec(code)?.[1]
  const delegate = DELEGATION.exec(code)?.[1]
  const note: Said =
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
