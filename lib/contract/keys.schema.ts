import { z } from 'zod'
import { MAX_KEY_DESCRIPTION_CHARS, MAX_KEY_LIMIT_USD } from '@/lib/contract/limits'
import { type Usd, usd } from '@/lib/contract/money'

const DATE = /^(?:\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d{3})?Z)?)?$/
const IS_NO_DATE = 'must be YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ'
const DATE_CHARACTERS = 10

/** An older currency without effect; the answer says that it has no limit. */
const vcu = z.number().min(0).max(MAX_KEY_LIMIT_USD).nullish()
const amount = z.number().min(0).max(MAX_KEY_LIMIT_USD)
/** The ledger's largest amount, in whole dollars: no limit beyond it can be reached. */
const LARGEST = usd('9223372036')

/** Cuts what is finer than a nano-dollar. */
function exact(dollars: number): Usd {
  const amount = usd(dollars.toFixed(9))
  return amount < LARGEST ? amount : LARGEST
}

const given = amount.nullish().transform((dollars): Usd | null => (typeof dollars === 'number' ? exact(dollars) : null))
const changed = amount
  .nullish()
  .transform((dollars): Usd | null | undefined => (typeof dollars === 'number' ? exact(dollars) : dollars))

/** Limits of a new key: an absent or null member is no limit. */
const ConsumptionLimit = z
  .strictObject({
    usd: given.meta({ description: 'In dollars, bundled credit included.' }),
    diem: given.meta({ description: 'In daily credit of staked tokens.' }),
    vcu: vcu.meta({ description: 'Always `null`: an older currency.' }),
  })
  .transform(({ usd, diem }) => ({ usd, diem }))

/** Changed limits: null removes one, an absent member stays. */
const ConsumptionLimitChange = z
  .strictObject({
    usd: changed.meta({ description: 'In dollars, bundled credit included.' }),
    diem: changed.meta({ description: 'In daily credit of staked tokens.' }),
    vcu: vcu.meta({ description: 'Always `null`: an older currency.' }),
  })
  .transform(({ usd, diem }) => ({ usd, diem }))

/** UTC, in the future; empty for never. */
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

/** JavaScript takes the 30th of February for the 2nd of March. */
const isThatDay = (at: Date, text: string): boolean =>
  !Number.isNaN(at.getTime()) && at.toISOString().slice(0, DATE_CHARACTERS) === text.slice(0, DATE_CHARACTERS)

const description = z.string().max(MAX_KEY_DESCRIPTION_CHARS)
const limitPeriod = z.enum(['EPOCH', 'MONTH', 'LIFETIME'])
const modelPrivacy = z.enum(['ALL', 'PRIVATE_TEXT', 'PRIVATE_ONLY'])

/** Body of `POST /api_keys`. Closed. Source: API contract, api-keys.md, as for all below. */
export const CreateKeyBody = z
  .strictObject({
    apiKeyType: z
      .enum(['ADMIN', 'INFERENCE'])
      .meta({ description: '`INFERENCE` calls models and networks; `ADMIN` also manages keys and reads bills.' }),
    description: description.meta({ description: 'What it is for, for yourself.' }),
    consumptionLimit: ConsumptionLimit.optional().meta({
      description: 'The most that the key may spend in a period. A limit of `null` is none.',
    }),
    limitPeriod: limitPeriod.optional().meta({ description: 'A UTC day, a UTC month, or all time.' }),
    modelPrivacy: modelPrivacy
      .optional()
      .meta({ description: '`PRIVATE_TEXT` keeps text and embeddings to private models, `PRIVATE_ONLY` everything.' }),
    expiresAt: ExpiresAt.optional().meta({ description: 'A UTC date or time in the future; empty for never.' }),
  })
  .transform(({ apiKeyType, consumptionLimit, ...body }) => ({ ...body, type: apiKeyType, limits: consumptionLimit }))

