import { admitManager } from '@/lib/access/admit-manager'
import { rateLimitLog } from '@/lib/access/rate-limits-view'
import { endpoint } from '@/lib/api/endpoint'
import { jsonReply } from '@/lib/api/reply'
import { route } from '@/lib/api/route'

/** The account's last refusals, newest first. */
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: endpoint(async (context) => {
    const { accountId } = await admitManager(context)
    const data = await rateLimitLog(accountId)
    return jsonReply({ object: 'list', data }, { headers: { 'Cache-Control': 'no-store' } })
  }),
})
