import 'server-only'
import { newId } from '@/lib/contract/ids'
import { unitPrice } from '@/lib/contract/money'
import { AUGMENT_CALL_PRICE } from '@/lib/contract/prices'
import type { Caller, RequestContext } from '@/lib/kernel/request-context'
import type { Entry, Quote } from '@/lib/pipeline/metered'
import { type PricedUnits, priceOf } from '@/lib/services/ledger/meter'
import { limitRoute } from '@/lib/services/limits/limits'

export type AugmentCall = 'search' | 'scrape' | 'text-parser'

const CALL_PRICE = unitPrice(AUGMENT_CALL_PRICE)

export const quoteCall = <Work>(call: AugmentCall, work: Work): Quote<Work> => ({
  requestId: newId(`augment-${call}`),
  amount: priceOf(linesOf(call)),
  work,
})

export const linesOf = (call: AugmentCall): PricedUnits[] => [{ sku: `augment-${call}`, units: 1, price: CALL_PRICE }]

type Enter = (quote: unknown, caller: Caller, context: RequestContext) => Promise<Entry>

/**
 * Limits search and scrape each by itself, by the operator's `routes.augment`. @throws ApiError RATE_LIMIT_EXCEEDED.
 * Source: API contract, README 8.
 */
export const enterLimited =
  (call: AugmentCall): Enter =>
  async (_quote, caller, context) => {
    await limitRoute(context, caller, 'augment', `augment-${call}`)
    return {}
  }

/** Counts in the bucket of all routes without a limit of their own. */
export const enterDefault: Enter = async (_quote, caller, context) => {
  await limitRoute(context, caller, 'default')
  return {}
}
