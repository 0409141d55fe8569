import { formatMoney, formatUnitless, moneyOf } from '@/lib/browser/format/cost'
import type { Session } from '@/lib/browser/session'
import type { UsageSummary } from '@/lib/contract/billing'
import { plural, t } from '@/lib/i18n/t'

const MOST_DAYS = 999

/** What was spent this month, what is left, and how long that lasts at this pace. */
export function Figures({ summary, session }: { summary: UsageSummary; session: Session }) {
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
      <Figure name={t('Balance')} value={formatMoney(moneyOf(session.balanceUsd))} note={paceWords(days)} />
    </dl>
  )
}

function paceWords(days: number | undefined): string {
  if (days === undefined) return ''
  if (days > MOST_DAYS) return t('years at this pace')
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
