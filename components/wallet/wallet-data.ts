import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { API_ROOT, errorOf, fetchJson } from '@/lib/browser/api'
import { WALLET_KEY } from '@/lib/browser/queries'
import type { TopUpSummary, WalletSummary } from '@/lib/contract/billing'
import type { BrowserSession } from '@/lib/contract/session'
import type { WalletTransactions } from '@/lib/contract/x402.schema'

const FRESH_MS = 15_000
const PAGE_SIZE = 25

export type Transaction = WalletTransactions['data']['transactions'][number]

export const walletQuery = (sessionId: string) =>
  queryOptions({
    queryKey: [...WALLET_KEY, 'summary', sessionId],
    queryFn: ({ signal }) => fetchJson<WalletSummary>('/api/wallet', { signal }),
    staleTime: FRESH_MS,
  })

export const transactionsQuery = (address: string) =>
  infiniteQueryOptions({
    queryKey: [...WALLET_KEY, 'transactions', address],
    queryFn: async ({ pageParam, signal }) => {
      const path = `${API_ROOT}/x402/transactions/${address}?limit=${PAGE_SIZE}&offset=${pageParam}`
      const { data } = await fetchJson<WalletTransactions>(path, { signal })
      return { transactions: data.transactions, next: data.pagination.hasMore ? pageParam + PAGE_SIZE : undefined }
    },
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next,
    staleTime: FRESH_MS,
  })

export const sessionsQuery = (sessionId: string) =>
  queryOptions({
    queryKey: [...WALLET_KEY, 'sessions', sessionId],
    queryFn: async ({ signal }) =>
      (await fetchJson<{ sessions: BrowserSession[] }>('/api/sessions', { signal })).sessions,
    staleTime: FRESH_MS,
  })

export async function revokeSession(id: string): Promise<void> {
  const response = await fetch(`/api/sessions/${encodeURIComponent(id)}`, { method: 'DELETE' })
  if (!response.ok) throw await errorOf(response)
}

export const TRANSACTIONS_CSV = '/api/wallet/transactions.csv'

export const isPending = ({ state }: TopUpSummary): boolean =>
  state === 'received' || state === 'settling' || state === 'unknown' || state === 'confirming'
