import { z } from 'zod'

const count = z.int().min(0)
const currency = z.enum(['DIEM', 'BUNDLED_CREDITS', 'USD'])

export const Balance = z.object({
  canConsume: z.boolean(),
  consumptionCurrency: currency.nullable(),
  balances: z.object({ diem: z.number().nullable(), usd: z.number().nullable() }),
  diemEpochAllocation: z.number(),
})

/** A line of the ledger, as `lib/services/usage/rows.ts` writes it. Source: API contract, billing.md "Ledger entry". */
const UsageEntry = z.object({
  timestamp: z.iso.datetime(),
  sku: z.string(),
  units: z.number(),
  pricePerUnitUsd: z.number(),
  amount: z.number(),
  currency,
  notes: z.enum(['API Inference', 'Crypto RPC']),
  inferenceDetails: z.object({
    requestId: z.string(),
    promptTokens: count.nullable(),
    completionTokens: count.nullable(),
    inferenceExecutionTime: z.number().nullable(),
  }),
})

export const UsagePage = z.object({
  warningMessage: z.string(),
  data: z.array(UsageEntry),
  pagination: z.object({ limit: count, page: count, total: count, totalPages: count }),
})

export const UsageHistory = z.object({ data: z.array(UsageEntry), nextCursor: z.string().nullable() })

const spend = { totalUsd: z.number(), totalDiem: z.number() }
/** The days and the names of the columns; `date` is milliseconds. */
const Daily = z.array(z.object({ date: z.number() }).catchall(z.number()))

/** As `lib/services/usage/analytics.ts` tells it. */
export const UsageAnalytics = z.object({
  lookback: z.string(),
  byDate: z.array(z.object({ date: z.iso.date(), USD: z.number(), DIEM: z.number() })),
  byModel: z.array(
    z.object({
      modelName: z.string(),
      // The contract has the first five; JSON-RPC counts credits, and searches are counted one by one.
      unitType: z.enum(['tokens', 'images', 'chars', 'minutes', 'seconds', 'credits', 'requests']),
      modelType: z.enum(['LLM', 'IMAGE', 'TTS', 'ASR', 'VIDEO']).nullable(),
      ...spend,
      totalUnits: z.number(),
      breakdown: z
        .array(
          z.object({
            type: z.enum(['Input', 'Output', 'Cache Read', 'Cache Write']),
            usd: z.number(),
            diem: z.number(),
            units: z.number(),
          }),
        )
        .optional(),
    }),
  ),
  byModelDaily: Daily,
  topModels: z.array(z.string()),
  byKey: z.array(
    z.object({ apiKeyId: z.string().nullable(), description: z.string(), ...spend, totalUnits: z.number() }),
  ),
  byKeyDaily: Daily,
  topKeyNames: z.array(z.string()),
})
