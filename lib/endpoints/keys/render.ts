import 'server-only'
import type { ApiKeyRecord, ApiKeyWithUsage, NewApiKey } from '@/lib/contract/keys.schema'
import { formatUsd, type Usd, usdNumber, ZERO } from '@/lib/contract/money'
import type { ApiKey, KeyUse } from '@/lib/services/identity/api-keys'

/** Decimals of the sums in `usage`. Source: API contract, api-keys.md. */
const SUM_DECIMALS = 4

/** A key without what it used, as `PATCH /api_keys` answers it. */
export function renderKey(key: ApiKey): ApiKeyRecord {
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
export function renderKeyWithUsage(key: ApiKey, use: KeyUse | undefined): ApiKeyWithUsage {
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
export function renderNewKey(key: ApiKey & { secret: string }): NewApiKey {
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
