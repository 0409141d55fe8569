import { formatExactMoney, moneyOf } from '@/lib/browser/format/cost'
import type { RpcNetwork } from '@/lib/contract/rpc'
import { creditsOf, offerOf } from '@/lib/contract/rpc-methods'
import { plural } from '@/lib/i18n/t'

/** Sums the credits of methods when each has a result; refused methods are free. */
export function creditsBefore(network: RpcNetwork, methods: readonly string[]): number {
  let credits = 0
  for (const method of methods) {
    const offer = offerOf(network.family, method)
    if (offer.isOffered) credits += creditsOf(network, offer.tier)
  }
  return credits
}

/** Prints the price of a call to its last digit. @example formatCallCost(0.000014) // "$0.000014" */
export const formatCallCost = (usd: number): string => formatExactMoney(moneyOf(usd))

export const formatCredits = (credits: number): string =>
  plural(credits, { one: '{count} credit', other: '{count} credits' })

/** @example formatPrice(20, 7e-7) // "20 credits ≈ $0.000014" */
export function formatPrice(credits: number, usdPerCredit: number | undefined): string {
  const text = formatCredits(credits)
  return usdPerCredit === undefined ? text : `${text} ≈ ${formatCallCost(credits * usdPerCredit)}`
}
