import { type Hex, numberToHex } from 'viem'
import { callRpc, type RpcCallDraft } from '@/components/rpc/client'
import { quantityOf } from '@/components/rpc/response/decode/quantity'
import type { ChainState, Intent } from '@/components/rpc/sign/transaction'
import { isRecord } from '@/lib/browser/api'
import { countSpent } from '@/lib/browser/spending'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import { msg, t } from '@/lib/i18n/t'

/** A node's words, as far as they are shown. */
const MAX_WORDS_CHARS = 300

/** What is asked before a transaction is signed. */
export const PREPARING = [
  'eth_getTransactionCount',
  'eth_getBalance',
  'eth_getBlockByNumber',
  'eth_gasPrice',
  'eth_maxPriorityFeePerGas',
  'eth_estimateGas',
] as const

/** What a node said to one call. */
export type Said = { result: unknown } | { fault: string }

/**
 * Sends a few calls as one batch and says what came back, in their order. What they cost is counted.
 *
 * @throws ApiError when the service says no; TypeError or DOMException when there was no answer.
 */
export async function askChain(
  network: RpcNetwork,
  calls: readonly RpcCallDraft[],
  signal: AbortSignal,
): Promise<Said[]> {
  const answer = await callRpc(network.slug, calls, { isBatch: true, signal })
  countSpent(answer.costUsd ?? 0, answer.at)
  if (answer.failure) throw answer.failure
  const replies: unknown = JSON.parse(answer.text)
  return calls.map((_, index) =>
    saidBy(Array.isArray(replies) ? replies.find((reply) => isRecord(reply) && reply.id === index + 1) : undefined),
  )
}

/** Reads the account and the fees of the moment. @throws Error in words when a node does not say what is needed. */
export async function readChain(
  network: RpcNetwork,
  from: Hex,
  intent: Intent,
  signal: AbortSignal,
): Promise<ChainState> {
  const { to, value, data } = intent
  const call = { from, value: numberToHex(value), data, ...(to !== undefined && { to }) }
  const params: unknown[][] = [[from, 'pending'], [from, 'latest'], ['latest', false], [], [], [call]]
  const said = await askChain(
    network,
    PREPARING.map((method, index) => ({ method, params: params[index] ?? [] })),
    signal,
  )
  const [nonce, balance, block, gasPrice, priority, gas] = said
  const number = (what: string, from: Said | undefined): bigint => {
    const read = from && 'result' in from ? quantityOf(from.result) : undefined
    if (read === undefined) throw new Error(`${t(what)} ${from && 'fault' in from ? from.fault : ''}`)
    return read
  }
  const baseFee =
    block && 'result' in block && isRecord(block.result) ? quantityOf(block.result.baseFeePerGas) : undefined
  const price = number(msg('The node returned no gas price.'), gasPrice)
  const tip = priority && 'result' in priority ? quantityOf(priority.result) : undefined
  const estimate = gas && 'result' in gas ? quantityOf(gas.result) : undefined
  return {
    nonce: Number(number(msg('The node returned no nonce.'), nonce)),
    balance: number(msg('The node returned no balance.'), balance),
    ...(baseFee !== undefined && { baseFee }),
    // A node that knows no tips asks for what gas costs above the base fee.
    priorityFee: tip ?? (baseFee !== undefined && price > baseFee ? price - baseFee : 0n),
    gasPrice: price,
    gas:
      estimate === undefined
        ? { fault: gas && 'fault' in gas ? gas.fault : t('The node gave no reason.') }
        : { estimate },
  }
}

function saidBy(reply: unknown): Said {
  if (!isRecord(reply)) return { fault: t('No response to this call.') }
  if (isRecord(reply.error)) {
    const { message } = reply.error
    return {
      fault: typeof message === 'string' ? message.slice(0, MAX_WORDS_CHARS) : t('The node returned an error.'),
    }
  }
  return { result: reply.result }
}
