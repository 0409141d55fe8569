import { invalidField } from '@/lib/contract/errors'
import type { QueuePositionReply } from '@/lib/contract/queue-position'
import { pageCaller } from '@/lib/pipeline/admit'
import { endpoint } from '@/lib/pipeline/endpoint'
import { jsonReply } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'
import { nameOfRequest, queuePosition } from '@/lib/services/engines/queue-positions'
import { limitRoute } from '@/lib/services/limits/limits'

const REQUEST_ID = /^[\w-]{1,64}$/

// Tells the web app where its request waits for a model inside the server; API clients wait as before.
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: endpoint(async (context, _request, { requestId }) => {
    const caller = await pageCaller(context)
    await limitRoute(context, caller, 'default')
    if (typeof requestId !== 'string' || !REQUEST_ID.test(requestId)) {
      throw invalidField(['requestId'], 'is no id of a request')
    }
    const position = queuePosition(nameOfRequest({ accountId: caller.accountId, requestId })) ?? null
    return jsonReply({ position } satisfies QueuePositionReply, { headers: { 'Cache-Control': 'no-store' } })
  }),
})
