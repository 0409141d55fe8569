import {
  getAddress,
  type Hex,
  isAddress,
  isHex,
  numberToHex,
  parseUnits,
  size,
  type TransactionSerializable,
} from 'viem'
import { callRpc, type RpcCallDraft } from '@/components/rpc/client'
import { fullName } from '@/components/rpc/networks'
import { inUnits, quantityOf } from '@/components/rpc/response/decode/decoded'
import { isRecord } from '@/lib/browser/api'
import { shortAddress } from '@/lib/browser/format/address'
import { toDecimalPoint } from '@/lib/browser/format/numbers'
import { countSpent } from '@/lib/browser/spending'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import { msg, plural, t } from '@/lib/i18n/t'

// Where a transaction is sent, and what a credit costs there.
export type Target = { network: RpcNetwork; isLocal: boolean; usdPerCredit: number | undefined }

const COIN_DECIMALS = 18
const GWEI_DECIMALS = 9
// More than any block has.
const MAX_GAS = 1_000_000_000n
const MAX_DATA_BYTES = 128 * 1024
// Room on top of an estimate, since the next block is another one. A plain transfer always takes the same.
const GAS_MARGIN_PERCENT = 120n
const TRANSFER_GAS = 21_000n

export type Draft = { to: string; value: string; data: string }

// `to` is left out where a contract is made.
export type Intent = { to?: Hex; value: bigint; data: Hex }

export type Faults = Partial<Record<keyof Draft, string>>

export function readDraft({ to, value, data }: Draft): Intent | { faults: Faults } {
  const faults: Faults = {}
  const wei = unitsOf(value, COIN_DECIMALS)
  const bytes = data.trim() === '' ? '0x' : data.trim()
  if (wei === undefined) faults.value = t('Enter an amount, such as 0.1.')
  if (!isHex(bytes) || bytes.length % 2 === 1)
    faults.data = t('Enter hex bytes with two digits each, such as 0xa9059cbb….')
  else if (size(bytes) > MAX_DATA_BYTES) faults.data = t('Too much data for a node. Shorten the data.')
  const address = to.trim()
  if (address === '') {
    if (bytes === '0x') faults.to = t('Enter a recipient, or add data to create a contract.')
  } else if (!isAddress(address, { strict: false })) faults.to = t('Enter an address: 0x and 40 hex digits.')
  else if (!isAddress(address))
    faults.to = t('The address checksum doesn’t match. Check the digits, or use lowercase only.')
  if (Object.keys(faults).length > 0 || wei === undefined) return { faults }
  return { to: address === '' ? undefined : getAddress(address), value: wei, data: bytes as Hex }
}

// In wei and gas.
export type ChainState = {
  nonce: number
  balance: bigint
  baseFee?: bigint
  priorityFee: bigint
  gasPrice: bigint
  gas: { estimate: bigint } | { fault: string }
}

// As text: gas in units, fees in gwei.
export type Terms = { nonce: string; gas: string; maxFee: string; priorityFee: string }

export function startTerms({ nonce, baseFee, priorityFee, gasPrice, gas }: ChainState): Terms {
  const estimate = 'estimate' in gas ? gas.estimate : undefined
  const limit = estimate === undefined || estimate === TRANSFER_GAS ? estimate : (estimate * GAS_MARGIN_PERCENT) / 100n
  // Two base fees: it stays valid while blocks are full for some time. Source: EIP-1559.
  const maxFee = baseFee === undefined ? gasPrice : baseFee * 2n + priorityFee
  return {
    nonce: String(nonce),
    gas: limit === undefined ? '' : String(limit),
    maxFee: plain(maxFee),
    priorityFee: baseFee === undefined ? '' : plain(priorityFee),
  }
}

type TermFaults = Partial<Record<keyof Terms, string>>

type Ready = { transaction: TransactionSerializable; gas: bigint; maxFee: bigint; nonce: number }

export function readTerms(intent: Intent, terms: Terms, network: RpcNetwork): Ready | { faults: TermFaults } {
  const nonce = /^\d{1,15}$/.test(terms.nonce.trim()) ? Number(terms.nonce) : undefined
  const gas = /^\d{1,10}$/.test(terms.gas.trim()) ? BigInt(terms.gas.trim()) : undefined
  const maxFee = unitsOf(terms.maxFee, GWEI_DECIMALS)
  const isLegacy = terms.priorityFee.trim() === ''
  const priorityFee = isLegacy ? 0n : unitsOf(terms.priorityFee, GWEI_DECIMALS)
  const faults: TermFaults = {}
  if (nonce === undefined) faults.nonce = t('Enter a whole number.')
  if (gas === undefined || gas < TRANSFER_GAS || gas > MAX_GAS)
    faults.gas = t('Enter at least {amount}.', { amount: Number(TRANSFER_GAS) })
  if (maxFee === undefined) faults.maxFee = t('Enter an amount in gwei, such as 1.5.')
  if (priorityFee === undefined) faults.priorityFee = t('Enter an amount in gwei, such as 0.1.')
  else if (maxFee !== undefined && priorityFee > maxFee)
    faults.priorityFee = t('The priority fee can’t exceed the max fee.')
  if (Object.keys(faults).length > 0 || nonce === undefined || gas === undefined || maxFee === undefined) {
    return { faults }
  }
  const common = { chainId: Number(network.chainId), nonce, gas, ...intent }
  const transaction: TransactionSerializable = isLegacy
    ? { type: 'legacy', ...common, gasPrice: maxFee }
    : { type: 'eip1559', ...common, maxFeePerGas: maxFee, maxPriorityFeePerGas: priorityFee ?? 0n }
  return { transaction, gas, maxFee, nonce }
}

