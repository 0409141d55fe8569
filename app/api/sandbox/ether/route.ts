import { z } from 'zod'
import { invalidField } from '@/lib/contract/errors'
import { networkOf, RPC_SLUGS } from '@/lib/contract/rpc-networks'
import { config } from '@/lib/kernel/config'
import { json } from '@/lib/pipeline/body'
import { type Handle, notFound, route } from '@/lib/pipeline/route'
import { assertSameOrigin } from '@/lib/services/identity/same-origin-cookie'
import { assertAddress, countVisit, fundFees } from '@/lib/services/payments/faucet'
import { localChainUrl } from '@/lib/services/rpc-nodes/nodes'

const EtherRequest = z.strictObject({ network: z.enum(RPC_SLUGS), address: z.string().max(64) })
const parse = json(EtherRequest, { maxBytes: 1_024 })

// Funds fees on a local chain; absent where the network is real.
const fund: Handle = async (context, request, params) => {
  if (!config().isSandbox) return notFound(context, request, params)
  assertSameOrigin(context, 'This is for the service’s own pages.')
  const { network, address } = await parse(context, request)
  const url = localChainUrl(networkOf(network)!)
  if (url === undefined) throw invalidField(['network'], 'has no test chain here')
  assertAddress(address)
  countVisit(address)
  await fundFees(url, address)
  return { status: 204, body: null, headers: { 'Cache-Control': 'no-store' } }
}

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({ POST: fund })
