import { AnalyticsQuery } from '@/lib/contract/billing.schema'
import { pageCaller } from '@/lib/pipeline/admit'
import { parseQuery } from '@/lib/pipeline/body'
import { route } from '@/lib/pipeline/methods'
import { jsonReply } from '@/lib/pipeline/reply'
import { limitRoute } from '@/lib/services/limits/limits'
import { usageSummary } from '@/lib/services/usage/analytics'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: async (context, request) => {
    const caller = await pageCaller(context)
    await limitRoute(context, caller, 'default')
    const { days } = parseQuery(AnalyticsQuery, request)
    const body = await usageSummary(caller.accountId, days)
    return jsonReply(body, { headers: { 'Cache-Control': 'no-store' } })
  },
})
