import { z } from 'zod'
import { MAX_KEY_DESCRIPTION_CHARS, MAX_KEY_LIMIT_USD } from '@/lib/contract/limits'
import { type Usd, usd } from '@/lib/contract/money'

const DATE = /^(?:\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d{3})?Z)?)?$/
const IS_NO_DATE = 'must be YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ'
const DATE_CHARACTERS = 10

/** An old name that holds nothing any more; the answer says that it has no limit. */
const vcu = z.number().min(0).max(MAX_KEY_LIMIT_USD).nullish()
const amount = z.number().min(0).max(MAX_KEY_LIMIT_USD)
/** The most that the ledger can count to, in whole dollars. A limit beyond it is never reached, so it may as well be this one. */
const LARGEST = usd('9223372036')

/** Finer than a nano-dollar is cut: no key can spend less than that. */
function exact(dollars: number): Usd {
  const amount = usd(dollars.toFixed(9))
  return amount < LARGEST ? amount : LARGEST
}

const given = amount.nullish().transform((dollars): Usd | null => (typeof dollars === 'number' ? exact(dollars) : null))
const changed = amount
  .nullish()
  .transform((dollars): Usd | null | undefined => (typeof dollars === 'number' ? exact(dollars) : dollars))

/** The limits of a new key: a member that is absent or null is no limit. */
export const ConsumptionLimit = z
  .strictObject({ usd: given, diem: given, vcu })
  .transform(({ usd, diem }) => ({ usd, diem }))

/** Limits that change: null takes one away, an absent member stays. */
export const ConsumptionLimitChange = z
  .strictObject({ usd: changed, diem: changed, vcu })
  .transform(({ usd, diem }) => ({ usd, diem }))

/** When a key ends: UTC, in the future; empty for never. */
export const ExpiresAt = z
  .string()
  .regex(DATE, IS_NO_DATE)
  .transform((text, context): Date | null => {
    if (text === '') return null
    const at = new Date(text)
    if (!isThatDay(at, text)) {
      context.addIssue({ code: 'custom', message: IS_NO_DATE })
      return z.NEVER
    }
    if (at.getTime() <= Date.now()) {
      context.addIssue({ code: 'custom', message: 'must be in the future' })
      return z.NEVER
    }
    return at
  })

/** JavaScript takes the 30th of February for the 2nd of March. */
const isThatDay = (at: Date, text: string): boolean =>
  !Number.isNaN(at.getTime()) && at.toISOString().slice(0, DATE_CHARACTERS) === text.slice(0, DATE_CHARACTERS)

const description = z.string().max(MAX_KEY_DESCRIPTION_CHARS)
const limitPeriod = z.enum(['EPOCH', 'MONTH', 'LIFETIME'])
const modelPrivacy = z.enum(['ALL', 'PRIVATE_TEXT', 'PRIVATE_ONLY'])

/** The body of `POST /api_keys`: closed. */
export const CreateKeyBody = z
  .strictObject({
    apiKeyType: z.enum(['ADMIN', 'INFERENCE']),
    description,
    consumptionLimit: ConsumptionLimit.optional(),
    limitPeriod: limitPeriod.optional(),
    modelPrivacy: modelPrivacy.optional(),
    expiresAt: ExpiresAt.optional(),
  })
  .transform(({ apiKeyType, consumptionLimit, ...body }) => ({ ...body, type: apiKeyType, limits: consumptionLimit }))

/** The body of `PATCH /api_keys`: closed; what is left out stays. */
export const UpdateKeyBody = z
  .strictObject({
    id: z.string(),
    description: description.optional(),
    consumptionLimit: ConsumptionLimitChange.optional(),
    limitPeriod: limitPeriod.optional(),
    modelPrivacy: modelPrivacy.optional(),
    expiresAt: ExpiresAt.nullable().optional(),
  })
  .transform(({ consumptionLimit, ...body }) => ({ ...body, limits: consumptionLimit }))

/** Which key `DELETE /api_keys` ends, where its body says so. */
export const DeleteKeyBody = z.strictObject({ id: z.string() })

/** A signature of a contract wallet may be long; a token has about 300 characters. */
const MAX_SIGNATURE_CHARACTERS = 32_768

/** The body of `POST /api_keys/generate_web3_key`: closed. Source: API contract, api-keys.md. */
export const Web3KeyBody = z
  .strictObject({
    address: z.string(),
    signature: z.string().max(MAX_SIGNATURE_CHARACTERS),
    token: z.string(),
    apiKeyType: z.enum(['ADMIN', 'INFERENCE']),
    description: z.string().max(MAX_KEY_DESCRIPTION_CHARS).default('Web3 API Key'),
    consumptionLimit: ConsumptionLimit.optional(),
    limitPeriod: z.enum(['EPOCH', 'MONTH', 'LIFETIME']).optional(),
    modelPrivacy: z.enum(['ALL', 'PRIVATE_TEXT', 'PRIVATE_ONLY']).optional(),
    expiresAt: ExpiresAt.optional(),
  })
  .transform(({ apiKeyType, consumptionLimit, ...body }) => ({ ...body, type: apiKeyType, limits: consumptionLimit }))

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
