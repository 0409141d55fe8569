import { type Charge, learnCharge } from '@/lib/client/charge'
import { refreshMoney } from '@/lib/client/refresh-money'
import type { Creation } from '@/lib/client/studio/creation'
import { priceCreation } from '@/lib/client/studio/store'

/**
 * Learns what the request of a creation cost. What is not learnt now is asked for when the studio is opened next.
 *
 * @param options.isAnswered the service has answered the request, with a result or with an error of its own.
 */
export async function learnCost(
  { id, request }: Pick<Creation, 'id' | 'request'>,
  options: { isAnswered?: boolean } = {},
): Promise<void> {
  if (!request) return
  const keep = async ({ cost }: Charge) => {
    await priceCreation(id, cost, request.at)
    refreshMoney()
  }
  await learnCharge(request, keep, options)
}
