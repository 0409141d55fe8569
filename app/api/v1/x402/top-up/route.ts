import type { RequestContext } from '@/lib/kernel/request-context'
import { type Reply, uncachedJson } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'
import { rails } from '@/lib/services/chains/rails'
import { limitAddress } from '@/lib/services/limits/limits'
import { paymentHeader, readPayment } from '@/lib/services/payments/read-payment'
import { topUpRequired, withTerms } from '@/lib/services/payments/requirements'
import { noteReceipt, receiptOf } from '@/lib/services/payments/store'
import { topUps } from '@/lib/services/payments/top-up'

// Offers ways to pay, or settles the payment in the header and credits its payer. The body is not read.
async function topUp(context: RequestContext): Promise<Reply> {
  await limitAddress(context, 'top-up')
  const header = paymentHeader(context.headers)
  if (header === undefined) throw await topUpRequired(context)
  try {
    const { row } = await topUps().credit(await readPayment(header, rails()))
    noteReceipt(context, row)
    return uncachedJson(receiptOf(row))
  } catch (error) {
    throw await withTerms(context, error)
  }
}

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({ POST: topUp })
