import { queryOptions } from '@tanstack/react-query'
import { API_ROOT, errorOf, fetchJson, postJson } from '@/lib/browser/api'
import type { UsageSummary } from '@/lib/contract/billing'

const FRESH_MS = 15_000
const KEYS_PATH = `${API_ROOT}/api_keys`

export const ACCOUNT_KEY = ['account'] as const

export type KeyType = 'INFERENCE' | 'ADMIN'
export type LimitPeriod = 'EPOCH' | 'MONTH' | 'LIFETIME'
export type ModelPrivacy = 'ALL' | 'PRIVATE_TEXT' | 'PRIVATE_ONLY'

type Limits = { usd: number | null; diem: number | null }

/** A key as its owner sees it: of its secret only the end. Times are ISO 8601. */
export type AccountKey = {
  id: string
  apiKeyType: KeyType
  description: string
  consumptionLimits: Limits
  limitPeriod: LimitPeriod
  modelPrivacy: ModelPrivacy
  createdAt: string
  expiresAt: string | null
  lastUsedAt: string | null
  last6Chars: string
  usage: { trailingSevenDays: { usd: string; diem: string } }
  currentPeriodUsage?: { usd: string; diem: string }
}

export type ApiKeyInput = {
  description: string
  consumptionLimit: Limits
  limitPeriod: LimitPeriod
  modelPrivacy: ModelPrivacy
  /** A UTC date or time; empty: never. Left out, it stays. */
  expiresAt?: string
}

export type RateLimits = {
  accessPermitted: boolean
  nextEpochBegins: string
  rateLimits: { apiModelId: string; rateLimits: { type: 'RPM' | 'RPD' | 'TPM'; amount: number }[] }[]
}

export type RefusedRequest = {
  apiKeyId: string | null
  modelId: string
  rateLimitType: string
  timestamp: string
}

export const keysQuery = (sessionId: string) =>
  queryOptions({
    queryKey: [...ACCOUNT_KEY, sessionId, 'keys'],
    queryFn: async ({ signal }) => (await fetchJson<{ data: AccountKey[] }>(KEYS_PATH, { signal })).data,
    staleTime: FRESH_MS,
  })

export const rateLimitsQuery = (sessionId: string) =>
  queryOptions({
    queryKey: [...ACCOUNT_KEY, sessionId, 'limits'],
    queryFn: async ({ signal }) => (await fetchJson<{ data: RateLimits }>(`${KEYS_PATH}/rate_limits`, { signal })).data,
    staleTime: FRESH_MS,
  })

export const refusalsQuery = (sessionId: string) =>
  queryOptions({
    queryKey: [...ACCOUNT_KEY, sessionId, 'refusals'],
    queryFn: async ({ signal }) =>
      (await fetchJson<{ data: RefusedRequest[] }>(`${KEYS_PATH}/rate_limits/log`, { signal })).data,
    staleTime: FRESH_MS,
  })

/** Whole UTC days: the last so many, or from one to another as YYYY-MM-DD. */
export type UsageRange = { lookback: number } | { from: string; to: string }

export const usageQuery = (sessionId: string, range: UsageRange) =>
  queryOptions({
    queryKey: [...ACCOUNT_KEY, sessionId, 'usage', rangeParameters(range)],
    queryFn: ({ signal }) => fetchJson<UsageSummary>(`/api/usage?${rangeParameters(range)}`, { signal }),
    staleTime: FRESH_MS,
  })

export const usageCsv = (range: UsageRange): string => `/api/usage/usage.csv?${rangeParameters(range)}`

const rangeParameters = (range: UsageRange): string =>
  'from' in range ? `startDate=${range.from}&endDate=${range.to}` : `lookback=${range.lookback}d`

/** Creates a key; its secret is in this reply and nowhere else. @throws ApiError */
export async function createKey(type: KeyType, input: ApiKeyInput): Promise<{ id: string; apiKey: string }> {
  const response = await postJson(KEYS_PATH, { apiKeyType: type, ...input })
  return (await response.json()).data
}

/** @throws ApiError */
export async function changeKey(id: string, input: ApiKeyInput): Promise<void> {
  const response = await fetch(KEYS_PATH, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id, ...input }),
  })
  if (!response.ok) throw await errorOf(response)
}

/** Revokes a key. @throws ApiError */
export async function endKey(id: string): Promise<void> {
  const response = await fetch(`${KEYS_PATH}?id=${encodeURIComponent(id)}`, { method: 'DELETE' })
  if (!response.ok) throw await errorOf(response)
}
