import type { Family } from '@/lib/contract/chains'

// Session as the web app sees it; its proof is an HttpOnly cookie.
export type Session = {
  id: string
  kind: 'guest' | 'wallet' | 'account'
  address: string | null
  family: Family | null
  balanceUsd: number
  balanceDiem: number
  expiresAt: string
  sandbox: boolean
}

export type Service = {
  sandbox: boolean
  wallets: 'test' | 'any'
  guests: boolean
  rails: Family[]
  staking: boolean
  version: string
  operator: { name: string | null; url: string | null }
  sourceUrl: string | null
}

/** The model of a new installation while it is prepared. `fraction` is of the step, 0 to 1; a download has its bytes. */
export type ModelPreparation = {
  model: string
  step: 'preparing' | 'downloading' | 'verifying' | 'loading'
  fraction: number
  bytes?: number
  totalBytes?: number
}

export type SessionReply = { session: Session | null; service: Service; preparation: ModelPreparation | null }

export type BrowserSession = {
  id: string
  kind: string
  browser: string
  createdAt: string
  expiresAt: string
  isCurrent: boolean
}
