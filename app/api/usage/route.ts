import { AnalyticsQuery } from '@/lib/contract/billing.schema'
import { pageCaller } from '@/lib/pipeline/admit'
import { parseQuery } from '@/lib/pipeline/body'
import { uncachedJson } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'
import { usageSummary } from '@/lib/services/usage/analytics'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: async (context, request) => {
    const caller = await pageCaller(context)
    const { days } = parseQuery(AnalyticsQuery, request)
    const body = await usageSummary(caller.accountId, days)
    return uncachedJson(body)
  },
})
