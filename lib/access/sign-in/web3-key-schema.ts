import { z } from 'zod'
import { type ApiKey, MAX_DESCRIPTION_CHARACTERS } from '@/lib/access/api-keys'
import { type Usd, usd, usdNumber } from '@/lib/core/money'

/** Dollars. Source: API contract, api-keys.md. */
const MAX_LIMIT = 9_999_999_999
const DATE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d{3})?Z)?$/
/** A signature of a contract wallet may be long; a token has about 300 characters. */
const MAX_SIGNATURE_CHARACTERS = 32_768

const limit = z
  .number()
  .min(0)
  .max(MAX_LIMIT)
  .nullish()
  // Finer than a nano-dollar is cut: no key can spend less than that.
  .transform((amount): Usd | null => (typeof amount === 'number' ? usd(amount.toFixed(9)) : null))

const ConsumptionLimit = z
  // `vcu` is an old name that holds nothing any more; the answer says that it has no limit.
  .strictObject({ usd: limit, diem: limit, vcu: z.number().min(0).max(MAX_LIMIT).nullish() })
  .transform(({ usd, diem }) => ({ usd, diem }))

const ExpiresAt = z.string().transform((text, context): Date | null => {
  if (text === '') return null
  const at = new Date(text)
  if (!DATE.test(text) || Number.isNaN(at.getTime())) {
    context.addIssue({ code: 'custom', message: 'must be YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ' })
    return z.NEVER
  }
  if (at.getTime() <= Date.now()) {
    context.addIssue({ code: 'custom', message: 'must be in the future' })
    return z.NEVER
  }
  return at
})

/** The body of `POST /api_keys/generate_web3_key`: closed. Source: API contract, api-keys.md. */
export const Web3KeyBody = z
  .strictObject({
    address: z.string(),
    signature: z.string().max(MAX_SIGNATURE_CHARACTERS),
    token: z.string(),
    apiKeyType: z.enum(['ADMIN', 'INFERENCE']),
    description: z.string().max(MAX_DESCRIPTION_CHARACTERS).default('Web3 API Key'),
    consumptionLimit: ConsumptionLimit.optional(),
    limitPeriod: z.enum(['EPOCH', 'MONTH', 'LIFETIME']).optional(),
    modelPrivacy: z.enum(['ALL', 'PRIVATE_TEXT', 'PRIVATE_ONLY']).optional(),
    expiresAt: ExpiresAt.optional(),
  })
  .transform(({ apiKeyType, consumptionLimit, ...body }) => ({ ...body, type: apiKeyType, limits: consumptionLimit }))

/** A key that was just made, as `POST /api_keys` answers it: the only time that its secret is shown. */
export function renderNewKey(key: ApiKey & { secret: string }) {
  const { id, secret, type, description, limits, limitPeriod, modelPrivacy, expiresAt } = key
  const dollars = (amount: Usd | null) => (amount === null ? null : usdNumber(amount))
  return {
    id,
    apiKey: secret,
    apiKeyType: type,
    description,
    consumptionLimit: { usd: dollars(limits.usd), diem: dollars(limits.diem), vcu: null },
    limitPeriod,
    modelPrivacy,
    expiresAt: expiresAt?.toISOString() ?? null,
  }
}
