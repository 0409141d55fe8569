import {
  AnalyticsQuery,
  Balance,
  HistoryCursorQuery,
  HistoryQuery,
  UsageAnalytics,
  UsageHistory,
  UsagePage,
  UsageQuery,
} from '@/lib/contract/billing.schema'
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
import { type Content, type Group, jsonBody, jsonContent } from '@/lib/endpoints/docs/openapi/operation'
import { CSV_HEAD } from '@/lib/services/usage/csv'

const KEY_ID = '9c0f6b1e-5a7d-4e2b-8c3d-6f1a2b3c4d5e'
const KEY_FIELDS = {
  id: KEY_ID,
  apiKeyType: 'INFERENCE',
  description: 'Night build',
  limitPeriod: 'MONTH',
  modelPrivacy: 'ALL',
  expiresAt: null,
}
const KEY_LIMITS = { usd: 5, diem: null, vcu: null }
const KEY = {
  ...KEY_FIELDS,
  consumptionLimits: KEY_LIMITS,
  createdAt: '2026-07-18T10:00:00.000Z',
  lastUsedAt: '2026-07-18T11:30:00.000Z',
  last6Chars: 'x7Kq2p',
}
const KEY_WITH_USAGE = {
  ...KEY,
  usage: { trailingSevenDays: { usd: '0.4210', diem: '0.0000', vcu: '0.0000' } },
  currentPeriodUsage: { usd: '0.4210', diem: '0.0000' },
}
const NEW_KEY = { ...KEY_FIELDS, apiKey: 'SERVICE_INFERENCE_KEY_…', consumptionLimit: KEY_LIMITS }

export const API_KEYS: Group = {
  tag: 'API keys',
  description: 'Manage the keys of an account, their spending limits and rate limits.',
  operations: {
    'GET /api_keys': {
      id: 'listApiKeys',
      summary: 'List keys',
      description: 'Returns the active keys, newest first.',
      access: 'admin',
      content: [jsonContent('ApiKeyList', ApiKeyList, { object: 'list', data: [KEY_WITH_USAGE] })],
    },
    'POST /api_keys': {
      id: 'createApiKey',
      summary: 'Create a key',
      description: 'The secret is returned only in this response.',
      access: 'admin',
      body: jsonBody('ApiKeyCreateRequest', CreateKeyBody, {
        apiKeyType: 'INFERENCE',
        description: 'Night build',
        consumptionLimit: { usd: 5 },
        limitPeriod: 'MONTH',
      }),
      content: [jsonContent('ApiKeyCreated', ApiKeyCreated, { success: true, data: NEW_KEY })],
    },
    'PATCH /api_keys': {
      id: 'updateApiKey',
      summary: 'Update a key',
      description: 'Omitted fields stay unchanged; `null` removes a limit.',
      access: 'admin',
      body: jsonBody('ApiKeyUpdateRequest', UpdateKeyBody, { id: KEY_ID, consumptionLimit: { usd: 10 } }),
      content: [jsonContent('ApiKeyUpdated', ApiKeyUpdated, { success: true, data: KEY })],
    },
    'DELETE /api_keys': {
      id: 'revokeApiKey',
      summary: 'Revoke a key',
      description: 'Send the ID in the query or in the body.',
      access: 'admin',
      query: [DeleteKeyBody.partial()],
      body: {
        json: jsonContent('ApiKeyDeleteRequest', DeleteKeyBody, { id: KEY_ID }),
        isOptional: true,
      },
      content: [jsonContent('ApiKeyRevoked', ApiKeyRevoked, { success: true })],
    },
    'GET /api_keys/{id}': {
      id: 'getApiKey',
      summary: 'Get a key',
      access: 'admin',
      path: { id: { description: 'ID of the key.', example: KEY_ID } },
      content: [jsonContent('ApiKeyReply', ApiKeyReply, { data: KEY_WITH_USAGE })],
    },
    'GET /api_keys/rate_limits': {
      id: 'getRateLimits',
      summary: 'Get the limits of the current key',
      access: 'key',
      content: [
        jsonContent('RateLimits', RateLimits, {
          data: {
            accessPermitted: true,
            apiTier: { id: 'paid', isCharged: true },
            balances: { USD: 4.23, DIEM: 0 },
            keyExpiration: null,
            nextEpochBegins: '2026-07-19T00:00:00.000Z',
            rateLimits: [{ apiModelId: 'tiny-embed', rateLimits: [{ type: 'RPM', amount: 500 }] }],
          },
        }),
      ],
    },
    'GET /api_keys/rate_limits/log': {
      id: 'listRateLimitBreaches',
      summary: 'List recent rejections',
      access: 'admin',
      content: [
        jsonContent('RateLimitLog', RateLimitLog, {
          object: 'list',
          data: [
            {
              apiKeyId: KEY_ID,
              modelId: 'tiny-embed',
              rateLimitTier: 'paid',
              rateLimitType: 'RPM',
              timestamp: '2026-07-18T11:30:00.000Z',
            },
          ],
        }),
      ],
    },
    'GET /api_keys/generate_web3_key': {
      id: 'issueWeb3KeyToken',
      summary: 'Get a token to sign',
      access: 'none',
      content: [
        jsonContent('Web3KeyToken', Web3KeyToken, { success: true, data: { token: 'eyJhbGciOiJIUzI1NiJ9.…' } }),
      ],
    },
    'POST /api_keys/generate_web3_key': {
      id: 'createWeb3Key',
      summary: 'Create a key with a wallet that has staked tokens',
      access: 'none',
      body: jsonBody('Web3KeyRequest', Web3KeyBody, {
        address: '0x1111111111111111111111111111111111111111',
        signature: '0x…',
        token: 'eyJhbGciOiJIUzI1NiJ9.…',
        apiKeyType: 'INFERENCE',
      }),
      content: [jsonContent('ApiKeyCreated', ApiKeyCreated, { success: true, data: NEW_KEY })],
      errors: ['STAKING_NOT_CONFIGURED', 'API_ACCESS_DISABLED'],
    },
  },
}

