import { MAX_RPC_CALLS } from '@/lib/contract/limits'
import { RPC_SLUGS } from '@/lib/contract/rpc'
import { RpcLimitError, RpcNetworks, RpcReply, RpcRequest } from '@/lib/contract/rpc.schema'
import type { Group } from '@/lib/endpoints/docs/openapi/operation'

export const RPC: Group = {
  tag: 'Crypto RPC',
  description: 'JSON-RPC of many chains behind one address and one balance.',
  operations: {
    'GET /crypto/rpc/networks': {
      id: 'listRpcNetworks',
      summary: 'List networks',
      access: 'none',
      content: [{ kind: 'json', name: 'RpcNetworks', schema: RpcNetworks, example: { networks: [...RPC_SLUGS] } }],
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
