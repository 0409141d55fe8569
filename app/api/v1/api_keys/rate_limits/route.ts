import { rateLimitsOf } from '@/lib/endpoints/keys/rate-limits'
import { admitManager } from '@/lib/pipeline/admit'
import { route } from '@/lib/pipeline/methods'
import { jsonReply } from '@/lib/pipeline/reply'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: async (context) => {
    const caller = await admitManager(context, 'key')
    return jsonReply({ data: await rateLimitsOf(caller) }, { headers: { 'Cache-Control': 'no-store' } })
  },
})
