import 'server-only'
import { RPC_ERROR_CREDITS } from '@/lib/contract/prices'
import { creditsOf, offerOf } from '@/lib/contract/rpc-methods'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import { meaningOfId, type RpcCall, type RpcRequest, sentIds } from '@/lib/services/rpc-nodes/calls'
import type { ScannedReply } from '@/lib/services/rpc-nodes/reply'

const PAYMENT_REQUIRED = 402
const TOO_MANY_REQUESTS = 429

/** What a request costs when every call has a result, in credits. It never costs more. */
export function estimate(network: RpcNetwork, { calls }: RpcRequest): number {
  let credits = 0
  for (const call of calls) credits += priceOf(network, call)
  return credits
}

/**
 * What a reply costs, in credits. Replies of a batch are paired with its calls by id, each call once; what got no reply
 * costs nothing. Source: API contract, crypto-rpc.md "Pricing".
 */
export function creditsOfReply(network: RpcNetwork, request: RpcRequest, { items }: ScannedReply): number {
  const { calls } = request
  if (!request.isBatch) return items[0]?.outcome === 'result' ? estimate(network, request) : RPC_ERROR_CREDITS
  const waiting = waitingById(request)
  let credits = 0
  // A node that says more than it was asked is not paid for it.
  for (const { id, outcome } of items.slice(0, calls.length)) {
    const call = id === undefined ? undefined : waiting.get(meaningOfId(id))?.pop()
    if (outcome === 'error') credits += RPC_ERROR_CREDITS
    else credits += call ? priceOf(network, call) : RPC_ERROR_CREDITS
  }
  return credits
}

/** What it costs when a node refused the whole request with an HTTP status, in credits. */
export function creditsOfRefusal({ calls }: RpcRequest, status: number): number {
  const isOurs = status === PAYMENT_REQUIRED || status === TOO_MANY_REQUESTS
  return status >= 400 && status < 500 && !isOurs ? calls.length * RPC_ERROR_CREDITS : 0
}

/** Calls by what their id means, the first of each last. */
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
function priceOf(network: RpcNetwork, { method }: RpcCall): number {
  const offer = offerOf(network.family, method)
  if (!offer.isOffered) throw new RangeError(`${network.slug}: ${method} has no price`)
  return creditsOf(network, offer.tier)
}
