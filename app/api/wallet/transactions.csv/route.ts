import type { RequestContext } from '@/lib/kernel/request-context'
import { pageCaller } from '@/lib/pipeline/admit'
import type { Reply } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'
import { exportTransactions } from '@/lib/services/usage/csv'

async function download(context: RequestContext): Promise<Reply> {
  const caller = await pageCaller(context, 'x402-transactions')
  return {
    body: exportTransactions(caller.accountId),
    contentType: 'text/csv; charset=utf-8',
    headers: { 'Content-Disposition': 'attachment; filename="transactions.csv"', 'Cache-Control': 'no-store' },
  }
}

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: download })
