import 'server-only'
import type { Usd } from '@/lib/contract/money'
import { RPC_ERROR_CREDITS } from '@/lib/contract/prices'
import { creditsOf, offerOf } from '@/lib/contract/rpc-methods'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import { config } from '@/lib/kernel/config'
import { type PricedUnits, priceOf } from '@/lib/services/ledger/meter'
import { meaningOfId, type RpcCall, type RpcRequest, sentIds } from '@/lib/services/rpc-nodes/calls'
import type { NodeReply } from '@/lib/services/rpc-nodes/node-outcome'
import type { ScannedReply } from '@/lib/services/rpc-nodes/reply'
import { RPC_SKU } from '@/lib/services/usage/units'

const PAYMENT_REQUIRED = 402
const TOO_MANY_REQUESTS = 429

/** Counts the credits of a request as if every call had a result: the most it can cost. */
export function creditsOfRequest(network: RpcNetwork, { calls }: RpcRequest): number {
  let credits = 0
  for (const call of calls) credits += creditsOfCall(network, call)
  return credits
}

export const creditsFor = (network: RpcNetwork, request: RpcRequest, reply: NodeReply): number =>
  reply.kind === 'answered' ? creditsOfReply(network, request, reply.scanned) : creditsOfRefusal(request, reply.status)

/**
 * Counts the credits of a reply. Replies of a batch are paired with its calls by id, each call once; a call without a
 * reply is free.
 * Source: API contract, crypto-rpc.md "Pricing".
 */
export function creditsOfReply(network: RpcNetwork, request: RpcRequest, { items }: ScannedReply): number {
  const { calls } = request
  if (!request.isBatch) return items[0]?.outcome === 'result' ? creditsOfRequest(network, request) : RPC_ERROR_CREDITS
  const waiting = waitingById(request)
  let credits = 0
  // A node that says more than it was asked is not paid for it.
  for (const { id, outcome } of items.slice(0, calls.length)) {
    const call = id === undefined ? undefined : waiting.get(meaningOfId(id))?.pop()
    if (outcome === 'error') credits += RPC_ERROR_CREDITS
    else credits += call ? creditsOfCall(network, call) : RPC_ERROR_CREDITS
  }
  return credits
}

export function creditsOfRefusal({ calls }: RpcRequest, status: number): number {
  const isOurs = status === PAYMENT_REQUIRED || status === TOO_MANY_REQUESTS
  return status >= 400 && status < 500 && !isOurs ? calls.length * RPC_ERROR_CREDITS : 0
}

function waitingById(request: RpcRequest): Map<string, RpcCall[]> {
  const { calls } = request
  const ids = sentIds(request)
  const waiting = new Map<string, RpcCall[]>()
  for (let index = calls.length - 1; index >= 0; index--) {
    const call = calls[index]!
    const id = ids[index]
    if (id === undefined) continue
    const key = meaningOfId(id)
    const others = waiting.get(key)
    if (others) others.push(call)
    else waiting.set(key, [call])
  }
  return waiting
}

/** @throws RangeError for a method that is not offered: such a request is refused before it has a price. */
function creditsOfCall(network: RpcNetwork, { method }: RpcCall): number {
  const offer = offerOf(network.family, method)
  if (!offer.isOffered) throw new RangeError(`${network.slug}: ${method} has no price`)
  return creditsOf(network, offer.tier)
}

export function lineOf({ slug }: RpcNetwork, { calls }: RpcRequest, credits: number): PricedUnits {
  const counts: Record<string, number> = {}
  for (const { method } of calls) counts[method] = (counts[method] ?? 0) + 1
  return { sku: `${RPC_SKU}${slug}`, units: credits, price: config().rpcCreditPrice, calls: counts }
}

export const costOf = (credits: number): Usd => priceOf([{ units: credits, price: config().rpcCreditPrice }])
