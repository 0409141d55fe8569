'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { AccountPage, NeedsWallet } from '@/components/common/account-page'
import { Disclosure } from '@/components/ui/disclosure'
import { RangePicker, Segment } from '@/components/ui/range-picker'
import { Head, Nothing, RetryLine } from '@/components/ui/section'
import { Chart, chartSeries, dayText, type ShownSeries, type Sorting, sum } from '@/components/usage/chart'
import { type UsageRange, usageCsv, usageQuery } from '@/lib/browser/account-data'
import { failureOf } from '@/lib/browser/failure'
import {
  decimalsOf,
  formatExactDiem,
  formatExactDollars,
  formatMoney,
  formatUnitless,
  moneyOf,
} from '@/lib/browser/format/cost'
import type { UsageSummary } from '@/lib/contract/billing'
import type { Session } from '@/lib/contract/session'
import { formatNumber, msg, plural, t } from '@/lib/i18n/t'

const DEFAULT_DAYS = 30

export function UsagePage() {
  return (
    <AccountPage
      title={t('Usage')}
      width="max-w-220"
      loading={({ isPaused }) => <PageSkeleton isPaused={isPaused} />}
      failed={t('Your usage could not be loaded.')}
      signedOut={
        <NeedsWallet
          title={t('See what you spent')}
          text={t('Sign in to see your spending by day, model and key. Signing in is free.')}
        />
      }
    >
      {(session) => <Usage session={session} />}
    </AccountPage>
  )
}

function Usage({ session }: { session: Session }) {
  const [range, setRange] = useState<UsageRange>({ lookback: DEFAULT_DAYS })
  // What was shown stays until the new days are there.
  const usage = useQuery({ ...usageQuery(session.id, range), placeholderData: keepPreviousData })
  return (
    <>
      {usage.data && <Figures summary={usage.data} session={session} />}
      <div className={usage.data ? 'mt-8' : ''}>
        <RangePicker range={range} onChange={setRange} />
      </div>
      {usage.isPending && <PageSkeleton isPaused={usage.isPaused} />}
      {usage.isError && (
        <div className="mt-6">
          <RetryLine
            text={t('Your usage could not be loaded. {why}', { why: failureOf(usage.error).message })}
            onRetry={() => void usage.refetch()}
          />
        </div>
      )}
      {usage.data && !usage.isError && (
        <div
          aria-busy={usage.isPlaceholderData}
          className={usage.isPlaceholderData && !usage.isPaused ? 'opacity-60' : ''}
        >
          {usage.isPlaceholderData && usage.isPaused && (
            <div className="mt-6">
              <Nothing>{t('You’re offline. This section loads when you are back online.')}</Nothing>
            </div>
          )}
          {usage.data.totals.requests === 0 ? <Empty /> : <Spent summary={usage.data} range={range} />}
        </div>
      )}
    </>
  )
}

const Empty = () => (
  <div className="mt-8 border-t border-line pt-6">
    <Nothing>{t('No charges in this period. Free and failed requests aren’t shown.')}</Nothing>
  </div>
)

const SORTINGS: readonly { id: Sorting; name: string; heading: string }[] = [
  { id: 'kind', name: msg('By type'), heading: msg('Type') },
  { id: 'model', name: msg('By model'), heading: msg('Model') },
  { id: 'key', name: msg('By key'), heading: msg('Key') },
]

function Spent({ summary, range }: { summary: UsageSummary; range: UsageRange }) {
  const [sorting, setSorting] = useState<Sorting>('kind')
  const series = chartSeries(summary, sorting)
  const heading = SORTINGS.find(({ id }) => id === sorting)?.heading ?? ''
  return (
    <section aria-label={t('Spending')} className="mt-6">
      <div className="mb-4 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <fieldset className="inline-flex rounded-control border border-line bg-surface p-0.5">
          <legend className="sr-only">{t('Group by')}</legend>
          {SORTINGS.map(({ id, name }) => (
            <Segment key={id} isChosen={sorting === id} onChoose={() => setSorting(id)}>
              {t(name)}
            </Segment>
          ))}
        </fieldset>
        <p className="flex items-center gap-3 text-13 text-ink-3 tabular-nums">
          {plural(summary.totals.requests, { one: '{count} charge', other: '{count} charges' })}
          <a
            href={usageCsv(range)}
            download
            className="inline-flex min-h-9 items-center rounded-control px-1 text-accent underline underline-offset-4 hover:no-underline pointer-coarse:min-h-11"
          >
            CSV
          </a>
        </p>
      </div>
      <Chart days={summary.days} series={series} />
      <DaysTable days={summary.days} series={series} />
      <Shares heading={t(heading)} series={series} totals={summary.totals} />
    </section>
  )
}

function PageSkeleton({ isPaused }: { isPaused: boolean }) {
  if (isPaused) return <Nothing>{t('You’re offline. This section loads when you are back online.')}</Nothing>
  return (
    <div aria-hidden="true" className="mt-6 space-y-4">
      <div className="skeleton h-8 w-56" />
      <div className="skeleton h-48 w-full rounded-card" />
      <div className="skeleton h-4 w-full" />
      <div className="skeleton h-4 w-4/5" />
    </div>
  )
}

const MAX_DAYS = 999

function Figures({ summary, session }: { summary: UsageSummary; session: Session }) {
  const { month, pace } = summary
  const left = session.balanceUsd + session.balanceDiem
  const days = pace > 0 ? Math.floor(left / pace) : undefined
  return (
    <dl className="grid grid-cols-2 gap-x-8 gap-y-5 sm:flex sm:flex-wrap">
      <Figure
        name={t('This month')}
        value={formatMoney(moneyOf(month.usd))}
        note={month.diem > 0 ? t('and {amount} DIEM', { amount: formatUnitless(moneyOf(month.diem)) }) : ''}
      />
      <Figure name={t('Balance')} value={formatMoney(moneyOf(session.balanceUsd))} note={paceText(days)} />
    </dl>
  )
}

