import { z } from 'zod'

const dollars = z.number().min(0)
const sum = z.string().regex(/^-?\d+\.\d{4}$/)
const moment = z.iso.datetime()

const limits = z.object({ usd: dollars.nullable(), diem: dollars.nullable(), vcu: z.null() })
const common = {
  id: z.uuid(),
  apiKeyType: z.enum(['ADMIN', 'INFERENCE']),
  description: z.string(),
  limitPeriod: z.enum(['EPOCH', 'MONTH', 'LIFETIME']),
  modelPrivacy: z.enum(['ALL', 'PRIVATE_TEXT', 'PRIVATE_ONLY']),
  expiresAt: moment.nullable(),
}

/** A key as `renderKey` of `lib/contract/keys.schema.ts` writes it; with usage as `renderKeyWithUsage`. */
const ApiKey = z.object({
  ...common,
  consumptionLimits: limits,
  createdAt: moment,
  lastUsedAt: moment.nullable(),
  last6Chars: z.string(),
})
const ApiKeyWithUsage = ApiKey.extend({
  usage: z.object({ trailingSevenDays: z.object({ usd: sum, diem: sum, vcu: sum }) }),
  currentPeriodUsage: z.object({ usd: sum, diem: sum }).optional(),
})

/** A key that was just made: the only time that its secret is told. */
const NewApiKey = z.object({ ...common, apiKey: z.string(), consumptionLimit: limits })

export const ApiKeyList = z.object({ object: z.literal('list'), data: z.array(ApiKeyWithUsage) })
export const ApiKeyReply = z.object({ data: ApiKeyWithUsage })
export const ApiKeyCreated = z.object({ success: z.literal(true), data: NewApiKey })
export const ApiKeyUpdated = z.object({ success: z.literal(true), data: ApiKey })
export const ApiKeyRevoked = z.object({ success: z.literal(true) })
export const Web3KeyToken = z.object({ success: z.literal(true), data: z.object({ token: z.string() }) })

/** As `lib/endpoints/keys/rate-limits.ts` tells it. Source: API contract, api-keys.md. */
export const RateLimits = z.object({
  data: z.object({
    accessPermitted: z.boolean(),
    apiTier: z.object({ id: z.string(), isCharged: z.boolean() }),
    balances: z.object({ USD: dollars, DIEM: dollars, BUNDLED_CREDITS: dollars.optional() }),
    keyExpiration: moment.nullable(),
    nextEpochBegins: moment,
    rateLimits: z.array(
      z.object({
        apiModelId: z.string(),
        rateLimits: z.array(z.object({ type: z.enum(['RPM', 'RPD', 'TPM']), amount: z.number() })),
      }),
    ),
  }),
})

export const RateLimitLog = z.object({
  object: z.literal('list'),
  data: z.array(
    z.object({
      apiKeyId: z.string().nullable(),
      modelId: z.string(),
      rateLimitTier: z.string(),
      rateLimitType: z.enum(['RPM', 'RPD', 'TPM', 'FAILED_REQUESTS']),
      timestamp: moment,
    }),
  ),
})
