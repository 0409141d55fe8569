'use client'

import { useState } from 'react'
import { Disclosure } from '@/components/ui/disclosure'
import { Head } from '@/components/ui/section'
import { dayText, type ShownSeries, sum } from '@/components/usage/chart'
import { decimalsOf, formatExactDiem, formatExactDollars, moneyOf } from '@/lib/browser/format/cost'
import type { UsageSummary } from '@/lib/contract/billing'
import { formatNumber, t } from '@/lib/i18n/t'

type SharesProps = { heading: string; series: ShownSeries[]; totals: UsageSummary['totals'] }

export function Shares({ heading, series, totals }: SharesProps) {
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

export function DaysTable(props: DaysTableProps) {
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
