import type { Family } from '@/lib/contract/chains'

/** Reply of the page's `GET /api/wallet`. Dollars are JSON numbers, times ISO 8601. */
export type WalletSummary = {
  wallet: { kind: 'guest' | 'wallet' | 'account'; address: string | null; family: Family | null }
  balance: {
    /** Spendable credit, paid in or granted. */
    usd: number
    /** Left of today's credit of staked tokens; spent first. */
    diem: number
    /** Set aside by running requests; not part of the other two. */
    held: number
    canConsume: boolean
  }
  /** `null` where staking gives no credit. */
  allowance: {
    /** Staked tokens, which are dollars a day; `null` while the chain cannot be asked. */
    staked: number | null
    granted: number
    left: number
    refreshesAt: string
  } | null
  usage: {
    /** Mean of the last 20 answers that cost something; `null` without one. */
    averageCost: number | null
    answersLeft: number | null
    spentToday: { usd: number; diem: number }
  }
  /** The newest 20 payments; pending ones first. */
  topUps: TopUpSummary[]
}

export type TopUpSummary = {
  paymentId: string
  state: 'received' | 'settling' | 'unknown' | 'confirming' | 'credited' | 'failed' | 'reversed'
  network: string
  amount: number
  transaction: string | null
  /** Why it failed, as a code of a facilitator or chain. */
  reason: string | null
  createdAt: string
}

export type UsageKind = 'chat' | 'embeddings' | 'images' | 'audio' | 'video' | 'rpc' | 'web' | 'other'

/** One model, key or kind of usage over the days of a summary. Dollars and daily credit are JSON numbers. */
export type UsageSeries = {
  /** A kind, a model's id or the SKU beside one, a key's id; empty for usage outside keys. */
  id: string
  name: string
  usd: number
  diem: number
  /** Both currencies together for each day, in order. */
  daily: number[]
}

/** Reply of the page's `GET /api/usage`: charges of whole UTC days, summed by the ledger. */
export type UsageSummary = {
  days: string[]
  totals: { usd: number; diem: number; requests: number }
  month: { usd: number; diem: number }
  /** Dollars a day over the last seven. */
  pace: number
  by: Record<'kind' | 'model' | 'key', UsageSeries[]>
}

/** Reply of the page's `GET /api/charges/{requestId}`: `open` while the request runs or is being settled. */
export type ChargeReply =
  | { state: 'open' }
  | { state: 'settled'; charged: number; modelId?: string; inputTokens?: number; outputTokens?: number }
