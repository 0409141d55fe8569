import { hexToString, keccak256, stringToHex } from 'viem'
import {
  type DecodeContext,
  type DecodedField,
  type DecodedNode,
  type Interpretation,
  listNode,
  MAX_DEPTH,
  type MessageText,
  msg,
  type Use,
  valueNode,
} from '@/components/rpc/response/decode/decoded'
import type { DecodedResult } from '@/components/rpc/response/decode/evm-results'
import { isRecord, type Json } from '@/components/rpc/response/decode/json'
import {
  grouped,
  inUnits,
  quantityOf,
  textInterpretation,
  timeInterpretation,
  tokenInterpretations,
} from '@/components/rpc/response/decode/quantity'
import { NETWORKS } from '@/lib/contract/rpc'

const FELT = /^0x[\da-f]{1,64}$/i
const FRI_DECIMALS = 18
const GFRI_DECIMALS = 9
const U128 = 128n
const MAX_FIELDS = 100
/** Shorter felts are numbers: a hash has nearly all of its 63 digits. */
const HASH_CHARS = 50

const listOf = (text: string) => text.trim().split(/\s+/)

const ADDRESSES = new Set(
  listOf('contract_address sender_address from_address to_address fee_token_address address sequencer_address'),
)
const HASHES = new Set(listOf('transaction_hash block_hash parent_hash class_hash new_root old_root message_hash hash'))
const BLOCKS = new Set(listOf('block_number starting_block_num current_block_num highest_block_num'))
const SELECTORS = new Set(listOf('entry_point_selector selector'))
const GAS = new Set(listOf('l1_gas l2_gas l1_data_gas max_amount gas_consumed data_gas_consumed steps'))
const PRICES = new Set(
  listOf('price_in_fri price_in_wei max_price_per_unit gas_price data_gas_price l1_gas_price l2_gas_price'),
)
const FEES = new Set(listOf('max_fee overall_fee amount'))

const NAMES =
  listOf(`__execute__ __validate__ __validate_declare__ __validate_deploy__ constructor transfer transferFrom
  transfer_from approve allowance balanceOf balance_of name symbol decimals totalSupply total_supply mint burn
  permissionedMint permissionedBurn increase_allowance decrease_allowance increaseAllowance decreaseAllowance
  owner ownerOf owner_of tokenURI token_uri getApproved get_approved isApprovedForAll is_approved_for_all
  setApprovalForAll set_approval_for_all safeTransferFrom safe_transfer_from supportsInterface supports_interface
  transfer_ownership renounce_ownership upgrade replace_class initialize get_public_key getPublicKey set_public_key
  is_valid_signature isValidSignature execute execute_from_outside execute_from_outside_v2 get_reserves swap
  multi_route_swap add_liquidity remove_liquidity deposit withdraw redeem borrow repay claim stake unstake
  multicall aggregate get_pool_price get_spot_median get_data_median deployContract deploy_contract get_version
  Transfer Approval ApprovalForAll TransferSingle TransferBatch OwnershipTransferred OwnershipTransferStarted Upgraded
  TransactionExecuted transaction_executed OwnerAdded OwnerRemoved AccountCreated account_created ContractDeployed
  Swap Swapped PositionUpdated Deposit Withdraw Withdrawal Mint Burn Sync Paused Unpaused RoleGranted RoleRevoked
  LogMessageToL2 ConsumedMessageToL1 UpgradedImplementation SubmittedSpotEntry AccumulatorsSync Supply Borrow Repay`)

const SELECTOR_MASK = (1n << 250n) - 1n
const TEXT_NAMES = ['name', 'symbol']

let selectors: ReadonlyMap<bigint, string> | undefined

function selectorName(felt: bigint): string | undefined {
  selectors ??= new Map(NAMES.map((name) => [BigInt(keccak256(stringToHex(name))) & SELECTOR_MASK, name]))
  return selectors.get(felt)
}

export function starknetResult(context: DecodeContext, path: string, result: Json): DecodedResult {
  switch (context.method) {
    case 'starknet_chainId':
      return { node: valueNode(context, String(result), chainInterpretations(result)) }
    case 'starknet_blockNumber':
      return { node: leafNode(context, result as string, 'block_number') }
    case 'starknet_getNonce':
      return { node: leafNode(context, result as string, 'nonce') }
    case 'starknet_getClassHashAt':
      return { node: leafNode(context, result as string, 'class_hash') }
    case 'starknet_call':
      return callResult(context, path, result)
    case 'starknet_syncing':
      if (result === false) return { node: valueNode(context, false), note: msg('The node is synced.') }
  }
  return { node: starknetNode(context, path, result) }
}

function starknetNode(context: DecodeContext, path: string, value: Json, name = '', unit = 'FRI'): DecodedNode {
  if (typeof value === 'symbol' || path.split('/').length > MAX_DEPTH + 2) {
    return { kind: 'left-out', why: 'deep' }
  }
  if (Array.isArray(value)) {
    return listNode(context, path, value, (one, index) => starknetNode(context, `${path}/${index}`, one, name, unit))
  }
  if (!isRecord(value)) return leafNode(context, value, name, unit)
  const ownUnit = typeof value.unit === 'string' ? value.unit : unit
  const names = Object.keys(value)
  const fields = names.slice(0, MAX_FIELDS).map((key): DecodedField => {
    // Of an event the first key is its name.
    const isEvent = key === 'keys' && 'data' in value
    const node = starknetNode(context, `${path}/${key}`, value[key]!, isEvent ? 'selector' : key, ownUnit)
    return { name: key, node }
  })
  const title = titleOf(value)
  return { kind: 'record', ...(title && { title }), fields, hidden: Math.max(0, names.length - MAX_FIELDS) }
}

