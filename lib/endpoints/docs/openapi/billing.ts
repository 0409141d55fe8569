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
import type { Content, Group } from '@/lib/endpoints/docs/openapi/operation'
import { CSV_HEAD } from '@/lib/services/usage/csv'

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
const ROW =
  '2026-07-18T11:30:00.000Z,tiny-chat-llm-input-mtoken,0.15,0.000026,-0.0000039,USD,API Inference,chatcmpl-3f1c2ab0d4e57788,812,26,17\n'
const CSV: Content = { kind: 'text', type: 'text/csv', example: CSV_HEAD + ROW }
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
        {
          kind: 'json',
          name: 'Balance',
          schema: Balance,
          example: {
            canConsume: true,
            consumptionCurrency: 'USD',
            balances: { diem: null, usd: 4.23 },
            diemEpochAllocation: 0,
          },
        },
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
      content: [
        {
          kind: 'json',
          name: 'UsageHistory',
          schema: UsageHistory,
          example: { data: [ENTRY], nextCursor: null },
        },
        CSV,
      ],
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
        {
          kind: 'json',
          name: 'UsagePage',
          schema: UsagePage,
          example: {
            warningMessage: 'Deprecated. Move to /api/v1/billing/usage-history.',
            data: [ENTRY],
            pagination: { limit: 200, page: 1, total: 1, totalPages: 1 },
          },
        },
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
        {
          kind: 'json',
          name: 'UsageAnalytics',
          schema: UsageAnalytics,
          example: {
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
          },
        },
      ],
      errors: ['REQUEST_TIMEOUT'],
    },
  },
}
