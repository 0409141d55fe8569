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

const given = amount.nullish().transform((dollars): Usd | null => (typeof dollars === 'number' ? exact(dollars) : null))
const changed = amount
  .nullish()
  .transform((dollars): Usd | null | undefined => (typeof dollars === 'number' ? exact(dollars) : dollars))

// Limits of a new key: an absent or `null` member means no limit.
const ConsumptionLimit = z
  .strictObject({
    usd: given.meta({ description: 'Amount in US dollars, bundled credits included.' }),
    diem: given.meta({ description: 'Amount in DIEM, the daily credit from staked tokens.' }),
    vcu: vcu.meta({ description: 'Legacy currency, no longer used.' }),
  })
  .transform(({ usd, diem }) => ({ usd, diem }))

// Changed limits: `null` removes one, an absent member stays.
const ConsumptionLimitChange = z
  .strictObject({
    usd: changed.meta({ description: 'Amount in US dollars, bundled credits included.' }),
    diem: changed.meta({ description: 'Amount in DIEM, the daily credit from staked tokens.' }),
    vcu: vcu.meta({ description: 'Legacy currency, no longer used.' }),
  })
  .transform(({ usd, diem }) => ({ usd, diem }))

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

const description = z.string().max(MAX_KEY_DESCRIPTION_CHARS)
const limitPeriod = z.enum(['EPOCH', 'MONTH', 'LIFETIME'])
const modelPrivacy = z.enum(['ALL', 'PRIVATE_TEXT', 'PRIVATE_ONLY'])

// Source for this file: API contract, api-keys.md.
export const CreateKeyBody = z
  .strictObject({
    apiKeyType: z.enum(['ADMIN', 'INFERENCE']).meta({
      description:
        'Type of the key. `INFERENCE` calls models and networks; `ADMIN` also manages keys and reads billing.',
    }),
    description: description.meta({ description: 'Description of the key, for your own reference.' }),
    consumptionLimit: ConsumptionLimit.optional().meta({
      description: 'Spending limit of the key per period. `null` means no limit.',
    }),
    limitPeriod: limitPeriod
      .optional()
      .meta({ description: 'Period of the spending limit: a UTC day, a UTC month, or the lifetime of the key.' }),
    modelPrivacy: modelPrivacy.optional().meta({
      description:
        'Allowed models. `PRIVATE_TEXT` restricts text and embeddings to private models, `PRIVATE_ONLY` restricts everything.',
    }),
    expiresAt: ExpiresAt.optional().meta({
      description: 'Expiration as a UTC date or time in the future. Empty for no expiration.',
    }),
  })
  .transform(({ apiKeyType, consumptionLimit, ...body }) => ({ ...body, type: apiKeyType, limits: consumptionLimit }))

export const UpdateKeyBody = z
  .strictObject({
    id: z.string().meta({ description: 'ID of the key to update.' }),
    description: description.optional().meta({ description: 'Description of the key, for your own reference.' }),
    consumptionLimit: ConsumptionLimitChange.optional().meta({
      description: 'Spending limit of the key per period. `null` means no limit.',
    }),
    limitPeriod: limitPeriod
      .optional()
      .meta({ description: 'Period of the spending limit: a UTC day, a UTC month, or the lifetime of the key.' }),
    modelPrivacy: modelPrivacy.optional().meta({
      description:
        'Allowed models. `PRIVATE_TEXT` restricts text and embeddings to private models, `PRIVATE_ONLY` restricts everything.',
    }),
    expiresAt: ExpiresAt.nullable()
      .optional()
      .meta({ description: 'Expiration as a UTC date or time in the future. Empty or `null` for no expiration.' }),
  })
  .transform(({ consumptionLimit, ...body }) => ({ ...body, limits: consumptionLimit }))

export const DeleteKeyBody = z.strictObject({ id: z.string().meta({ description: 'ID of the key to revoke.' }) })

// Maximum length of a contract wallet's signature; a token has about 300 characters.
const MAX_SIGNATURE_CHARACTERS = 32_768