function paceText(days: number | undefined): string {
  if (days === undefined) return ''
  if (days > MAX_DAYS) return t('years at this pace')
  return plural(days, { one: 'about {count} day at this pace', other: 'about {count} days at this pace' })
}

function Figure({ name, value, note }: { name: string; value: string; note: string }) {
  return (
    <div className="min-w-36">
      <dt className="text-13 font-medium text-ink-2">{name}</dt>
      <dd className="mt-1 font-mono text-24 tracking-[-0.01em] text-brass tabular-nums">
        <bdi dir="ltr">{value}</bdi>
      </dd>
      <dd className="mt-0.5 min-h-4.5 text-13 text-ink-3 tabular-nums">{note}</dd>
    </div>
  )
}

type SharesProps = { heading: string; series: ShownSeries[]; totals: UsageSummary['totals'] }

function Shares({ heading, series, totals }: SharesProps) {
  const hasDiem = totals.diem > 0
  const all = totals.usd + totals.diem
  const decimals = decimalsOf([...series.flatMap(({ usd, diem }) => [usd, diem]), totals.usd, totals.diem].map(moneyOf))
  return (
    <table className="mt-6 w-full border-collapse text-14">
      <caption className="sr-only">{t('Spending in this period')}</caption>
      <thead className="text-12 text-ink-3">
        <tr>
          <Head>{heading}</Head>
          <Head isEnd>{t('Share')}</Head>
          <Head isEnd>{t('Dollars')}</Head>
          {hasDiem && <Head isEnd>DIEM</Head>}
        </tr>
      </thead>
      <tbody>
        {series.map(({ id, title, look, usd, diem }) => (
          <tr key={id} className="border-t border-line">
            <th scope="row" className="py-2 pe-3 text-start font-normal wrap-anywhere">
              <span aria-hidden="true" className={`me-2 inline-block size-2.5 rounded-[3px] bg-current ${look}`} />
              {title}
            </th>
            <td className="py-2 ps-3 text-end text-13 text-ink-3 tabular-nums">{percent((usd + diem) / all)}</td>
            <Money amount={usd} decimals={decimals} />
            {hasDiem && <Money amount={diem} decimals={decimals} isDiem />}
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr className="border-t border-control">
          <th scope="row" className="py-2 pe-3 text-start font-medium">
            {t('Total')}
          </th>
          <td />
          <Money amount={totals.usd} decimals={decimals} isSum />
          {hasDiem && <Money amount={totals.diem} decimals={decimals} isDiem isSum />}
        </tr>
      </tfoot>
    </table>
  )
}

type DaysTableProps = { days: string[]; series: ShownSeries[] }

function DaysTable(props: DaysTableProps) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <div className="mt-3">
      <Disclosure
        label={t('Daily breakdown')}
        isOpen={isOpen}
        onToggle={() => setIsOpen(!isOpen)}
        className="min-h-9 text-13 text-ink-2"
      >
        <Days {...props} />
      </Disclosure>
    </div>
  )
}

function Days({ days, series }: DaysTableProps) {
  const rows = days.map((day, index) => ({ day, amounts: series.map(({ daily }) => daily[index] ?? 0) })).reverse()
  const decimals = decimalsOf(
    [...rows.map(({ amounts }) => sum(amounts)), ...rows.flatMap(({ amounts }) => amounts)].map(moneyOf),
  )
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that is wider than the page is moved with the arrow keys
      tabIndex={0}
      aria-label={t('Daily breakdown')}
      className="thin-scroll max-h-96 overflow-auto rounded-card border border-line"
    >
      <table className="w-full border-collapse text-13 tabular-nums">
        <thead className="sticky top-0 bg-surface text-12 text-ink-3">
          <tr>
            <th scope="col" className="px-3 py-2 text-start font-medium">
              {t('Day (UTC)')}
            </th>
            {series.map((one) => (
              <th key={one.id} scope="col" className="px-3 py-2 text-end font-medium">
                {one.title}
              </th>
            ))}
            <th scope="col" className="px-3 py-2 text-end font-medium">
              {t('Total')}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ day, amounts }) => (
            <tr key={day} className="border-t border-line">
              <th scope="row" className="px-3 py-1.5 text-start font-normal whitespace-nowrap">
                {dayText(day)}
              </th>
              {amounts.map((amount, index) => (
                <td key={series[index]?.id} className="px-3 py-1.5 text-end font-mono text-ink-2">
                  {amount === 0 ? '–' : formatExactDollars(amount, decimals)}
                </td>
              ))}
              <td className="px-3 py-1.5 text-end font-mono">{formatExactDollars(sum(amounts), decimals)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

type MoneyProps = { amount: number; decimals: number; isDiem?: boolean; isSum?: boolean }

const Money = ({ amount, decimals, isDiem = false, isSum = false }: MoneyProps) => (
  <td className={`py-2 ps-3 text-end font-mono text-13 tabular-nums ${isSum ? 'font-medium text-brass' : ''}`}>
    <bdi dir="ltr">{isDiem ? formatExactDiem(amount, decimals) : formatExactDollars(amount, decimals)}</bdi>
  </td>
)

const percent = (share: number): string =>
  formatNumber(share, { style: 'percent', maximumFractionDigits: share < 0.01 ? 2 : 0 })
