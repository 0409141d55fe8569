import { z } from 'zod'
import { ConsumptionLimit, ConsumptionLimitChange, ExpiresAt } from '@/lib/contract/key-fields.schema'
import { MAX_KEY_DESCRIPTION_CHARS } from '@/lib/contract/limits'
import { formatUsd, type Usd, usdNumber, ZERO } from '@/lib/contract/money'
import type { ApiKey } from '@/lib/services/identity/api-keys'
import type { KeyUse } from '@/lib/services/identity/key-usage'

/** Decimals of the sums in `usage`. Source: API contract, api-keys.md. */
const SUM_DECIMALS = 4

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

/** A key without what it used, as `PATCH /api_keys` answers it. */
export function renderKey(key: ApiKey) {
  return {
    id: key.id,
    apiKeyType: key.type,
    description: key.description,
    consumptionLimits: { usd: dollars(key.limits.usd), diem: dollars(key.limits.diem), vcu: null },
    limitPeriod: key.limitPeriod,
    modelPrivacy: key.modelPrivacy,
    createdAt: key.createdAt.toISOString(),
    expiresAt: key.expiresAt?.toISOString() ?? null,
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
    last6Chars: key.last6,
  }
}

/** A key with what it used, as `GET /api_keys` and `GET /api_keys/{id}` answer it. */
export function renderKeyWithUsage(key: ApiKey, use: KeyUse | undefined) {
  const isLimited = key.limits.usd !== null || key.limits.diem !== null
  const sum = (amount: Usd | undefined) => formatUsd(amount ?? ZERO, SUM_DECIMALS)
  return {
    ...renderKey(key),
    usage: {
      trailingSevenDays: { usd: sum(use?.trailing.usd), diem: sum(use?.trailing.diem), vcu: sum(ZERO) },
    },
    ...(isLimited && { currentPeriodUsage: { usd: sum(use?.period.usd), diem: sum(use?.period.diem) } }),
  }
}

/** A key that was just made, as `POST /api_keys` answers it: the only time that its secret is shown. */
export function renderNewKey(key: ApiKey & { secret: string }) {
  const { id, secret, type, description, limits, limitPeriod, modelPrivacy, expiresAt } = key
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

const dollars = (amount: Usd | null): number | null => (amount === null ? null : usdNumber(amount))
