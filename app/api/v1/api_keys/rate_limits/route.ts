import { admitManager } from '@/lib/access/admit-manager'
import { rateLimitsOf } from '@/lib/access/rate-limits-view'
import { endpoint } from '@/lib/api/endpoint'
import { jsonReply } from '@/lib/api/reply'
import { route } from '@/lib/api/route'

/** What the calling key may do now. */
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: endpoint(async (context) => {
    const caller = await admitManager(context, 'key')
    return jsonReply({ data: await rateLimitsOf(caller) }, { headers: { 'Cache-Control': 'no-store' } })
  }),
})
