import { z } from 'zod'
import { MAX_KEY_DESCRIPTION_CHARS, MAX_KEY_LIMIT_USD } from '@/lib/contract/limits'
import { type Usd, usd } from '@/lib/contract/money'

const DATE = /^(?:\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d{3})?Z)?)?$/
const IS_NO_DATE = 'must be YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ'
const DATE_CHARACTERS = 10

const vcu = z.number().min(0).max(MAX_KEY_LIMIT_USD).nullish()
const amount = z.number().min(0).max(MAX_KEY_LIMIT_USD)
// Largest amount of the ledger, in whole dollars: no higher limit can be reached.
const LARGEST = usd('9223372036')

function exact(dollars: number): Usd {
  const amount = usd(dollars.toFixed(9))
  return amount < LARGEST ? amount : LARGEST
}

// Of a new key: an absent or `null` member means no limit.
const given = amount.nullish().transform((dollars): Usd | null => (typeof dollars === 'number' ? exact(dollars) : null))
// Of a changed key: `null` removes a limit, an absent member stays.
const changed = amount
  .nullish()
  .transform((dollars): Usd | null | undefined => (typeof dollars === 'number' ? exact(dollars) : dollars))

const DIEM = 'Amount in DIEM, the daily credit from staked tokens.'

const limitFields = <Amount extends z.ZodType>(amount: Amount) => ({
  usd: amount.describe('Amount in US dollars, bundled credits included.'),
  diem: amount.describe(DIEM),
  vcu: vcu.describe('Legacy currency, no longer used.'),
})
const NewLimit = z.strictObject(limitFields(given)).transform(({ usd, diem }) => ({ usd, diem }))
const ChangedLimit = z.strictObject(limitFields(changed)).transform(({ usd, diem }) => ({ usd, diem }))
const LIMIT = 'Spending limit of the key per period. `null` means no limit.'

const ExpiresAt = z
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

// Rejects dates that JavaScript moves, such as February 30 to March 2.
const isThatDay = (at: Date, text: string): boolean =>
  !Number.isNaN(at.getTime()) && at.toISOString().slice(0, DATE_CHARACTERS) === text.slice(0, DATE_CHARACTERS)

const apiKeyType = z
  .enum(['ADMIN', 'INFERENCE'])
  .describe('Type of the key. `INFERENCE` calls models and networks; `ADMIN` also manages keys and reads billing.')
const DESCRIPTION = 'Description of the key, for your own reference.'
const description = z.string().max(MAX_KEY_DESCRIPTION_CHARS).describe(DESCRIPTION)
const limitPeriod = z
  .enum(['EPOCH', 'MONTH', 'LIFETIME'])
  .describe('Period of the spending limit: a UTC day, a UTC month, or the lifetime of the key.')
const modelPrivacy = z
  .enum(['ALL', 'PRIVATE_TEXT', 'PRIVATE_ONLY'])
  .describe(
    'Allowed models. `PRIVATE_TEXT` restricts text and embeddings to private models, `PRIVATE_ONLY` restricts everything.',
  )

const newKey = {
  apiKeyType,
  description,
  consumptionLimit: NewLimit.optional().describe(LIMIT),
  limitPeriod: limitPeriod.optional(),
  modelPrivacy: modelPrivacy.optional(),
  expiresAt: ExpiresAt.optional().describe('Expiration as a UTC date or time in the future. Empty for no expiration.'),
}

// Source for this file: API contract, api-keys.md.
export const CreateKeyBody = z
  .strictObject(newKey)
  .transform(({ apiKeyType, consumptionLimit, ...body }) => ({ ...body, type: apiKeyType, limits: consumptionLimit }))

export const UpdateKeyBody = z
  .strictObject({
    id: z.string().describe('ID of the key to update.'),
    description: description.optional(),
    consumptionLimit: ChangedLimit.optional().describe(LIMIT),
    limitPeriod: limitPeriod.optional(),
    modelPrivacy: modelPrivacy.optional(),
    expiresAt: ExpiresAt.nullable()
      .optional()
      .describe('Expiration as a UTC date or time in the future. Empty or `null` for no expiration.'),
  })
  .transform(({ consumptionLimit, ...body }) => ({ ...body, limits: consumptionLimit }))

export const DeleteKeyBody = z.strictObject({ id: z.string().describe('ID of the key to revoke.') })

// Maximum length of a contract wallet's signature; a token has about 300 characters.
const MAX_SIGNATURE_CHARACTERS = 32_768

export const Web3KeyBody = z
  .strictObject({
    address: z.string().describe('Address of the wallet with staked tokens.'),
    signature: z.string().max(MAX_SIGNATURE_CHARACTERS).describe('Signature of the token by the wallet.'),
    token: z.string().describe('Token from `GET /api_keys/generate_web3_key`.'),
    ...newKey,
    description: description.default('Web3 API Key'),
  })
  .transform(({ apiKeyType, consumptionLimit, ...body }) => ({ ...body, type: apiKeyType, limits: consumptionLimit }))

