import { summaryOf } from '@/lib/endpoints/billing/wallet-summary'
import type { RequestContext } from '@/lib/kernel/request-context'
import { pageCaller } from '@/lib/pipeline/admit'
import { type Reply, uncachedJson } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'
import { refreshAllowance } from '@/lib/services/payments/staking'

async function show(context: RequestContext): Promise<Reply> {
  const caller = await pageCaller(context)
  await refreshAllowance(caller)
  return uncachedJson(await summaryOf(caller.accountId))
}

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: show })
