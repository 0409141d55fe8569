import type { Family } from '@/lib/contract/chains'

/** What the page's `GET /api/wallet` answers. Dollars are JSON numbers, times ISO 8601. */
export type WalletSummary = {
  wallet: { kind: 'guest' | 'wallet' | 'account'; address: string | null; family: Family | null }
  balance: {
    /** What was paid in or given, and may be spent. */
    usd: number
    /** Left of today's credit of staked tokens; spent first. */
    diem: number
    /** Set aside by requests that run now; not part of the other two. */
    held: number
    /** Enough to begin a request that costs something. */
    canConsume: boolean
  }
  /** `null` where staking gives no credit. */
  allowance: {
    /** Staked tokens, which is dollars a day; `null` while the chain cannot be asked. */
    staked: number | null
    /** Given for today. */
    granted: number
    left: number
    refreshesAt: string
  } | null
  usage: {
    /** Of the last 20 answers that cost something; `null` when there was none. */
    averageCost: number | null
    /** How many more of those the balance pays for; `null` when there was none. */
    answersLeft: number | null
    /** Since 00:00 UTC. */
    spentToday: { usd: number; diem: number }
  }
  /** The newest 20 payments; those under way come first. */
  topUps: TopUpSummary[]
}

export type TopUpSummary = {
  paymentId: string
  state: 'received' | 'settling' | 'unknown' | 'confirming' | 'credited' | 'failed' | 'reversed'
  /** CAIP-2. */
  network: string
  amount: number
  /** On its chain, as soon as it is known. */
  transaction: string | null
  /** Why it failed, in a facilitator's or chain's code. */
  reason: string | null
  createdAt: string
}

/** What usage is sorted into. */
export type UsageKind = 'chat' | 'embeddings' | 'images' | 'audio' | 'video' | 'rpc' | 'web' | 'other'

/** One model, key or kind of usage over the days of a summary. Dollars and daily credit are JSON numbers. */
export type UsageSeries = {
  /** A kind, a model's id or what was bought beside one, a key's id; empty for usage outside keys. */
  id: string
  /** A model's or key's name; a kind has none. */
  name: string
  usd: number
  diem: number
  /** Both together for each of the days, in their order. */
  daily: number[]
}

/** What the page's `GET /api/usage` answers: charges of whole UTC days. The sums are the ledger's. */
export type UsageSummary = {
  /** YYYY-MM-DD, in order. */
  days: string[]
  totals: { usd: number; diem: number; requests: number }
  /** Since the first of this UTC month. */
  month: { usd: number; diem: number }
  /** Dollars a day over the last seven. */
  pace: number
  by: Record<'kind' | 'model' | 'key', UsageSeries[]>
}
