import { queryOptions } from '@tanstack/react-query'
import { API_ROOT, fetchJson, postJson, request } from '@/lib/browser/api'
import type { UsageSummary } from '@/lib/contract/billing'
import type {
  ApiKeyCreated,
  ApiKeyList,
  ApiKeyWithUsage,
  NewApiKey,
  RateLimitLog,
  RateLimits,
} from '@/lib/contract/keys.schema'

const FRESH_MS = 15_000
const KEYS_PATH = `${API_ROOT}/api_keys`

export const ACCOUNT_KEY = ['account'] as const

/** A key as its owner sees it: of its secret only the end. */
export type AccountKey = ApiKeyWithUsage

export type ApiKeyInput = {
  description: string
  consumptionLimit: Pick<AccountKey['consumptionLimits'], 'usd' | 'diem'>
  limitPeriod: AccountKey['limitPeriod']
  modelPrivacy: AccountKey['modelPrivacy']
  /** A UTC date or time; empty: never. Left out, it stays. */
  expiresAt?: string
}

export const keysQuery = (sessionId: string) => listQuery<ApiKeyList>(sessionId, 'keys', KEYS_PATH)

export const rateLimitsQuery = (sessionId: string) =>
  listQuery<RateLimits>(sessionId, 'limits', `${KEYS_PATH}/rate_limits`)

export const refusalsQuery = (sessionId: string) =>
  listQuery<RateLimitLog>(sessionId, 'refusals', `${KEYS_PATH}/rate_limits/log`)

const listQuery = <Reply extends { data: unknown }>(sessionId: string, name: string, path: string) =>
  queryOptions({
    queryKey: [...ACCOUNT_KEY, sessionId, name],
    queryFn: async ({ signal }): Promise<Reply['data']> => (await fetchJson<Reply>(path, { signal })).data,
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
export async function createKey(type: AccountKey['apiKeyType'], input: ApiKeyInput): Promise<NewApiKey> {
  const response = await postJson(KEYS_PATH, { apiKeyType: type, ...input })
  return ((await response.json()) as ApiKeyCreated).data
}

export async function changeKey(id: string, input: ApiKeyInput): Promise<void> {
  await request(KEYS_PATH, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id, ...input }),
  })
}

export async function revokeKey(id: string): Promise<void> {
  await request(`${KEYS_PATH}?id=${encodeURIComponent(id)}`, { method: 'DELETE' })
}
