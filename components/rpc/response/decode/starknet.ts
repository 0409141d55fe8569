import { hexToString, keccak256, stringToHex } from 'viem'
import {
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
  type MessageText,
  msg,
  noted,
  quantityOf,
  timeInterpretation,
  tokenInterpretations,
  type Use,
  valueNode,
} from '@/components/rpc/response/decode/decoded'
import { isRecord, type Json } from '@/components/rpc/response/decode/json'
import { NETWORKS } from '@/lib/contract/rpc-networks'

const FELT = /^0x[\da-f]{1,64}$/i
const FRI_DECIMALS = 18
const GFRI_DECIMALS = 9
const U128 = 128n
// Shorter felts are numbers: a hash has nearly all of its 63 digits.
const HASH_CHARS = 50

const FIELD_KINDS = kindsByName({
  address: 'contract_address sender_address from_address to_address fee_token_address address sequencer_address',
  hash: 'transaction_hash block_hash parent_hash class_hash new_root old_root message_hash hash',
  block: 'block_number starting_block_num current_block_num highest_block_num',
  selector: 'entry_point_selector selector',
  time: 'timestamp',
  gas: 'l1_gas l2_gas l1_data_gas max_amount gas_consumed data_gas_consumed steps',
  price: 'price_in_fri price_in_wei max_price_per_unit gas_price data_gas_price l1_gas_price l2_gas_price',
  fee: 'max_fee overall_fee amount',
  version: 'version',
})

const SELECTOR_NAMES = `__execute__ __validate__ __validate_declare__ __validate_deploy__ constructor transfer transferFrom
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
  LogMessageToL2 ConsumedMessageToL1 UpgradedImplementation SubmittedSpotEntry AccumulatorsSync Supply Borrow Repay`

const SELECTOR_MASK = (1n << 250n) - 1n
const TEXT_NAMES = ['name', 'symbol']

let selectors: ReadonlyMap<bigint, string> | undefined

function selectorName(felt: bigint | undefined): string | undefined {
  selectors ??= new Map(
    SELECTOR_NAMES.split(/\s+/).map((name) => [BigInt(keccak256(stringToHex(name))) & SELECTOR_MASK, name]),
  )
  return felt === undefined ? undefined : selectors.get(felt)
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
  if (typeof value === 'symbol' || path.split('/').length > MAX_DEPTH + 2) return { kind: 'left-out', why: 'deep' }
  if (Array.isArray(value)) {
    return listNode(context, path, value, (one, at) => starknetNode(context, at, one, name, unit))
  }
  if (!isRecord(value)) return leafNode(context, value, name, unit)
  const innerUnit = typeof value.unit === 'string' ? value.unit : unit
  const names = Object.keys(value)
  const fields = names.slice(0, MAX_FIELDS).map((key): DecodedField => {
    // Of an event the first key is its name.
    const isEvent = key === 'keys' && 'data' in value
    return {
      name: key,
      node: starknetNode(context, `${path}/${key}`, value[key]!, isEvent ? 'selector' : key, innerUnit),
    }
  })
  return { kind: 'record', title: titleOf(value), fields, hidden: Math.max(0, names.length - MAX_FIELDS) }
}

function titleOf(record: Readonly<Record<string, Json>>): MessageText | undefined {
  const { keys, data, type } = record
  if (Array.isArray(keys) && Array.isArray(data)) return selectorName(quantityOf(keys[0])) ?? msg('Event')
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
  const text = String(value)
  const use = usableAs(name, text, number, isFelt)
  return valueNode(context, value, interpretationsOf(name, number, text, unit), { use })
}

function usableAs(name: string, text: string, number: bigint, isFelt: boolean): Use | undefined {
  const kind = FIELD_KINDS.get(name)
  if (kind === 'block') return { kind, value: number.toString() }
  return isFelt && number !== 0n && (kind === 'address' || kind === 'hash') ? { kind, value: text } : undefined
}

function interpretationsOf(name: string, number: bigint, text: string, unit: string): InterpretationLike[] {
  const kind = FIELD_KINDS.get(name)
  switch (kind) {
    case 'address':
    case 'hash':
      return number === 0n ? [msg('zero')] : []
    case 'block':
    case 'gas':
      return [grouped(number)]
    case 'time':
      return [timeInterpretation(number) ?? grouped(number)]
    case 'price': {
      const coin = name === 'price_in_wei' || unit === 'WEI' ? 'gwei' : 'gfri'
      return [`${inUnits(number, GFRI_DECIMALS)} ${coin}`, `${grouped(number)} ${coin.slice(1)}`]
    }
    case 'fee': {
      const coin = unit === 'WEI' ? 'ETH' : 'STRK'
      return [`${inUnits(number, FRI_DECIMALS)} ${coin}`, `${grouped(number)} ${unit.toLowerCase()}`]
    }
    case 'version':
      return [grouped(number & ((1n << 128n) - 1n))]
  }
  const selector = kind === 'selector' || text.length > HASH_CHARS ? selectorName(number) : undefined
  if (selector) return [noted(selector, msg('selector'))]
  const short = shortString(number)
  return [
    ...(short === undefined ? [] : [`“${short}”`]),
    ...(text.startsWith('0x') && text.length < HASH_CHARS ? [grouped(number)] : []),
  ]
}

function shortString(felt: bigint): string | undefined {
  const hex = felt.toString(16)
  if (hex.length < 6 || hex.length > 62 || hex.length % 2 === 1) return undefined
  const text = hexToString(`0x${hex}`)
  return /^[\x20-\x7e]+$/.test(text) ? text : undefined
}

function chainInterpretations(result: Json): InterpretationLike[] {
  const number = quantityOf(result)
  if (number === undefined) return []
  const name = shortString(number)
  const network = NETWORKS.find(({ family, chainId }) => family === 'starknet' && BigInt(chainId) === number)
  return [...(name === undefined ? [] : [`“${name}”`]), ...(network ? [`${network.group} ${network.name}`] : [])]
}

function callResult(context: DecodeContext, path: string, result: Json): DecodedResult {
  const name = entryPointOf(context.params)
  if (name === undefined) return { node: starknetNode(context, path, result) }
  const note = `${name}()`
  const felts = Array.isArray(result) ? result.map(quantityOf) : []
  const [low, high] = felts
  if (felts.length === 2 && low !== undefined && high !== undefined && /balance|supply|allowance/i.test(name)) {
    const whole = (high << U128) + low
    const node = valueNode(context, String(whole), tokenInterpretations(whole, true))
    return { node, note: msg('{function} returned a u256', { function: note }) }
  }
  if (felts.length === 1 && low !== undefined && TEXT_NAMES.includes(name)) {
    const text = shortString(low)
    if (text !== undefined) return { node: valueNode(context, `0x${low.toString(16)}`, [`“${text}”`]), note }
  }
  return { node: starknetNode(context, path, result), note }
}

function entryPointOf(params: unknown): string | undefined {
  const request: unknown = Array.isArray(params)
    ? params[0]
    : (params as { request?: unknown } | null | undefined)?.request
  if (typeof request !== 'object' || request === null) return undefined
  return selectorName(quantityOf((request as { entry_point_selector?: unknown }).entry_point_selector))
}
