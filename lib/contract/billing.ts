import type { Family } from '@/lib/contract/chains'

/** Reply of `GET /api/wallet`. Dollars are JSON numbers, times ISO 8601. */
export type WalletSummary = {
  wallet: { kind: 'guest' | 'wallet' | 'account'; address: string | null; family: Family | null }
  balance: {
    usd: number
    // Rest of today's daily credit from staked tokens, which is spent first.
    diem: number
    // Reserved by running requests; not part of `usd` and `diem`.
    held: number
    canConsume: boolean
  }
  allowance: {
    // Staked tokens, which are dollars per day; `null` while the chain does not respond.
    staked: number | null
    granted: number
    left: number
    refreshesAt: string
  } | null
  usage: {
    // Mean of the last 20 answers with a cost; `null` without one.
    averageCost: number | null
    answersLeft: number | null
    spentToday: { usd: number; diem: number }
  }
  topUps: TopUpSummary[]
}

export type TopUpSummary = {
  paymentId: string
  state: 'received' | 'settling' | 'unknown' | 'confirming' | 'credited' | 'failed' | 'reversed'
  network: string
  amount: number
  transaction: string | null
  reason: string | null
  createdAt: string
}

export type UsageKind = 'chat' | 'embeddings' | 'images' | 'audio' | 'video' | 'rpc' | 'web' | 'other'

export type UsageSeries = {
  // Kind of usage, model id, SKU or key id; empty for usage without a key.
  id: string
  name: string
  usd: number
  diem: number
  daily: number[]
}

export type UsageSummary = {
  days: string[]
  totals: { usd: number; diem: number; requests: number }
  month: { usd: number; diem: number }
  // Dollars per day over the last seven days.
  pace: number
  by: Record<'kind' | 'model' | 'key', UsageSeries[]>
}

/** Reply of `GET /api/charges/{requestId}`: `open` while the request runs or is being settled. */
export type ChargeReply =
  | { state: 'open' }
  | { state: 'settled'; charged: number; modelId?: string; inputTokens?: number; outputTokens?: number }

export const DAY_MS = 86_400_000

// Whole UTC days, both included, as YYYY-MM-DD.
export type Days = { first: string; last: string }

export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
export const dayAfter = (day: string): string => dayOf(Date.parse(day) + DAY_MS)

export const lastDays = (count: number, nowMs = Date.now()): Days => ({
  first: dayOf(nowMs - (count - 1) * DAY_MS),
  last: dayOf(nowMs),
})

export function listDays({ first, last }: Days): string[] {
  const days: string[] = []
  for (let at = Date.parse(first); at <= Date.parse(last); at += DAY_MS) days.push(dayOf(at))
  return days
}
