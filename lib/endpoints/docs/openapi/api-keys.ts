import {
  ApiKeyCreated,
  ApiKeyList,
  ApiKeyReply,
  ApiKeyRevoked,
  ApiKeyUpdated,
  CreateKeyBody,
  DeleteKeyBody,
  RateLimitLog,
  RateLimits,
  UpdateKeyBody,
  Web3KeyBody,
  Web3KeyToken,
} from '@/lib/contract/keys.schema'
import type { Group } from '@/lib/endpoints/docs/openapi/operation'

const ID = '9c0f6b1e-5a7d-4e2b-8c3d-6f1a2b3c4d5e'
const COMMON = {
  id: ID,
  apiKeyType: 'INFERENCE',
  description: 'Night build',
  limitPeriod: 'MONTH',
  modelPrivacy: 'ALL',
  expiresAt: null,
}
const LIMITS = { usd: 5, diem: null, vcu: null }
const KEY = {
  ...COMMON,
  consumptionLimits: LIMITS,
  createdAt: '2026-07-18T10:00:00.000Z',
  lastUsedAt: '2026-07-18T11:30:00.000Z',
  last6Chars: 'x7Kq2p',
}
const USED = {
  ...KEY,
  usage: { trailingSevenDays: { usd: '0.4210', diem: '0.0000', vcu: '0.0000' } },
  currentPeriodUsage: { usd: '0.4210', diem: '0.0000' },
}
const NEW = { ...COMMON, apiKey: 'SERVICE_INFERENCE_KEY_…', consumptionLimit: LIMITS }

export const API_KEYS: Group = {
  tag: 'API keys',
  description: 'Manage the keys of an account, their spending limits and rate limits.',
  operations: {
    'GET /api_keys': {
      id: 'listApiKeys',
      summary: 'List keys',
      description: 'Returns the active keys, newest first.',
      access: 'admin',
      content: [{ kind: 'json', name: 'ApiKeyList', schema: ApiKeyList, example: { object: 'list', data: [USED] } }],
    },
    'POST /api_keys': {
      id: 'createApiKey',
      summary: 'Create a key',
      description: 'The secret is returned only in this response.',
      access: 'admin',
      body: {
        json: {
          name: 'ApiKeyCreateRequest',
          schema: CreateKeyBody,
          example: {
            apiKeyType: 'INFERENCE',
            description: 'Night build',
            consumptionLimit: { usd: 5 },
            limitPeriod: 'MONTH',
          },
        },
      },
      content: [{ kind: 'json', name: 'ApiKeyCreated', schema: ApiKeyCreated, example: { success: true, data: NEW } }],
    },
    'PATCH /api_keys': {
      id: 'updateApiKey',
      summary: 'Update a key',
      description: 'Omitted fields stay unchanged; `null` removes a limit.',
      access: 'admin',
      body: {
        json: {
          name: 'ApiKeyUpdateRequest',
          schema: UpdateKeyBody,
          example: { id: ID, consumptionLimit: { usd: 10 } },
        },
      },
      content: [{ kind: 'json', name: 'ApiKeyUpdated', schema: ApiKeyUpdated, example: { success: true, data: KEY } }],
    },
    'DELETE /api_keys': {
      id: 'revokeApiKey',
      summary: 'Revoke a key',
      description: 'Send the ID in the query or in the body.',
      access: 'admin',
      query: [DeleteKeyBody.partial()],
      body: {
        json: { name: 'ApiKeyDeleteRequest', schema: DeleteKeyBody, example: { id: ID } },
        isOptional: true,
      },
      content: [{ kind: 'json', name: 'ApiKeyRevoked', schema: ApiKeyRevoked, example: { success: true } }],
    },
    'GET /api_keys/{id}': {
      id: 'getApiKey',
      summary: 'Get a key',
      access: 'admin',
      path: { id: { description: 'ID of the key.', example: ID } },
      content: [{ kind: 'json', name: 'ApiKeyReply', schema: ApiKeyReply, example: { data: USED } }],
    },
    'GET /api_keys/rate_limits': {
      id: 'getRateLimits',
      summary: 'Get the limits of the current key',
      access: 'key',
      content: [
        {
          kind: 'json',
          name: 'RateLimits',
          schema: RateLimits,
          example: {
            data: {
              accessPermitted: true,
              apiTier: { id: 'paid', isCharged: true },
              balances: { USD: 4.23, DIEM: 0 },
              keyExpiration: null,
              nextEpochBegins: '2026-07-19T00:00:00.000Z',
              rateLimits: [{ apiModelId: 'tiny-embed', rateLimits: [{ type: 'RPM', amount: 500 }] }],
            },
          },
        },
      ],
    },
    'GET /api_keys/rate_limits/log': {
      id: 'listRateLimitBreaches',
      summary: 'List recent rejections',
      access: 'admin',
      content: [
        {
          kind: 'json',
          name: 'RateLimitLog',
          schema: RateLimitLog,
          example: {
            object: 'list',
            data: [
              {
                apiKeyId: ID,
                modelId: 'tiny-embed',
                rateLimitTier: 'paid',
                rateLimitType: 'RPM',
                timestamp: '2026-07-18T11:30:00.000Z',
              },
            ],
          },
        },
      ],
    },
    'GET /api_keys/generate_web3_key': {
      id: 'issueWeb3KeyToken',
      summary: 'Get a token to sign',
      access: 'none',
      content: [
        {
          kind: 'json',
          name: 'Web3KeyToken',
          schema: Web3KeyToken,
          example: { success: true, data: { token: 'eyJhbGciOiJIUzI1NiJ9.…' } },
        },
      ],
    },
    'POST /api_keys/generate_web3_key': {
      id: 'createWeb3Key',
      summary: 'Create a key with a wallet that has staked tokens',
      access: 'none',
      body: {
        json: {
          name: 'Web3KeyRequest',
          schema: Web3KeyBody,
          example: {
            address: '0x1111111111111111111111111111111111111111',
            signature: '0x…',
            token: 'eyJhbGciOiJIUzI1NiJ9.…',
            apiKeyType: 'INFERENCE',
          },
        },
      },
      content: [{ kind: 'json', name: 'ApiKeyCreated', schema: ApiKeyCreated, example: { success: true, data: NEW } }],
      errors: ['STAKING_NOT_CONFIGURED', 'API_ACCESS_DISABLED'],
    },
  },
}
