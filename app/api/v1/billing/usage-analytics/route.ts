import { AnalyticsQuery } from '@/lib/contract/billing.schema'
import { admitManager } from '@/lib/pipeline/admit'
import { parseQuery } from '@/lib/pipeline/body'
import { uncachedJson } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'
import { usageAnalytics } from '@/lib/services/usage/analytics'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: async (context, request) => {
    const { accountId } = await admitManager(context)
    const { days, label } = parseQuery(AnalyticsQuery, request)
    const body = await usageAnalytics(accountId, days, label)
    return uncachedJson(body)
  },
})
