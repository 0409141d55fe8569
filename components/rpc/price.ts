import { formatExactMoney, moneyOf } from '@/lib/browser/format/cost'
import { creditsOf, offerOf } from '@/lib/contract/rpc-methods'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
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

export const dollarsOf = (credits: number, usdPerCredit: number): string =>
  formatExactMoney(moneyOf(credits * usdPerCredit))

export const creditsText = (credits: number): string =>
  plural(credits, { one: '{count} credit', other: '{count} credits' })

/** @example priceText(20, 7e-7) // "20 credits ≈ $0.000014" */
export function priceText(credits: number, usdPerCredit: number | undefined): string {
  const text = creditsText(credits)
  return usdPerCredit === undefined ? text : `${text} ≈ ${dollarsOf(credits, usdPerCredit)}`
}