export const Web3KeyBody = z
  .strictObject({
    address: z.string().meta({ description: 'Address of the wallet with staked tokens.' }),
    signature: z.string().max(MAX_SIGNATURE_CHARACTERS).meta({ description: 'Signature of the token by the wallet.' }),
    token: z.string().meta({ description: 'Token from `GET /api_keys/generate_web3_key`.' }),
    apiKeyType: z.enum(['ADMIN', 'INFERENCE']).meta({
      description:
        'Type of the key. `INFERENCE` calls models and networks; `ADMIN` also manages keys and reads billing.',
    }),
    description: z
      .string()
      .max(MAX_KEY_DESCRIPTION_CHARS)
      .default('Web3 API Key')
      .meta({ description: 'Description of the key, for your own reference.' }),
    consumptionLimit: ConsumptionLimit.optional().meta({
      description: 'Spending limit of the key per period. `null` means no limit.',
    }),
    limitPeriod: z
      .enum(['EPOCH', 'MONTH', 'LIFETIME'])
      .optional()
      .meta({ description: 'Period of the spending limit: a UTC day, a UTC month, or the lifetime of the key.' }),
    modelPrivacy: z.enum(['ALL', 'PRIVATE_TEXT', 'PRIVATE_ONLY']).optional().meta({
      description:
        'Allowed models. `PRIVATE_TEXT` restricts text and embeddings to private models, `PRIVATE_ONLY` restricts everything.',
    }),
    expiresAt: ExpiresAt.optional().meta({
      description: 'Expiration as a UTC date or time in the future. Empty for no expiration.',
    }),
  })
  .transform(({ apiKeyType, consumptionLimit, ...body }) => ({ ...body, type: apiKeyType, limits: consumptionLimit }))

const dollars = z.number().min(0)
const sum = z.string().regex(/^-?\d+\.\d{4}$/)
const moment = z.iso.datetime()

const limits = z.object({
  usd: dollars.nullable().meta({ description: 'Amount in US dollars.' }),
  diem: dollars.nullable().meta({ description: 'Amount in DIEM, the daily credit from staked tokens.' }),
  vcu: z.null().meta({ description: 'Legacy currency, no longer used.' }),
})
const common = {
  id: z.uuid().meta({ description: 'ID of the key. It is not the secret.' }),
  apiKeyType: z.enum(['ADMIN', 'INFERENCE']).meta({
    description: 'Type of the key. `INFERENCE` calls models and networks; `ADMIN` also manages keys and reads billing.',
  }),
  description: z.string().meta({ description: 'Description of the key, for your own reference.' }),
  limitPeriod: z
    .enum(['EPOCH', 'MONTH', 'LIFETIME'])
    .meta({ description: 'Period of the spending limit: a UTC day, a UTC month, or the lifetime of the key.' }),
  modelPrivacy: z.enum(['ALL', 'PRIVATE_TEXT', 'PRIVATE_ONLY']).meta({
    description:
      'Allowed models. `PRIVATE_TEXT` restricts text and embeddings to private models, `PRIVATE_ONLY` restricts everything.',
  }),
  expiresAt: moment.nullable().meta({ description: 'Expiration time; `null` for no expiration.' }),
}

export const ApiKeyRecord = z.object({
  ...common,
  consumptionLimits: limits.meta({ description: 'Spending limits per period.' }),
  createdAt: moment.meta({ description: 'Creation time.' }),
  lastUsedAt: moment.nullable().meta({ description: 'Time of the last use.' }),
  last6Chars: z.string().meta({ description: 'Last six characters of the secret, to recognize the key.' }),
})
export const ApiKeyWithUsage = ApiKeyRecord.extend({
  usage: z
    .object({
      trailingSevenDays: z
        .object({
          usd: sum.meta({ description: 'Amount in US dollars.' }),
          diem: sum.meta({ description: 'Amount in DIEM, the daily credit from staked tokens.' }),
          vcu: sum.meta({ description: 'Legacy currency, no longer used.' }),
        })
        .meta({ description: 'Spending in the last seven days.' }),
    })
    .meta({ description: 'Spending of the key.' }),
  currentPeriodUsage: z
    .object({
      usd: sum.meta({ description: 'Amount in US dollars.' }),
      diem: sum.meta({ description: 'Amount in DIEM, the daily credit from staked tokens.' }),
    })
    .optional()
    .meta({ description: 'Spending in the current period of the limit, if the key has one.' }),
})

