import { formatCost, moneyOf } from '@/lib/client/cost'
import { creditsOf, offerOf } from '@/lib/rpc/methods'
import type { RpcNetwork } from '@/lib/rpc/networks'

/** What methods cost on a network when each has a result; those that are not offered cost nothing. In credits. */
export function creditsBefore(network: RpcNetwork, methods: readonly string[]): number {
  let credits = 0
  for (const method of methods) {
    const offer = offerOf(network.family, method)
    if (offer.isOffered) credits += creditsOf(network, offer.tier)
  }
  return credits
}

/** @example dollarsOf(20, 7e-7) // "$0.000014" */
export const dollarsOf = (credits: number, usdPerCredit: number): string => formatCost(moneyOf(credits * usdPerCredit))
