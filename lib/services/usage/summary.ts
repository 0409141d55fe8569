import 'server-only'
import type { UsageSeries, UsageSummary } from '@/lib/contract/billing'
import { nano, usdNumber } from '@/lib/contract/money'
import { amountOf, bySpend, spendOf } from '@/lib/services/usage/analytics'
import {
  type Days,
  dayAfter,
  listDays,
  nameKeys,
  nameOfModel,
  subjectOf,
  type UsageGroup,
  usageGroups,
} from '@/lib/services/usage/groups'
import { readReport } from '@/lib/services/usage/read'
import { kindOf } from '@/lib/services/usage/units'

const PACE_DAYS = 7n

export async function usageSummary(accountId: string, days: Days): Promise<UsageSummary> {
  const [groups, figures] = await Promise.all([usageGroups(accountId, days), readFigures(accountId, days)])
  const keyNames = await nameKeys(accountId, groups)
  const dates = listDays(days)
  const series = (idOf: (group: UsageGroup) => string, nameOf: (id: string) => string): UsageSeries[] =>
    bySpend(groups, idOf).map(([id, own]) => {
      const { totalUsd: usd, totalDiem: diem } = spendOf(own)
      return { id, name: nameOf(id), usd, diem, daily: dailyOf(own, dates) }
    })
  const { totalUsd: usd, totalDiem: diem } = spendOf(groups)
  return {
    days: dates,
    totals: { usd, diem, requests: figures.requests },
    month: { usd: dollars(figures.monthUsd), diem: dollars(figures.monthDiem) },
    pace: usdNumber(nano(BigInt(figures.week) / PACE_DAYS)),
    by: {
      kind: series(
        ({ modelId, modelType, sku }) => kindOf(subjectOf({ modelId, sku }) === modelId ? modelType : null, sku),
        () => '',
      ),
      model: series(subjectOf, nameOfModel),
      key: series(
        ({ keyId }) => keyId ?? '',
        (id) => keyNames.get(id) ?? '',
      ),
    },
  }
}

function dailyOf(own: UsageGroup[], dates: string[]): number[] {
  const days = Map.groupBy(own, ({ day }) => day)
  return dates.map((date) => usdNumber(amountOf(days.get(date) ?? [])))
}

type Figures = { requests: number; monthUsd: string; monthDiem: string; week: string }

async function readFigures(accountId: string, { first, last }: Days): Promise<Figures> {
  const rows = await readReport<Figures>(
    `with recent as (
       select u.at, e.currency, -e.amount as amount
       from usage_record u join entry e on e.txn_id = u.txn_id and e.leg = 1
       where u.account_id = $1
         and u.at >= least(date_trunc('month', now() at time zone 'UTC') at time zone 'UTC', now() - interval '7 days')
     ), month as (
       select * from recent where at >= date_trunc('month', now() at time zone 'UTC') at time zone 'UTC'
     )
     select
       (select count(*)::int from usage_record u where u.account_id = $1 and u.at >= $2::text::timestamptz
          and u.at < $3::text::timestamptz) as requests,
       (select coalesce(sum(amount), 0)::text from month where currency <> 'DIEM') as "monthUsd",
       (select coalesce(sum(amount), 0)::text from month where currency = 'DIEM') as "monthDiem",
       (select coalesce(sum(amount), 0)::text from recent where at >= now() - interval '7 days') as week`,
    [accountId, `${first}T00:00:00Z`, `${dayAfter(last)}T00:00:00Z`],
  )
  return rows[0]!
}

const dollars = (amount: string): number => usdNumber(nano(BigInt(amount)))