export const NewApiKey = z.object({
  ...common,
  apiKey: z.string().meta({ description: 'Secret of the key. It is returned only once.' }),
  consumptionLimit: limits.meta({ description: 'Spending limits per period.' }),
})

export const ApiKeyList = z.object({
  object: z.literal('list'),
  data: z.array(ApiKeyWithUsage).meta({ description: 'Active keys, newest first.' }),
})
export const ApiKeyReply = z.object({ data: ApiKeyWithUsage.meta({ description: 'API key.' }) })
export const ApiKeyCreated = z.object({ success: z.literal(true), data: NewApiKey.meta({ description: 'API key.' }) })
export const ApiKeyUpdated = z.object({
  success: z.literal(true),
  data: ApiKeyRecord.meta({ description: 'API key.' }),
})
export const ApiKeyRevoked = z.object({ success: z.literal(true) })
export const Web3KeyToken = z.object({
  success: z.literal(true),
  data: z
    .object({ token: z.string().meta({ description: 'Token to sign unchanged and send back.' }) })
    .meta({ description: 'Data to sign.' }),
})

export const RateLimits = z.object({
  data: z
    .object({
      accessPermitted: z.boolean().meta({ description: '`true` if the key can spend.' }),
      apiTier: z
        .object({
          id: z.string().meta({ description: 'ID of the tier.' }),
          isCharged: z.boolean().meta({ description: '`true` if requests are charged.' }),
        })
        .meta({ description: 'Tier of the account.' }),
      balances: z
        .object({
          USD: dollars.meta({ description: 'Balance in US dollars.' }),
          DIEM: dollars.meta({ description: 'Balance in DIEM, the daily credit from staked tokens.' }),
          BUNDLED_CREDITS: dollars.optional().meta({ description: 'Balance of bundled credits, granted for free.' }),
        })
        .meta({ description: 'Balances of the account.' }),
      keyExpiration: moment.nullable().meta({ description: 'Expiration time of the key.' }),
      nextEpochBegins: moment.meta({ description: 'Start of the next UTC day.' }),
      rateLimits: z
        .array(
          z.object({
            apiModelId: z.string().meta({ description: 'Model ID.' }),
            rateLimits: z
              .array(
                z.object({
                  type: z.enum(['RPM', 'RPD', 'TPM']).meta({
                    description:
                      'Type of the limit: requests per minute (`RPM`), requests per day (`RPD`) or tokens per minute (`TPM`).',
                  }),
                  amount: z.number().meta({ description: 'Value of the limit.' }),
                }),
              )
              .meta({ description: 'Rate limits of the model.' }),
          }),
        )
        .meta({ description: 'Rate limits by model.' }),
    })
    .meta({ description: 'Current permissions, balances and limits of the key.' }),
})

export const RateLimitLog = z.object({
  object: z.literal('list'),
  data: z
    .array(
      z.object({
        apiKeyId: z.string().nullable().meta({ description: 'ID of the key; `null` for the web app.' }),
        modelId: z.string().meta({ description: 'ID of the model, or the route.' }),
        rateLimitTier: z.string().meta({ description: 'Tier of the limit.' }),
        rateLimitType: z.enum(['RPM', 'RPD', 'TPM', 'FAILED_REQUESTS']).meta({ description: 'Type of the limit.' }),
        timestamp: moment.meta({ description: 'Time of the rejection.' }),
      }),
    )
    .meta({ description: 'Last 50 rejections, newest first.' }),
})

export type ApiKeyRecord = z.output<typeof ApiKeyRecord>
export type ApiKeyWithUsage = z.output<typeof ApiKeyWithUsage>
export type NewApiKey = z.output<typeof NewApiKey>
export type ApiKeyList = z.output<typeof ApiKeyList>
export type ApiKeyCreated = z.output<typeof ApiKeyCreated>
export type RateLimits = z.output<typeof RateLimits>
export type RateLimitLog = z.output<typeof RateLimitLog>
