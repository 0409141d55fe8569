import { errorOf, sizeMessage } from '@/components/rpc/response/decode/abi'
import {
  type DecodeContext,
  type DecodedCall,
  type DecodedItem,
  type DecodedNode,
  type DecodedReply,
  ITEMS_PATH,
  MAX_VALUES,
  type MessageDescriptor,
  type MessageText,
  msg,
  valueNode,
} from '@/components/rpc/response/decode/decoded'
import { evmResult } from '@/components/rpc/response/decode/evm'
import {
  isRecord,
  type Json,
  type JsonRecord,
  type Reply,
  type ReplyItem,
  readJson,
} from '@/components/rpc/response/decode/json'
import { starknetResult } from '@/components/rpc/response/decode/starknet'
import { networkOf, type RpcSlug } from '@/lib/contract/rpc-networks'

export type DecodedRequest = { network: RpcSlug; calls: readonly { method: string; params: unknown }[] }

export type DecodeOptions = { item?: number; wanted: Readonly<Record<string, number>> }

const ITEMS_AT_ONCE = 10

/** Decodes the results of a reply by the methods that they answer. Never throws for what a node may send. */
export function decodeReply(
  text: string,
  reply: Reply,
  request: DecodedRequest,
  { item, wanted }: DecodeOptions,
): DecodedReply {
  const network = networkOf(request.network)
  if (!network) return { items: [], total: 0 }
  let left = MAX_VALUES
  const count = Math.min(reply.items.length, wanted[ITEMS_PATH] ?? ITEMS_AT_ONCE)
  const indexes = item === undefined ? Array.from({ length: count }, (_, index) => index) : [item]
  const items = indexes.flatMap((index) => {
    const found = reply.items[index]
    if (!found || left <= 0) return []
    const call = found.callIndex === undefined ? undefined : request.calls[found.callIndex]
    const context: DecodeContext = { network, method: call?.method, params: call?.params, wanted, left }
    const decoded = decodeItem(text, found, index, context)
    left = context.left
    return [decoded]
  })
  return { items, total: item === undefined ? reply.total : 1 }
}

function decodeItem(text: string, item: ReplyItem, index: number, context: DecodeContext): DecodedItem {
  const path = String(index)
  const { start, end } = item.value ?? item
  const value = readJson(text.slice(start, end))
  const head = { index, outcome: item.outcome, id: item.id, method: context.method }
  if (item.outcome === 'error') return { ...head, error: decodeError(context, path, value) }
  const resultOf = context.network.family === 'evm' ? evmResult : starknetResult
  return { ...head, ...resultOf(context, path, value) }
}

// Source: JSON-RPC 2.0, the execution APIs, Starknet's specification.
const EVM_CODES: Readonly<Record<string, MessageDescriptor>> = {
  '3': msg('contract reverted'),
  '-32700': msg('the node could not parse the request'),
  '-32600': msg('invalid request'),
  '-32601': msg('method not found on this node'),
  '-32602': msg('invalid parameters'),
  '-32603': msg('internal node error'),
  '-32000': msg('rejected by the node'),
  '-32001': msg('resource not found'),
  '-32002': msg('resource unavailable: the node is not ready'),
  '-32003': msg('transaction rejected'),
  '-32004': msg('method not supported by the node'),
  '-32005': msg('limit of the node exceeded'),
  '-32015': msg('contract reverted'),
  '-32500': msg('user operation rejected'),
}
const STARKNET_CODES: Readonly<Record<string, MessageDescriptor>> = {
  '1': msg('rejected by the sequencer'),
  '20': msg('no contract at this address'),
  '21': msg('entry point not found in the contract'),
  '24': msg('block not found'),
  '27': msg('index out of range for this block'),
  '28': msg('class hash not found'),
  '29': msg('transaction hash not found'),
  '31': msg('page size too large'),
  '33': msg('invalid continuation token'),
  '40': msg('contract reverted'),
  '41': msg('transaction reverted'),
  '52': msg('invalid nonce'),
  '54': msg('balance too low for the fee'),
  '55': msg('signature rejected by the account'),
}

// Meanings of `Panic(uint256)`. Source: Solidity's documentation, "Panic via assert and Error via require".
const PANICS: Readonly<Record<string, MessageDescriptor>> = {
  '0': msg('generic panic'),
  '1': msg('assertion failed'),
  '17': msg('arithmetic overflow or underflow'),
  '18': msg('division by zero'),
  '33': msg('invalid enum value'),
  '34': msg('incorrectly encoded storage bytes'),
  '49': msg('pop on an empty array'),
  '50': msg('array index out of bounds'),
  '65': msg('too much memory allocated'),
  '81': msg('call to an uninitialized function'),
}

const REVERT_DATA = /^0x(?:[\da-f]{2})*$/i
const IN_MESSAGE = /0x[\da-f]{8,}/i
const MAX_SEARCH_DEPTH = 4

function decodeError(context: DecodeContext, path: string, error: Json): NonNullable<DecodedItem['error']> {
  const { code, message } = isRecord(error) ? error : ({} as JsonRecord)
  const codeText = code === undefined ? undefined : String(code)
  const codes = context.network.family === 'evm' ? EVM_CODES : STARKNET_CODES
  const meaning = codeText === undefined ? undefined : (codes[codeText] ?? EVM_CODES[codeText])
  const messageText = typeof message === 'string' ? message : typeof error === 'string' ? error : undefined
  const revert = context.network.family === 'evm' ? revertOf(context, path, error, messageText) : undefined
  return { code: codeText, meaning, message: messageText?.slice(0, 2_000), revert }
}

function revertOf(
  context: DecodeContext,
  path: string,
  error: Json,
  message: string | undefined,
): DecodedNode | undefined {
  const data = findData(error) ?? IN_MESSAGE.exec(message ?? '')?.[0]
  if (data === undefined || !REVERT_DATA.test(data)) return undefined
  if (data === '0x') return valueNode(context, data, [msg('no revert reason given')])
  const call = errorOf(context, `${path}/data`, data)
  if (call) return valueNode(context, data, reasonOf(call), { call })
  const selector = data.length >= 10 ? [msg('custom error {selector}', { selector: data.slice(0, 10) })] : []
  return valueNode(context, data, [...selector, sizeMessage(data)])
}

function reasonOf({ name, fields: [argument] }: DecodedCall): MessageText[] {
  if (argument?.node.kind !== 'value') return []
  const { raw } = argument.node
  if (name === 'Panic') return [PANICS[raw] ?? msg('panic {code}', { code: raw })]
  return name === 'Error' ? [`“${raw}”`] : []
}

// Nodes put the bytes under `data`, in a record in it, or under the error of another node that they passed on.
function findData(value: Json | undefined, depth = 0): string | undefined {
  if (typeof value === 'string') return depth > 0 ? /0x(?:[\da-f]{2})*/i.exec(value)?.[0] : undefined
  if (!isRecord(value) || depth > MAX_SEARCH_DEPTH) return undefined
  for (const name of ['data', 'result', 'originalError', 'error', 'return']) {
    const found = findData(value[name], depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}