/** Body of `PATCH /api_keys`. Closed; missing fields stay. */
export const UpdateKeyBody = z
  .strictObject({
    id: z.string().meta({ description: 'The key to change.' }),
    description: description.optional().meta({ description: 'What it is for, for yourself.' }),
    consumptionLimit: ConsumptionLimitChange.optional().meta({
      description: 'The most that the key may spend in a period. A limit of `null` is none.',
    }),
    limitPeriod: limitPeriod.optional().meta({ description: 'A UTC day, a UTC month, or all time.' }),
    modelPrivacy: modelPrivacy
      .optional()
      .meta({ description: '`PRIVATE_TEXT` keeps text and embeddings to private models, `PRIVATE_ONLY` everything.' }),
    expiresAt: ExpiresAt.nullable()
      .optional()
      .meta({ description: 'A UTC date or time in the future; empty or `null` for never.' }),
  })
  .transform(({ consumptionLimit, ...body }) => ({ ...body, limits: consumptionLimit }))

export const DeleteKeyBody = z.strictObject({ id: z.string().meta({ description: 'The key to end.' }) })

/** A signature of a contract wallet may be long; a token has about 300 characters. */
const MAX_SIGNATURE_CHARACTERS = 32_768

/** Body of `POST /api_keys/generate_web3_key`. Closed. */
export const Web3KeyBody = z
  .strictObject({
    address: z.string().meta({ description: 'The wallet with staked tokens.' }),
    signature: z.string().max(MAX_SIGNATURE_CHARACTERS).meta({ description: 'Its signature of the token.' }),
    token: z.string().meta({ description: 'What `GET /api_keys/generate_web3_key` answered.' }),
    apiKeyType: z
      .enum(['ADMIN', 'INFERENCE'])
      .meta({ description: '`INFERENCE` calls models and networks; `ADMIN` also manages keys and reads bills.' }),
    description: z
      .string()
      .max(MAX_KEY_DESCRIPTION_CHARS)
      .default('Web3 API Key')
      .meta({ description: 'What it is for, for yourself.' }),
    consumptionLimit: ConsumptionLimit.optional().meta({
      description: 'The most that the key may spend in a period. A limit of `null` is none.',
    }),
    limitPeriod: z
      .enum(['EPOCH', 'MONTH', 'LIFETIME'])
      .optional()
      .meta({ description: 'A UTC day, a UTC month, or all time.' }),
    modelPrivacy: z
      .enum(['ALL', 'PRIVATE_TEXT', 'PRIVATE_ONLY'])
      .optional()
      .meta({ description: '`PRIVATE_TEXT` keeps text and embeddings to private models, `PRIVATE_ONLY` everything.' }),
    expiresAt: ExpiresAt.optional().meta({ description: 'A UTC date or time in the future; empty for never.' }),
  })
  .transform(({ apiKeyType, consumptionLimit, ...body }) => ({ ...body, type: apiKeyType, limits: consumptionLimit }))

const dollars = z.number().min(0)
const sum = z.string().regex(/^-?\d+\.\d{4}$/)
const moment = z.iso.datetime()

const limits = z.object({
  usd: dollars.nullable().meta({ description: 'In dollars.' }),
  diem: dollars.nullable().meta({ description: 'In daily credit of staked tokens.' }),
  vcu: z.null().meta({ description: 'Always `null`: an older currency.' }),
})
const common = {
  id: z.uuid().meta({ description: 'Names the key; it is not the secret.' }),
  apiKeyType: z
    .enum(['ADMIN', 'INFERENCE'])
    .meta({ description: '`INFERENCE` calls models and networks; `ADMIN` also manages keys and reads bills.' }),
  description: z.string().meta({ description: 'What it is for, for yourself.' }),
  limitPeriod: z.enum(['EPOCH', 'MONTH', 'LIFETIME']).meta({ description: 'A UTC day, a UTC month, or all time.' }),
  modelPrivacy: z
    .enum(['ALL', 'PRIVATE_TEXT', 'PRIVATE_ONLY'])
    .meta({ description: '`PRIVATE_TEXT` keeps text and embeddings to private models, `PRIVATE_ONLY` everything.' }),
  expiresAt: moment.nullable().meta({ description: 'When it ends; `null` for never.' }),
}