export function describeIntent({ to, value, data }: Intent, network: RpcNetwork): string {
  const bytes = size(data)
  const place = { network: fullName(network) }
  if (to === undefined)
    return plural(
      bytes,
      {
        one: 'Create a contract from {count} byte on {network}.',
        other: 'Create a contract from {count} bytes on {network}.',
      },
      place,
    )
  const transfer = { ...place, address: shortAddress(to), amount: inCoins(value, network) }
  if (bytes === 0) return t('Send {amount} to {address} on {network}.', transfer)
  if (value === 0n)
    return plural(
      bytes,
      {
        one: 'Call {address} with {count} byte of data on {network}.',
        other: 'Call {address} with {count} bytes of data on {network}.',
      },
      transfer,
    )
  return plural(
    bytes,
    {
      one: 'Call {address} on {network} with {count} byte of data and {amount}.',
      other: 'Call {address} on {network} with {count} bytes of data and {amount}.',
    },
    transfer,
  )
}

export const inCoins = (wei: bigint, { currency }: RpcNetwork): string => `${inUnits(wei, COIN_DECIMALS)} ${currency}`

export const inGwei = (wei: bigint): string => `${inUnits(wei, GWEI_DECIMALS)} gwei`

const plain = (wei: bigint): string => inUnits(wei, GWEI_DECIMALS).replaceAll(',', '')

function unitsOf(text: string, decimals: number): bigint | undefined {
  const trimmed = toDecimalPoint(text.trim())
  const [, fraction = ''] = /^\d{1,20}(?:\.(\d*))?$/.exec(trimmed) ?? []
  if (!/^\d{1,20}(?:\.\d+)?$/.test(trimmed) || fraction.length > decimals) return undefined
  return parseUnits(trimmed, decimals)
}

const MAX_REASON_CHARS = 300

export const PREPARING = [
  'eth_getTransactionCount',
  'eth_getBalance',
  'eth_getBlockByNumber',
  'eth_gasPrice',
  'eth_maxPriorityFeePerGas',
  'eth_estimateGas',
] as const

type ChainReply = { result: unknown } | { fault: string }

/** Sends a few calls as one batch and returns the replies in order. @throws as `callRpc`, or ApiError of the service. */
export async function callChain(
  network: RpcNetwork,
  calls: readonly RpcCallDraft[],
  signal: AbortSignal,
): Promise<ChainReply[]> {
  const answer = await callRpc(network.slug, calls, { isBatch: true, signal })
  countSpent(answer.costUsd ?? 0, answer.at)
  if (answer.failure) throw answer.failure
  const replies: unknown = JSON.parse(answer.text)
  return calls.map((_, index) =>
    replyOf(Array.isArray(replies) ? replies.find((reply) => isRecord(reply) && reply.id === index + 1) : undefined),
  )
}

export async function readChain(
  network: RpcNetwork,
  from: Hex,
  intent: Intent,
  signal: AbortSignal,
): Promise<ChainState> {
  const { to, value, data } = intent
  const call = { from, to, value: numberToHex(value), data }
  const params: unknown[][] = [[from, 'pending'], [from, 'latest'], ['latest', false], [], [], [call]]
  const replies = await callChain(
    network,
    PREPARING.map((method, index) => ({ method, params: params[index] ?? [] })),
    signal,
  )
  const [nonce, balance, block, gasPrice, priority, gas] = replies
  const resultOf = (reply: ChainReply | undefined) => (reply && 'result' in reply ? reply.result : undefined)
  const number = (missing: string, reply: ChainReply | undefined): bigint => {
    const read = quantityOf(resultOf(reply))
    if (read === undefined) throw new Error(`${t(missing)} ${reply && 'fault' in reply ? reply.fault : ''}`)
    return read
  }
  const latest = resultOf(block)
  const baseFee = isRecord(latest) ? quantityOf(latest.baseFeePerGas) : undefined
  const price = number(msg('The node returned no gas price.'), gasPrice)
  const tip = quantityOf(resultOf(priority))
  const estimate = quantityOf(resultOf(gas))
  return {
    nonce: Number(number(msg('The node returned no nonce.'), nonce)),
    balance: number(msg('The node returned no balance.'), balance),
    baseFee,
    // A node that knows no tips takes what gas costs above the base fee.
    priorityFee: tip ?? (baseFee !== undefined && price > baseFee ? price - baseFee : 0n),
    gasPrice: price,
    gas:
      estimate === undefined
        ? { fault: gas && 'fault' in gas ? gas.fault : t('The node gave no reason.') }
        : { estimate },
  }
}

function replyOf(reply: unknown): ChainReply {
  if (!isRecord(reply)) return { fault: t('No response to this call.') }
  if (isRecord(reply.error)) {
    const { message } = reply.error
    return {
      fault: typeof message === 'string' ? message.slice(0, MAX_REASON_CHARS) : t('The node returned an error.'),
    }
  }
  return { result: reply.result }
}
