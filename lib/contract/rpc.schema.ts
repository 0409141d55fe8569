import { z } from 'zod'
import { MAX_RPC_CALLS } from '@/lib/contract/limits'
import { RPC_SLUGS } from '@/lib/contract/rpc'

const id = z.union([z.int(), z.string(), z.null()])

/**
 * One call; `lib/services/rpc-nodes` reads calls by their bytes, and accepts no more than this. Source: API contract,
 * crypto-rpc.md.
 */
const Call = z.looseObject({
  jsonrpc: z.literal('2.0').optional(),
  method: z
    .string()
    .min(1)
    .meta({ description: 'A method that the network offers, as it is written: [the playground](/rpc) lists them.' }),
  params: z
    .union([z.array(z.unknown()), z.record(z.string(), z.unknown())])
    .nullish()
    .meta({ description: 'Its parameters; they reach the node as they were written.' }),
  id: id.optional().meta({ description: 'Names the call in the reply. In a batch each needs its own.' }),
})
export const RpcRequest = z.union([Call, z.array(Call).min(1).max(MAX_RPC_CALLS)])

/** A node's own words, passed on unchanged. */
const Answer = z.looseObject({
  jsonrpc: z.string().optional().meta({ description: 'The version, as the node says it.' }),
  id: id.optional().meta({ description: 'The call that it answers.' }),
  result: z.unknown().optional().meta({ description: "The node's answer." }),
  error: z.unknown().optional().meta({ description: "The node's refusal; the status is 200 all the same." }),
})
export const RpcReply = z.union([Answer, z.array(Answer)])

export const RpcNetworks = z.object({ networks: z.array(z.enum(RPC_SLUGS)).meta({ description: 'Their slugs.' }) })

export const RpcLimitError = z.object({
  error: z.string().meta({ description: 'For people: what is wrong, and what to do about it.' }),
  code: z.literal('RATE_LIMIT_EXCEEDED'),
  customMessage: z.string().meta({ description: 'Which limit it was.' }),
})
