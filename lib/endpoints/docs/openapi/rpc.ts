import { MAX_RPC_CALLS } from '@/lib/contract/limits'
import { RPC_SLUGS } from '@/lib/contract/rpc'
import { RpcLimitError, RpcNetworks, RpcReply, RpcRequest } from '@/lib/contract/rpc.schema'
import type { Group } from '@/lib/endpoints/docs/openapi/operation'

export const RPC: Group = {
  tag: 'Crypto RPC',
  description: 'JSON-RPC for many blockchains, with one URL and one balance.',
  operations: {
    'GET /crypto/rpc/networks': {
      id: 'listRpcNetworks',
      summary: 'List networks',
      access: 'none',
      content: [{ kind: 'json', name: 'RpcNetworks', schema: RpcNetworks, example: { networks: [...RPC_SLUGS] } }],
    },
    'POST /crypto/rpc/{network}': {
      id: 'callRpc',
      summary: 'Send a JSON-RPC request',
      description: `Accepts one call, or up to ${MAX_RPC_CALLS} in a batch. The response of the node is passed through unchanged: a JSON-RPC error has HTTP status 200.`,
      access: 'paid',
      path: {
        network: {
          description: 'Slug of the network, exactly as listed.',
          example: 'base-mainnet',
          choices: RPC_SLUGS,
        },
      },
      headers: {
        'Idempotency-Key':
          'Up to 255 letters, digits, `_` and `-`. A repeated request with the same key returns the first response and costs nothing.',
      },
      body: {
        json: {
          name: 'RpcRequest',
          schema: RpcRequest,
          example: { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] },
        },
      },
      content: [
        {
          kind: 'json',
          name: 'RpcReply',
          schema: RpcReply,
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
      errorSchemas: { 429: [{ name: 'RpcLimitError', schema: RpcLimitError }] },
    },
  },
}
