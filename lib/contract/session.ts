import type { Family } from '@/lib/contract/chains'

/** The session as the page knows it; its proof is an HttpOnly cookie. */
export type Session = {
  id: string
  kind: 'guest' | 'wallet' | 'account'
  address: string | null
  family: Family | null
  balanceUsd: number
  balanceDiem: number
  /** ISO 8601. */
  expiresAt: string
  sandbox: boolean
}

export type Service = {
  sandbox: boolean
  /** `test`: the page offers its built-in wallet only. */
  wallets: 'test' | 'any'
  guests: boolean
  rails: Family[]
  staking: boolean
  version: string
  operator: { name: string | null; url: string | null }
  sourceUrl: string | null
}

/** Reply of the page's `/api/session`. */
export type SessionReply = { session: Session | null; service: Service }

/** An open session of the account, in the reply of the page's `GET /api/sessions`. Times are ISO 8601. */
export type BrowserSession = {
  id: string
  kind: string
  browser: string
  createdAt: string
  expiresAt: string
  isCurrent: boolean
}
