import 'server-only'
import { newId } from '@/lib/contract/ids'
import { perUnit } from '@/lib/contract/money'
import type { Quote } from '@/lib/pipeline/metered'
import { type PricedUnits, priceOf } from '@/lib/services/ledger/price'

export type AugmentCall = 'search' | 'scrape' | 'text-parser'

/** Of a call that succeeds. Source: API contract, augment.md. */
const CALL_PRICE = perUnit(0.01)

/** Work of a fixed price. */
export const quoteCall = <Work>(call: AugmentCall, work: Work): Quote<Work> => ({
  requestId: newId(`augment-${call}`),
  amount: priceOf(linesOf(call)),
  work,
})

/** What a call that succeeded is charged. */
export const linesOf = (call: AugmentCall): PricedUnits[] => [{ sku: `augment-${call}`, units: 1, price: CALL_PRICE }]
