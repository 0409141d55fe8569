import type { Family } from '@/lib/contract/chains'

/** Who the browser is to the service. The proof itself is an HttpOnly cookie that the page never sees. */
export type Session = {
  id: string
  kind: 'guest' | 'wallet' | 'account'
  /** The wallet as people read it: EVM with its checksum. */
  address: string | null
  family: Family | null
  /** Dollars. */
  balanceUsd: number
  balanceDiem: number
  /** ISO 8601. */
  expiresAt: string
  /** The money is test money. */
  sandbox: boolean
}
