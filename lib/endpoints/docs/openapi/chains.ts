import { MAX_RPC_BATCH_CALLS } from '@/lib/contract/limits'
import { RpcLimitError, RpcNetworks, RpcReply, RpcRequest } from '@/lib/contract/rpc.schema'
import { RPC_SLUGS } from '@/lib/contract/rpc-networks'
import {
  TopUpReceipt,
  TopUpTerms,
  TransactionsQuery,
  WalletBalance,
  WalletTransactions,
} from '@/lib/contract/x402.schema'
import { PAYMENT_CODES, PAYMENT_ERROR } from '@/lib/endpoints/docs/openapi/errors'
import { type Group, jsonBody, jsonContent } from '@/lib/endpoints/docs/openapi/operation'

export const RPC: Group = {
  tag: 'Crypto RPC',
  description: 'JSON-RPC for many blockchains, with one URL and one balance.',
  operations: {
    'GET /crypto/rpc/networks': {
      id: 'listRpcNetworks',
      summary: 'List networks',
      access: 'none',
      content: [jsonContent('RpcNetworks', RpcNetworks, { networks: [...RPC_SLUGS] })],
    },
    'POST /crypto/rpc/{network}': {
      id: 'callRpc',
      summary: 'Send a JSON-RPC request',
      description: `Accepts one call, or up to ${MAX_RPC_BATCH_CALLS} in a batch. The response of the node is passed through unchanged: a JSON-RPC error has HTTP status 200.`,
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
      body: jsonBody('RpcRequest', RpcRequest, { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] }),
      content: [jsonContent('RpcReply', RpcReply, { jsonrpc: '2.0', id: 1, result: '0x1b4' })],
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

const WALLET = '0x1111111111111111111111111111111111111111'

const BY_WALLET = { walletAddress: { description: 'EVM address, or Solana address in base58.', example: WALLET } }

export const X402: Group = {
  tag: 'Wallets',
  description: 'Credit of a wallet: USDC payments with x402, balance and transactions.',
  operations: {
    'POST /x402/top-up': {
      id: 'topUp',
      summary: 'Top up a wallet',
      description:
        'Without a payment header, returns 402 with the accepted payments. With a payment, settles it and credits the payer, once even if it is sent several times.',
      access: 'none',
      headers: {
        'PAYMENT-SIGNATURE': 'Signed payment as base64-encoded JSON. `X-402-Payment` and `X-PAYMENT` are legacy names.',
      },
      content: [
        jsonContent('TopUpReceipt', TopUpReceipt, {
          success: true,
          data: { walletAddress: WALLET, amountCredited: 5, newBalance: 5, paymentId: 'pay_3f1c2ab0d4e57788' },
        }),
      ],
      sends: ['payment'],
      errors: ['PAYMENT_REQUIRED', ...PAYMENT_CODES],
      errorSchemas: {
        400: [PAYMENT_ERROR],
        402: [{ name: 'TopUpTerms', schema: TopUpTerms }, PAYMENT_ERROR],
        409: [PAYMENT_ERROR],
        500: [PAYMENT_ERROR],
        503: [PAYMENT_ERROR],
      },
    },
    'GET /x402/balance/{walletAddress}': {
      id: 'getWalletBalance',
      summary: 'Get the balance of a wallet',
      access: 'wallet',
      path: BY_WALLET,
      content: [
        jsonContent('WalletBalance', WalletBalance, {
          success: true,
          data: {
            walletAddress: WALLET,
            balanceUsd: 4.23,
            canConsume: true,
            minimumTopUpUsd: 5,
            suggestedTopUpUsd: 10,
          },
        }),
      ],
    },
    'GET /x402/transactions/{walletAddress}': {
      id: 'listWalletTransactions',
      summary: 'List the transactions of a wallet',
      description: 'Returns transactions, newest first.',
      access: 'wallet',
      path: BY_WALLET,
      query: [TransactionsQuery],
      content: [
        jsonContent('WalletTransactions', WalletTransactions, {
          success: true,
          data: {
            walletAddress: WALLET,
            currentBalance: 4.23,
            transactions: [
              {
                id: 'ledger_3f1c2ab0d4e577889f1c2ab0d4e57788',
                amount: 5,
                balanceAfter: 5,
                type: 'TOP_UP',
                createdAt: '2026-07-18T10:00:00.000Z',
                requestId: null,
                modelId: null,
                description: null,
              },
            ],
            pagination: { limit: 50, offset: 0, hasMore: false },
          },
        }),
      ],
    },
  },
}