const dollars = z.number().min(0)
const sum = z.string().regex(/^-?\d+\.\d{4}$/)
const moment = z.iso.datetime()

const limits = z.object({
  usd: dollars.nullable().describe('Amount in US dollars.'),
  diem: dollars.nullable().describe(DIEM),
  vcu: z.null().describe('Legacy currency, no longer used.'),
})
const common = {
  id: z.uuid().describe('ID of the key. It is not the secret.'),
  apiKeyType,
  description: z.string().describe(DESCRIPTION),
  limitPeriod,
  modelPrivacy,
  expiresAt: moment.nullable().describe('Expiration time; `null` for no expiration.'),
}

export const ApiKeyRecord = z.object({
  ...common,
  consumptionLimits: limits.describe('Spending limits per period.'),
  createdAt: moment.describe('Creation time.'),
  lastUsedAt: moment.nullable().describe('Time of the last use.'),
  last6Chars: z.string().describe('Last six characters of the secret, to recognize the key.'),
})
export const ApiKeyWithUsage = ApiKeyRecord.extend({
  usage: z
    .object({
      trailingSevenDays: z
        .object({
          usd: sum.describe('Amount in US dollars.'),
          diem: sum.describe(DIEM),
          vcu: sum.describe('Legacy currency, no longer used.'),
        })
        .describe('Spending in the last seven days.'),
    })
    .describe('Spending of the key.'),
  currentPeriodUsage: z
    .object({
      usd: sum.describe('Amount in US dollars.'),
      diem: sum.describe(DIEM),
    })
    .optional()
    .describe('Spending in the current period of the limit, if the key has one.'),
})

export const NewApiKey = z.object({
  ...common,
  apiKey: z.string().describe('Secret of the key. It is returned only once.'),
  consumptionLimit: limits.describe('Spending limits per period.'),
})

export const ApiKeyList = z.object({
  object: z.literal('list'),
  data: z.array(ApiKeyWithUsage).describe('Active keys, newest first.'),
})
export const ApiKeyReply = z.object({ data: ApiKeyWithUsage.describe('API key.') })
export const ApiKeyCreated = z.object({ success: z.literal(true), data: NewApiKey.describe('API key.') })
export const ApiKeyUpdated = z.object({
  success: z.literal(true),
  data: ApiKeyRecord.describe('API key.'),
})
export const ApiKeyRevoked = z.object({ success: z.literal(true) })
export const Web3KeyToken = z.object({
  success: z.literal(true),
  data: z.object({ token: z.string().describe('Token to sign unchanged and send back.') }).describe('Data to sign.'),
})

export const RateLimits = z.object({
  data: z
    .object({
      accessPermitted: z.boolean().describe('`true` if the key can spend.'),
      apiTier: z
        .object({
          id: z.string().describe('ID of the tier.'),
          isCharged: z.boolean().describe('`true` if requests are charged.'),
        })
        .describe('Tier of the account.'),
      balances: z
        .object({
          USD: dollars.describe('Balance in US dollars.'),
          DIEM: dollars.describe('Balance in DIEM, the daily credit from staked tokens.'),
          BUNDLED_CREDITS: dollars.optional().describe('Balance of bundled credits, granted for free.'),
        })
        .describe('Balances of the account.'),
      keyExpiration: moment.nullable().describe('Expiration time of the key.'),
      nextEpochBegins: moment.describe('Start of the next UTC day.'),
      rateLimits: z
        .array(
          z.object({
            apiModelId: z.string().describe('Model ID.'),
            rateLimits: z
              .array(
                z.object({
                  type: z
                    .enum(['RPM', 'RPD', 'TPM'])
                    .describe(
                      'Type of the limit: requests per minute (`RPM`), requests per day (`RPD`) or tokens per minute (`TPM`).',
                    ),
                  amount: z.number().describe('Value of the limit.'),
                }),
              )
              .describe('Rate limits of the model.'),
          }),
        )
        .describe('Rate limits by model.'),
    })
    .describe('Current permissions, balances and limits of the key.'),
})

export const RateLimitLog = z.object({
  object: z.literal('list'),
  data: z
    .array(
      z.object({
        apiKeyId: z.string().nullable().describe('ID of the key; `null` for the web app.'),
        modelId: z.string().describe('ID of the model, or the route.'),
        rateLimitTier: z.string().describe('Tier of the limit.'),
        rateLimitType: z.enum(['RPM', 'RPD', 'TPM', 'FAILED_REQUESTS']).describe('Type of the limit.'),
        timestamp: moment.describe('Time of the rejection.'),
      }),
    )
    .describe('Last 50 rejections, newest first.'),
})

export type ApiKeyRecord = z.output<typeof ApiKeyRecord>
export type ApiKeyWithUsage = z.output<typeof ApiKeyWithUsage>
export type NewApiKey = z.output<typeof NewApiKey>
export type ApiKeyList = z.output<typeof ApiKeyList>
export type ApiKeyCreated = z.output<typeof ApiKeyCreated>
export type RateLimits = z.output<typeof RateLimits>
export type RateLimitLog = z.output<typeof RateLimitLog>
