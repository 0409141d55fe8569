import { summaryOf } from '@/lib/endpoints/billing/wallet-summary'
import type { RequestContext } from '@/lib/kernel/request-context'
import { pageCaller } from '@/lib/pipeline/admit'
import { route } from '@/lib/pipeline/methods'
import { jsonReply, type Reply } from '@/lib/pipeline/reply'
import { limitRoute } from '@/lib/services/limits/limits'
import { refreshAllowance } from '@/lib/services/payments/staking'

async function show(context: RequestContext): Promise<Reply> {
  const caller = await pageCaller(context)
  await limitRoute(context, caller, 'default')
  await refreshAllowance(caller)
  return jsonReply(await summaryOf(caller.accountId), { headers: { 'Cache-Control': 'no-store' } })
}

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: show })
