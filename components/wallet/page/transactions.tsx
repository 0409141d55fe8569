'use client'

import { infiniteQueryOptions, queryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { Lines, Nothing, RetryLine, Section, When } from '@/components/ui/section'
import { API_ROOT, errorOf, fetchJson } from '@/lib/browser/api'
import { formatEntry, moneyOf } from '@/lib/browser/format/cost'
import { modelsQuery, WALLET_KEY } from '@/lib/browser/queries'
import type { TopUpSummary, WalletSummary } from '@/lib/contract/billing'
import type { BrowserSession } from '@/lib/contract/session'
import type { WalletTransactions } from '@/lib/contract/x402.schema'
import { t } from '@/lib/i18n/t'

export function Transactions({ address }: { address: string }) {
  const pages = useInfiniteQuery(transactionsQuery(address))
  const names = useModelNames()
  const rows = pages.data?.pages.flatMap(({ transactions }) => transactions) ?? []
  return (
    <Section
      title={t('Billing history')}
      aside={
        rows.length > 0 && (
          <a
            href={TRANSACTIONS_CSV}
            download
            className="inline-flex min-h-9 items-center rounded-control px-2 text-13 text-accent underline underline-offset-4 hover:no-underline pointer-coarse:min-h-11"
          >
            CSV
          </a>
        )
      }
    >
      {pages.isPending && <Lines count={5} query={pages} />}
      {pages.isError && rows.length === 0 && (
        <RetryLine text={t('The history could not be loaded.')} onRetry={() => void pages.refetch()} />
      )}
      {pages.isSuccess && rows.length === 0 && <Nothing>{t('Charges and top-ups appear here.')}</Nothing>}
      {rows.length > 0 && (
        <>
          <Table rows={rows} names={names} />
          <Cards rows={rows} names={names} />
        </>
      )}
      {pages.hasNextPage && (
        <Button className="mt-4" disabled={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
          {pages.isFetchingNextPage ? t('Loading…') : t('Show more')}
        </Button>
      )}
      {pages.isFetchNextPageError && <p className="mt-2 text-13 text-danger">{t('Could not load more. Try again.')}</p>}
    </Section>
  )
}

type RowsProps = { rows: Transaction[]; names: Map<string, string> }

function Table({ rows, names }: RowsProps) {
  return (
    <table className="w-full border-collapse text-14 max-md:hidden">
      <thead className="text-start text-12 text-ink-3">
        <tr>
          <Head>{t('Date')}</Head>
          <Head>{t('Description')}</Head>
          <Head isEnd>{t('Amount ($)')}</Head>
          <Head isEnd>{t('Balance ($)')}</Head>
          <Head isEnd>{t('Request')}</Head>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id} className="h-10 border-t border-line">
            <td className="py-0 pe-4 text-13 text-ink-3 tabular-nums">
              <When at={row.createdAt} />
            </td>
            <td className="max-w-40 truncate py-0 pe-4" title={row.description ?? row.modelId ?? undefined}>
              {whatOf(row, names)}
            </td>
            <td className={`py-0 text-end font-mono text-13 tabular-nums ${toneOf(row)}`}>
              <bdi dir="ltr">{formatEntry(moneyOf(row.amount), true)}</bdi>
            </td>
            <td className="py-0 ps-4 text-end font-mono text-13 text-ink-2 tabular-nums">
              <bdi dir="ltr">{formatEntry(moneyOf(row.balanceAfter))}</bdi>
            </td>
            <td className="py-0 ps-4">
              <RequestOf row={row} className="justify-end" />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Head({ children, isEnd = false }: { children: string; isEnd?: boolean }) {
  return (
    <th scope="col" className={`pb-2 font-medium ${isEnd ? 'ps-4 text-end' : 'pe-4 text-start'}`}>
      {children}
    </th>
  )
}

function Cards({ rows, names }: RowsProps) {
  return (
    <ul className="divide-y divide-line text-14 md:hidden">
      {rows.map((row) => (
        <li key={row.id} className="py-2.5">
          <div className="flex items-baseline justify-between gap-4">
            <span className="truncate">{whatOf(row, names)}</span>
            <span className={`font-mono tabular-nums ${toneOf(row)}`}>
              <bdi dir="ltr">{formatEntry(moneyOf(row.amount), true)}</bdi>
            </span>
          </div>
          <div className="flex items-center justify-between gap-4 text-13 text-ink-3 tabular-nums">
            <When at={row.createdAt} />
            <span className="font-mono text-12">
              {t('{balance} left', { balance: formatEntry(moneyOf(row.balanceAfter)) })}
            </span>
          </div>
          <RequestOf row={row} className="-ms-1" />
        </li>
      ))}
    </ul>
  )
}

const MAX_SHOWN_CHARS = 14

function RequestOf({ row, className }: { row: Transaction; className: string }) {
  if (!row.requestId) return null
  return (
    <span className={`flex items-center ps-1 font-mono text-12 text-ink-3 ${className}`}>
      <span title={row.requestId}>{row.requestId.slice(0, MAX_SHOWN_CHARS)}…</span>
      <CopyButton text={row.requestId} label={t('Copy request ID')} />
    </span>
  )
}

function whatOf({ type, modelId, description, amount }: Transaction, names: Map<string, string>): string {
  if (type === 'CHARGE') return description ?? (modelId ? (names.get(modelId) ?? modelId) : t('Charge'))
  if (type === 'REFUND') return t('Refund')
  return amount < 0 ? t('Reversal') : t('Credit added')
}

const toneOf = ({ amount }: Transaction) => (amount < 0 ? 'text-ink' : 'text-brass')

function useModelNames(): Map<string, string> {
  const models = useQuery(modelsQuery())
  return new Map(models.data?.map(({ id, name }) => [id, name]))
}

const FRESH_MS = 15_000
const PAGE_SIZE = 25

type Transaction = WalletTransactions['data']['transactions'][number]

export const walletQuery = (sessionId: string) =>
  queryOptions({
    queryKey: [...WALLET_KEY, 'summary', sessionId],
    queryFn: ({ signal }) => fetchJson<WalletSummary>('/api/wallet', { signal }),
    staleTime: FRESH_MS,
  })

const transactionsQuery = (address: string) =>
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

const TRANSACTIONS_CSV = '/api/wallet/transactions.csv'

export const isPending = ({ state }: TopUpSummary): boolean =>
  state === 'received' || state === 'settling' || state === 'unknown' || state === 'confirming'
