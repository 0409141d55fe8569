import { rateLimitLog } from '@/lib/endpoints/keys/rate-limits'
import { admitManager } from '@/lib/pipeline/admit'
import { uncachedJson } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: async (context) => {
    const { accountId } = await admitManager(context)
    const data = await rateLimitLog(accountId)
    return uncachedJson({ object: 'list', data })
  },
})
