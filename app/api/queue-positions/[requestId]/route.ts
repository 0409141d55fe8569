import type { QueuePositionReply } from '@/lib/contract/models'
import { pageRequest } from '@/lib/pipeline/admit'
import { uncachedJson } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'
import { nameOfRequest, queuePosition } from '@/lib/services/engines/queue-positions'

// Tells the web app where its request waits for a model inside the server; API clients wait as before.
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: async (context, _request, params) => {
    const position = queuePosition(nameOfRequest(await pageRequest(context, params))) ?? null
    return uncachedJson({ position } satisfies QueuePositionReply)
  },
})