function titleOf(record: Readonly<Record<string, Json>>): MessageText | undefined {
  const { keys, data, type } = record
  if (Array.isArray(keys) && Array.isArray(data)) {
    const felt = quantityOf(keys[0])
    return (felt === undefined ? undefined : selectorName(felt)) ?? msg('Event')
  }
  return typeof type === 'string' && 'transaction_hash' in record ? type.slice(0, 40) : undefined
}

function leafNode(
  context: DecodeContext,
  value: Exclude<Json, object | symbol> | null,
  name: string,
  unit = 'FRI',
): DecodedNode {
  if (value === null || typeof value === 'boolean') return valueNode(context, value)
  const number = quantityOf(value)
  const isFelt = typeof value === 'string' && FELT.test(value)
  if (number === undefined || (typeof value === 'string' && !isFelt)) return valueNode(context, value)
  const use = usableAs(name, String(value), number, isFelt)
  return valueNode(context, value, interpretationsOf(name, number, String(value), unit), use)
}

function usableAs(name: string, text: string, number: bigint, isFelt: boolean): Use | undefined {
  if (BLOCKS.has(name)) return { kind: 'block', value: number.toString() }
  if (!isFelt || number === 0n) return undefined
  if (ADDRESSES.has(name)) return { kind: 'address', value: text }
  if (HASHES.has(name)) return { kind: 'hash', value: text }
  return undefined
}

function interpretationsOf(name: string, number: bigint, text: string, unit: string): Interpretation[] {
  if (ADDRESSES.has(name) || HASHES.has(name)) return number === 0n ? [textInterpretation(msg('zero'))] : []
  if (BLOCKS.has(name)) return [textInterpretation(grouped(number))]
  if (name === 'timestamp') {
    const time = timeInterpretation(number)
    return time ? [time] : [textInterpretation(grouped(number))]
  }
  if (GAS.has(name)) return [textInterpretation(grouped(number))]
  if (PRICES.has(name)) {
    const coin = name === 'price_in_wei' || unit === 'WEI' ? 'gwei' : 'gfri'
    return [
      textInterpretation(`${inUnits(number, GFRI_DECIMALS)} ${coin}`),
      textInterpretation(`${grouped(number)} ${coin.slice(1)}`),
    ]
  }
  if (FEES.has(name)) {
    const coin = unit === 'WEI' ? 'ETH' : 'STRK'
    return [
      textInterpretation(`${inUnits(number, FRI_DECIMALS)} ${coin}`),
      textInterpretation(`${grouped(number)} ${unit.toLowerCase()}`),
    ]
  }
  if (name === 'version') return [textInterpretation(grouped(number & ((1n << 128n) - 1n)))]
  const selector = SELECTORS.has(name) || text.length > HASH_CHARS ? selectorName(number) : undefined
  if (selector) return [textInterpretation(selector, msg('selector'))]
  return feltInterpretations(number, text)
}

function feltInterpretations(number: bigint, text: string): Interpretation[] {
  const short = shortString(number)
  const interpretations = short === undefined ? [] : [textInterpretation(`“${short}”`)]
  return text.startsWith('0x') && text.length < HASH_CHARS
    ? [...interpretations, textInterpretation(grouped(number))]
    : interpretations
}

function shortString(felt: bigint): string | undefined {
  const hex = felt.toString(16)
  if (hex.length < 6 || hex.length > 62 || hex.length % 2 === 1) return undefined
  const text = hexToString(`0x${hex}`)
  return /^[\x20-\x7e]+$/.test(text) ? text : undefined
}

function chainInterpretations(result: Json): Interpretation[] {
  const number = quantityOf(result)
  if (number === undefined) return []
  const name = shortString(number)
  const network = NETWORKS.find(({ family, chainId }) => family === 'starknet' && BigInt(chainId) === number)
  return [
    ...(name === undefined ? [] : [textInterpretation(`“${name}”`)]),
    ...(network ? [textInterpretation(`${network.group} ${network.name}`)] : []),
  ]
}

function callResult(context: DecodeContext, path: string, result: Json): DecodedResult {
  const name = entryPointOf(context.params)
  const note = name && `${name}()`
  const felts = Array.isArray(result) ? result.map(quantityOf) : []
  const [low, high] = felts
  if (felts.length === 2 && low !== undefined && high !== undefined && name && /balance|supply|allowance/i.test(name)) {
    const whole = (high << U128) + low
    const node = valueNode(context, String(whole), tokenInterpretations(whole, true))
    return { node, note: msg('{function} returned a u256', { function: `${name}()` }) }
  }
  if (felts.length === 1 && low !== undefined && name && TEXT_NAMES.includes(name)) {
    const text = shortString(low)
    if (text !== undefined) {
      return { node: valueNode(context, `0x${low.toString(16)}`, [textInterpretation(`“${text}”`)]), note: `${name}()` }
    }
  }
  return { node: starknetNode(context, path, result), ...(note && { note }) }
}

function entryPointOf(params: unknown): string | undefined {
  const request: unknown = Array.isArray(params)
    ? params[0]
    : (params as { request?: unknown } | null | undefined)?.request
  if (typeof request !== 'object' || request === null) return undefined
  const selector = quantityOf((request as { entry_point_selector?: unknown }).entry_point_selector)
  return selector === undefined ? undefined : selectorName(selector)
}
