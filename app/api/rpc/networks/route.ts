import type { RpcOverview } from '@/lib/contract/rpc-networks'
import { config } from '@/lib/kernel/config'
import { uncachedJson } from '@/lib/pipeline/reply'
import { type Handle, route } from '@/lib/pipeline/route'
import { assertSameOrigin } from '@/lib/services/identity/same-origin-cookie'
import { networkStates } from '@/lib/services/rpc-nodes/health'

const PICO_PER_USD = 1e12

const overview: Handle = async (context) => {
  assertSameOrigin(context, 'This is for the service’s own pages. Programs use GET /api/v1/crypto/rpc/networks.')
  const { rpcCreditPrice } = config()
  const overview: RpcOverview = {
    usdPerCredit: Number(rpcCreditPrice) / PICO_PER_USD,
    networks: await networkStates(),
  }
  return uncachedJson(overview)
}

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: overview })
