import type { ChargeReply } from '@/lib/contract/billing'
import { usdNumber } from '@/lib/contract/money'
import { pageRequest } from '@/lib/pipeline/admit'
import { uncachedJson } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'
import { chargeOfRequest } from '@/lib/services/ledger/ledger'

// Looks up a charge: the receipt of an answer that was left before its price came.
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: async (context, _request, params) => {
    const { accountId, requestId } = await pageRequest(context, params)
    const found = await chargeOfRequest(accountId, requestId)
    const body: ChargeReply = found.state === 'open' ? found : { ...found, charged: usdNumber(found.charged) }
    return uncachedJson(body)
  },
})
