import type { RpcAnswer } from '@/components/rpc/client'
import type { Reply } from '@/components/rpc/response/decode/reply'
import { RPC_ERROR_CREDITS } from '@/lib/contract/prices'
import { creditsOf, offerOf } from '@/lib/contract/rpc-methods'
import { networkOf } from '@/lib/contract/rpc-networks'

/**
 * What each item of a batch took, by the service's own rules. Nothing where that does not add up to what the service
 * says it charged: then it counted otherwise.
 */
export function itemCredits({ network: slug, calls, credits }: RpcAnswer, reply: Reply): number[] | undefined {
  const network = networkOf(slug)
  if (!network || credits === undefined || reply.items.length !== reply.total) return undefined
  const each = reply.items.map(({ outcome, callIndex }) => {
    const method = callIndex === undefined ? undefined : calls[callIndex]?.method
    const offer = method === undefined ? undefined : offerOf(network.family, method)
    return outcome === 'result' && offer?.isOffered ? creditsOf(network, offer.tier) : RPC_ERROR_CREDITS
  })
  return each.reduce((sum, one) => sum + one, 0) === credits ? each : undefined
}