export const ApiKeyRecord = z.object({
  ...common,
  consumptionLimits: limits.meta({ description: 'The most that it may spend in a period.' }),
  createdAt: moment.meta({ description: 'When it was made.' }),
  lastUsedAt: moment.nullable().meta({ description: 'When it was last used.' }),
  last6Chars: z.string().meta({ description: 'The end of the secret, to know it by.' }),
})
export const ApiKeyWithUsage = ApiKeyRecord.extend({
  usage: z
    .object({
      trailingSevenDays: z
        .object({
          usd: sum.meta({ description: 'In dollars.' }),
          diem: sum.meta({ description: 'In daily credit of staked tokens.' }),
          vcu: sum.meta({ description: 'Always `null`: an older currency.' }),
        })
        .meta({ description: 'In the last seven days.' }),
    })
    .meta({ description: 'What it spent.' }),
  currentPeriodUsage: z
    .object({
      usd: sum.meta({ description: 'In dollars.' }),
      diem: sum.meta({ description: 'In daily credit of staked tokens.' }),
    })
    .optional()
    .meta({ description: 'In the period of its limit, where it has one.' }),
})

export const NewApiKey = z.object({
  ...common,
  apiKey: z.string().meta({ description: 'The secret. It is told here and never again.' }),
  consumptionLimit: limits.meta({ description: 'The most that it may spend in a period.' }),
})

export const ApiKeyList = z.object({
  object: z.literal('list'),
  data: z.array(ApiKeyWithUsage).meta({ description: 'The active keys, newest first.' }),
})
export const ApiKeyReply = z.object({ data: ApiKeyWithUsage.meta({ description: 'The key.' }) })
export const ApiKeyCreated = z.object({ success: z.literal(true), data: NewApiKey.meta({ description: 'The key.' }) })
export const ApiKeyUpdated = z.object({
  success: z.literal(true),
  data: ApiKeyRecord.meta({ description: 'The key.' }),
})
export const ApiKeyRevoked = z.object({ success: z.literal(true) })
export const Web3KeyToken = z.object({
  success: z.literal(true),
  data: z
    .object({ token: z.string().meta({ description: 'Sign it as it stands, and send it back.' }) })
    .meta({ description: 'What to sign.' }),
})

export const RateLimits = z.object({
  data: z
    .object({
      accessPermitted: z.boolean().meta({ description: 'Whether it could spend anything.' }),
      apiTier: z
        .object({
          id: z.string().meta({ description: 'Its name.' }),
          isCharged: z.boolean().meta({ description: 'Whether requests are charged.' }),
        })
        .meta({ description: 'The tier of the account.' }),
      balances: z
        .object({
          USD: dollars.meta({ description: 'In dollars.' }),
          DIEM: dollars.meta({ description: 'In daily credit of staked tokens.' }),
          BUNDLED_CREDITS: dollars.optional().meta({ description: 'In credit that came as a gift.' }),
        })
        .meta({ description: 'What the account has.' }),
      keyExpiration: moment.nullable().meta({ description: 'When the key ends.' }),
      nextEpochBegins: moment.meta({ description: 'When the next UTC day begins.' }),
      rateLimits: z
        .array(
          z.object({
            apiModelId: z.string().meta({ description: 'The model.' }),
            rateLimits: z
              .array(
                z.object({
                  type: z.enum(['RPM', 'RPD', 'TPM']).meta({ description: 'Requests or tokens a minute.' }),
                  amount: z.number().meta({ description: 'How many.' }),
                }),
              )
              .meta({ description: 'Its limits.' }),
          }),
        )
        .meta({ description: 'The limits by model.' }),
    })
    .meta({ description: 'What the key may do now.' }),
})

export const RateLimitLog = z.object({
  object: z.literal('list'),
  data: z
    .array(
      z.object({
        apiKeyId: z.string().nullable().meta({ description: 'The key; `null` for the page.' }),
        modelId: z.string().meta({ description: 'The model or the route.' }),
        rateLimitTier: z.string().meta({ description: 'The tier of the limit.' }),
        rateLimitType: z.enum(['RPM', 'RPD', 'TPM', 'FAILED_REQUESTS']).meta({ description: 'Which limit it was.' }),
        timestamp: moment.meta({ description: 'When.' }),
      }),
    )
    .meta({ description: 'The last 50 refusals, newest first.' }),
})

export type ApiKeyRecord = z.output<typeof ApiKeyRecord>
export type ApiKeyWithUsage = z.output<typeof ApiKeyWithUsage>
export type NewApiKey = z.output<typeof NewApiKey>
export type ApiKeyList = z.output<typeof ApiKeyList>
export type ApiKeyCreated = z.output<typeof ApiKeyCreated>
export type RateLimits = z.output<typeof RateLimits>
export type RateLimitLog = z.output<typeof RateLimitLog>
