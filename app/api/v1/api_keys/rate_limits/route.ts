import { rateLimitsOf } from '@/lib/endpoints/keys/rate-limits'
import { admitManager } from '@/lib/pipeline/admit'
import { uncachedJson } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: async (context) => {
    const caller = await admitManager(context, 'key')
    return uncachedJson({ data: await rateLimitsOf(caller) })
  },
})
