import { z } from 'zod'
import { MAX_RPC_BATCH_CALLS } from '@/lib/contract/limits'
import { RPC_SLUGS } from '@/lib/contract/rpc-networks'

const id = z.union([z.int(), z.string(), z.null()])

/**
 * JSON-RPC call; `lib/services/rpc-nodes` parses calls from bytes, and accepts no more than this. Source: API contract,
 * crypto-rpc.md.
 */
const Call = z.looseObject({
  jsonrpc: z.literal('2.0').optional(),
  method: z.string().min(1).describe('Method supported by the network, exactly as listed in [the playground](/rpc).'),
  params: z
    .union([z.array(z.unknown()), z.record(z.string(), z.unknown())])
    .nullish()
    .describe('Parameters, passed to the node unchanged.'),
  id: id.optional().describe('ID of the call, repeated in the response. Must be unique in a batch.'),
})
export const RpcRequest = z.union([Call, z.array(Call).min(1).max(MAX_RPC_BATCH_CALLS)])

const Answer = z.looseObject({
  jsonrpc: z.string().optional().describe('JSON-RPC version, as sent by the node.'),
  id: id.optional().describe('ID of the call.'),
  result: z.unknown().optional().describe('Result of the node.'),
  error: z.unknown().optional().describe('Error of the node. The HTTP status is still 200.'),
})
export const RpcReply = z.union([Answer, z.array(Answer)])

export const RpcNetworks = z.object({
  networks: z.array(z.enum(RPC_SLUGS)).describe('Slugs of the networks.'),
})

export const RpcLimitError = z.object({
  error: z.string().describe('Human-readable message: the problem and how to fix it.'),
  code: z.literal('RATE_LIMIT_EXCEEDED'),
  customMessage: z.string().describe('Limit that was exceeded.'),
})
