import type { ChargeReply } from '@/lib/contract/billing'
import { invalidField } from '@/lib/contract/errors'
import { usdNumber } from '@/lib/contract/money'
import { pageCaller } from '@/lib/pipeline/admit'
import { endpoint } from '@/lib/pipeline/endpoint'
import { jsonReply } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'
import { chargeOfRequest } from '@/lib/services/ledger/ledger'
import { limitRoute } from '@/lib/services/limits/limits'

const REQUEST_ID = /^[\w-]{1,64}$/

// Looks up a charge: the receipt of an answer that was left before its price came.
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: endpoint(async (context, _request, { requestId }) => {
    const caller = await pageCaller(context)
    await limitRoute(context, caller, 'default')
    if (typeof requestId !== 'string' || !REQUEST_ID.test(requestId)) {
      throw invalidField(['requestId'], 'is no id of a request')
    }
    const found = await chargeOfRequest(caller.accountId, requestId)
    const body: ChargeReply = found.state === 'open' ? found : { ...found, charged: usdNumber(found.charged) }
    return jsonReply(body, { headers: { 'Cache-Control': 'no-store' } })
  }),
})
