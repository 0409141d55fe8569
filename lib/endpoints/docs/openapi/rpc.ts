import { z } from 'zod'
import { MAX_RPC_CALLS } from '@/lib/contract/limits'
import { RPC_SLUGS } from '@/lib/contract/rpc'
import type { Group, NamedSchema } from '@/lib/endpoints/docs/openapi/operation'

const id = z.union([z.int(), z.string(), z.null()])

/** `lib/services/rpc-nodes/calls.ts` reads calls by their bytes, and takes no more than this. Source: API contract, crypto-rpc.md. */
const Call = z.looseObject({
  jsonrpc: z.literal('2.0').optional(),
  method: z.string().min(1),
  params: z.union([z.array(z.unknown()), z.record(z.string(), z.unknown())]).nullish(),
  id: id.optional(),
})
const Calls = z.union([Call, z.array(Call).min(1).max(MAX_RPC_CALLS)])

/** A node's own words, passed on as they are. */
const Answer = z.looseObject({
  jsonrpc: z.string().optional(),
  id: id.optional(),
  result: z.unknown().optional(),
  error: z.unknown().optional(),
})
const Answers = z.union([Answer, z.array(Answer)])

const Networks = z.object({ networks: z.array(z.enum(RPC_SLUGS)) })

/** As `lib/endpoints/rpc/refusal.ts` writes it. */
const LIMIT: NamedSchema = {
  name: 'RpcLimitError',
  schema: z.object({ error: z.string(), code: z.literal('RATE_LIMIT_EXCEEDED'), customMessage: z.string() }),
}

export const RPC: Group = {
  tag: 'Crypto RPC',
  description: 'JSON-RPC of many chains behind one address and one balance.',
  operations: {
    'GET /crypto/rpc/networks': {
      id: 'listRpcNetworks',
      summary: 'List networks',
      access: 'none',
      content: [{ kind: 'json', name: 'RpcNetworks', schema: Networks, example: { networks: [...RPC_SLUGS] } }],
    },
    'POST /crypto/rpc/{network}': {
      id: 'callRpc',
      summary: 'Call a network',
      description: `One call, or up to ${MAX_RPC_CALLS} in a list. The node's answer is passed on as it is: an error of JSON-RPC is a 200.`,
      access: 'paid',
      path: {
        network: {
          description: 'The slug of a network, as it is written.',
          example: 'base-mainnet',
          choices: RPC_SLUGS,
        },
      },
      headers: {
        'Idempotency-Key':
          'Up to 255 letters, digits, `_` and `-`. A request that is sent again with its key gets the first reply again and costs nothing.',
      },
      body: {
        json: {
          name: 'RpcRequest',
          schema: Calls,
          example: { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] },
        },
      },
      content: [
        {
          kind: 'json',
          name: 'RpcReply',
          schema: Answers,
          example: { jsonrpc: '2.0', id: 1, result: '0x1b4' },
        },
      ],
      sends: ['rpc'],
      errors: [
        'UNSUPPORTED_RPC_NETWORK',
        'UNSUPPORTED_RPC_METHOD',
        'IDEMPOTENCY_KEY_REUSED',
        'IDEMPOTENCY_IN_PROGRESS',
        'RPC_NETWORK_NOT_CONFIGURED',
        'RPC_UPSTREAM_FAILED',
      ],
      errorSchemas: { 429: [LIMIT] },
    },
  },
}
