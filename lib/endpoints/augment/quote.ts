import 'server-only'
import { newId } from '@/lib/contract/ids'
import { unitPrice } from '@/lib/contract/money'
import { AUGMENT_CALL_PRICE } from '@/lib/contract/prices'
import type { Quote } from '@/lib/pipeline/metered'
import { type PricedUnits, priceOf } from '@/lib/services/ledger/price'

export type AugmentCall = 'search' | 'scrape' | 'text-parser'

const CALL_PRICE = unitPrice(AUGMENT_CALL_PRICE)

/** Work of a fixed price. */
export const quoteCall = <Work>(call: AugmentCall, work: Work): Quote<Work> => ({
  requestId: newId(`augment-${call}`),
  amount: priceOf(linesOf(call)),
  work,
})

/** What a call that succeeded is charged. */
export const linesOf = (call: AugmentCall): PricedUnits[] => [{ sku: `augment-${call}`, units: 1, price: CALL_PRICE }]
