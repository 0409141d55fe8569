import { errorOf, sizeWords } from '@/components/rpc/response/decode/abi-values'
import { type DecodeContext, valueNode } from '@/components/rpc/response/decode/context'
import type { DecodedItem, DecodedNode, Reading } from '@/components/rpc/response/decode/decoded'
import { isRecord, type Json, type JsonRecord } from '@/components/rpc/response/decode/json-value'
import { msg, type Said } from '@/components/rpc/response/decode/message-descriptor'
import { words } from '@/components/rpc/response/decode/quantity'

/** Codes of JSON-RPC 2.0, of the execution APIs, and of Starknet's specification. */
const EVM_CODES: Readonly<Record<string, Said>> = {
  '3': msg('the contract reverted'),
  '-32700': msg('the node could not read the request'),
  '-32600': msg('the request is not well formed'),
  '-32601': msg('the node does not offer this method'),
  '-32602': msg('the parameters are wrong'),
  '-32603': msg('something failed in the node'),
  '-32000': msg('the node refused it'),
  '-32001': msg('what was asked for does not exist'),
  '-32002': msg('the node is not ready for it'),
  '-32003': msg('the transaction was rejected'),
  '-32004': msg('the node does not support this'),
  '-32005': msg('it is more than the node gives'),
  '-32015': msg('the contract reverted'),
  '-32500': msg('the operation was rejected'),
}
const STARKNET_CODES: Readonly<Record<string, Said>> = {
  '1': msg('the sequencer refused it'),
  '20': msg('there is no contract at this address'),
  '21': msg('the contract has no such entry point'),
  '24': msg('there is no such block'),
  '27': msg('the index is beyond the block'),
  '28': msg('no class has this hash'),
  '29': msg('no transaction has this hash'),
  '31': msg('the page size is too large'),
  '33': msg('the continuation token is not valid'),
  '40': msg('the contract reverted'),
  '41': msg('the transaction reverted'),
  '52': msg('the nonce is wrong'),
  '54': msg('the balance does not cover the fee'),
  '55': msg('the account rejected the signature'),
}

/** What `Panic(uint256)` stands for. Source: Solidity's documentation, "Panic via assert and Error via require". */
const PANICS: Readonly<Record<string, Said>> = {
  '0': msg('a generic panic'),
  '1': msg('an assertion failed'),
  '17': msg('an arithmetic overflow or underflow'),
  '18': msg('a division by zero'),
  '33': msg('a value that the enum does not have'),
  '34': msg('storage bytes that are badly encoded'),
  '49': msg('pop of an empty array'),
  '50': msg('an index outside of the array'),
  '65': msg('too much memory'),
  '81': msg('a call of an empty function'),
}

const REVERT_DATA = /^0x(?:[\da-f]{2})*$/i
const IN_MESSAGE = /0x[\da-f]{8,}/i
const MAX_SEARCH_DEPTH = 4

/** An error of a node, with what the contract said where one did. */
export function decodeError(context: DecodeContext, path: string, error: Json): NonNullable<DecodedItem['error']> {
  const { code, message } = isRecord(error) ? error : ({} as JsonRecord)
  const codeText = code === undefined ? undefined : String(code)
  const codes = context.network.family === 'evm' ? EVM_CODES : STARKNET_CODES
  const meaning = codeText === undefined ? undefined : (codes[codeText] ?? EVM_CODES[codeText])
  const messageText = typeof message === 'string' ? message : typeof error === 'string' ? error : undefined
  const revert = context.network.family === 'evm' ? revertOf(context, path, error, messageText) : undefined
  return {
    ...(codeText !== undefined && { code: codeText }),
    ...(meaning && { meaning }),
    ...(messageText !== undefined && { message: messageText.slice(0, 2_000) }),
    ...(revert && { revert }),
  }
}

function revertOf(
  context: DecodeContext,
  path: string,
  error: Json,
  message: string | undefined,
): DecodedNode | undefined {
  const data = findData(error) ?? IN_MESSAGE.exec(message ?? '')?.[0]
  if (data === undefined || !REVERT_DATA.test(data)) return undefined
  if (data === '0x') return valueNode(context, data, [words(msg('the contract gave no reason'))])
  const call = errorOf(context, `${path}/data`, data)
  const node = valueNode(context, data, call ? [] : unknownReadings(data))
  if (!call || node.kind !== 'value') return node
  const [argument] = call.fields
  if (call.name === 'Panic' && argument?.node.kind === 'value') {
    return {
      ...node,
      call,
      readings: [words(PANICS[argument.node.raw] ?? msg('panic {code}', { code: argument.node.raw }))],
    }
  }
  if (call.name === 'Error' && argument?.node.kind === 'value') {
    return { ...node, call, readings: [words(`“${argument.node.raw}”`)] }
  }
  return { ...node, call }
}

function unknownReadings(data: string): Reading[] {
  const size = words(sizeWords(data))
  return data.length >= 10
    ? [words(msg('an error of its own: {selector}', { selector: data.slice(0, 10) })), size]
    : [size]
}

/** Nodes put the bytes under `data`, in a record in it, or under the error of another node that they passed on. */
function findData(value: Json | undefined, depth = 0): string | undefined {
  if (typeof value === 'string') return depth > 0 ? /0x(?:[\da-f]{2})*/i.exec(value)?.[0] : undefined
  if (!isRecord(value) || depth > MAX_SEARCH_DEPTH) return undefined
  for (const name of ['data', 'result', 'originalError', 'error', 'return']) {
    const found = findData(value[name], depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}