const ENTRY = {
  timestamp: '2026-07-18T11:30:00.000Z',
  sku: 'tiny-chat-llm-input-mtoken',
  units: 0.000026,
  pricePerUnitUsd: 0.15,
  amount: -0.0000039,
  currency: 'USD',
  notes: 'API Inference',
  inferenceDetails: {
    requestId: 'chatcmpl-3f1c2ab0d4e57788',
    promptTokens: 26,
    completionTokens: 17,
    inferenceExecutionTime: 812,
  },
}
const CSV_ROW =
  '2026-07-18T11:30:00.000Z,tiny-chat-llm-input-mtoken,0.15,0.000026,-0.0000039,USD,API Inference,chatcmpl-3f1c2ab0d4e57788,812,26,17\n'
const CSV: Content = { kind: 'text', type: 'text/csv', example: CSV_HEAD + CSV_ROW }
const ACCEPT = { Accept: '`text/csv` returns a CSV file instead of JSON.' }

export const BILLING: Group = {
  tag: 'Billing',
  description: 'Balance and spending of an account.',
  operations: {
    'GET /billing/balance': {
      id: 'getBalance',
      summary: 'Get the balance',
      access: 'admin',
      content: [
        jsonContent('Balance', Balance, {
          canConsume: true,
          consumptionCurrency: 'USD',
          balances: { diem: null, usd: 4.23 },
          diemEpochAllocation: 0,
        }),
      ],
    },
    'GET /billing/usage-history': {
      id: 'listUsageHistory',
      summary: 'List the usage history',
      description:
        'Returns entries in chronological order. Request further pages with `cursor` alone. Unknown parameters are rejected.',
      access: 'admin',
      query: [HistoryQuery, HistoryCursorQuery],
      headers: ACCEPT,
      content: [jsonContent('UsageHistory', UsageHistory, { data: [ENTRY], nextCursor: null }), CSV],
      sends: ['cursor', 'file'],
      errors: ['REQUEST_TIMEOUT'],
    },
    'GET /billing/usage': {
      id: 'listUsage',
      summary: 'List usage by page',
      description: 'Use `GET /billing/usage-history` instead.',
      access: 'admin',
      isDeprecated: true,
      query: [UsageQuery],
      headers: ACCEPT,
      content: [
        jsonContent('UsagePage', UsagePage, {
          warningMessage: 'Deprecated. Move to /api/v1/billing/usage-history.',
          data: [ENTRY],
          pagination: { limit: 200, page: 1, total: 1, totalPages: 1 },
        }),
        CSV,
      ],
      sends: ['pagination', 'deprecated', 'file'],
      errors: ['ENDPOINT_RETIRED', 'REQUEST_TIMEOUT'],
    },
    'GET /billing/usage-analytics': {
      id: 'getUsageAnalytics',
      summary: 'Get usage analytics',
      description: 'Returns spending by day, model and key. Results are cached for up to ten minutes.',
      access: 'admin',
      query: [AnalyticsQuery],
      content: [
        jsonContent('UsageAnalytics', UsageAnalytics, {
          lookback: '1d',
          byDate: [{ date: '2026-07-18', USD: 0.0000141, DIEM: 0 }],
          byModel: [
            {
              modelName: 'Tiny Chat',
              unitType: 'tokens',
              modelType: 'LLM',
              totalUsd: 0.0000141,
              totalDiem: 0,
              totalUnits: 43,
              breakdown: [
                { type: 'Input', usd: 0.0000039, diem: 0, units: 26 },
                { type: 'Output', usd: 0.0000102, diem: 0, units: 17 },
              ],
            },
          ],
          byModelDaily: [{ date: 1784332800000, 'Tiny Chat': 0.0000141 }],
          topModels: ['Tiny Chat'],
          byKey: [{ apiKeyId: null, description: 'Web App', totalUsd: 0.0000141, totalDiem: 0, totalUnits: 43 }],
          byKeyDaily: [{ date: 1784332800000, 'Web App': 0.0000141 }],
          topKeyNames: ['Web App'],
        }),
      ],
      errors: ['REQUEST_TIMEOUT'],
    },
  },
}
