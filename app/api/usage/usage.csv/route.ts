import { dayAfter } from '@/lib/contract/billing'
import { AnalyticsQuery } from '@/lib/contract/billing.schema'
import { pageCaller } from '@/lib/pipeline/admit'
import { parseQuery } from '@/lib/pipeline/body'
import { route } from '@/lib/pipeline/route'
import { CSV_TYPE, exportUsage } from '@/lib/services/usage/csv'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: async (context, request) => {
    const caller = await pageCaller(context, 'x402-transactions')
    const { days } = parseQuery(AnalyticsQuery, request)
    const range = { start: `${days.first}T00:00:00Z`, end: `${dayAfter(days.last)}T00:00:00Z` }
    return {
      body: exportUsage(caller.accountId, range),
      contentType: CSV_TYPE,
      headers: {
        'Content-Disposition': `attachment; filename="usage-${days.first}-${days.last}.csv"`,
        'Cache-Control': 'no-store',
      },
    }
  },
})
