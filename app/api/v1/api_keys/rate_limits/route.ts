import { rateLimitsOf } from '@/lib/endpoints/keys/rate-limits'
import { admitManager } from '@/lib/pipeline/admit'
import { route } from '@/lib/pipeline/methods'
import { uncachedJson } from '@/lib/pipeline/reply'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: async (context) => {
    const caller = await admitManager(context, 'key')
    return uncachedJson({ data: await rateLimitsOf(caller) })
  },
})
