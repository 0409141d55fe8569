import { priceCreation } from '@/components/studio/store'
import { type Charge, type LearnOptions, learnCharge } from '@/lib/browser/charge'
import { refreshMoney } from '@/lib/browser/refresh-money'
import type { Generation } from '@/lib/browser/storage/generations'

/** Learns what the request of a creation cost. What is not learnt now is asked for when the studio is opened next. */
export async function learnCost(
  { id, request }: Pick<Generation, 'id' | 'request'>,
  options: LearnOptions = {},
): Promise<void> {
  if (!request) return
  const keep = async ({ cost }: Charge) => {
    await priceCreation(id, cost, request.at)
    refreshMoney()
  }
  await learnCharge(request, keep, options)
}
