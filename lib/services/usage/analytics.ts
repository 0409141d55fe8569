import 'server-only'
import { DAY_MS, type Days, dayAfter, listDays, type UsageSeries, type UsageSummary } from '@/lib/contract/billing'
import { nano, type Usd, usdNumber, ZERO } from '@/lib/contract/money'
import { getDb } from '@/lib/db/client'
import { BoundedCache } from '@/lib/kernel/expiring-maps'
import { perProcess } from '@/lib/kernel/per-process'
import { catalogue } from '@/lib/services/models/catalogue'
import { LINES, readReport, tooMuch } from '@/lib/services/usage/rows'
import { kindOf, PARTS, partOf, unitOf, wireTypeOf } from '@/lib/services/usage/units'

const CACHE_MS = 600_000
const MAX_CACHED = 1_000
const TOP = 8

export type UsageAnalytics = Awaited<ReturnType<typeof analyse>>

/**
 * Returns the analytics of some days, cached for ten minutes. Source: API contract, billing.md "GET
 * /billing/usage-analytics".
 */
export async function usageAnalytics(accountId: string, days: Days, label: string): Promise<UsageAnalytics> {
  const cache = perProcess('usage-analytics', () => new BoundedCache<string, UsageAnalytics>(MAX_CACHED, CACHE_MS))
  const key = `${accountId} ${label} ${days.last}`
  const known = cache.get(key, performance.now())
  if (known) return known
  const made = await analyse(accountId, days, label)
  cache.set(key, made, performance.now())
  return made
}

async function analyse(accountId: string, days: Days, lookback: string) {
  const groups = await usageGroups(accountId, days)
  const keyNames = await nameKeys(accountId, groups)
  const dates = listDays(days)
  const nameOfKey = ({ keyId }: UsageGroup) => (keyId === null ? WITHOUT_KEY : (keyNames.get(keyId) ?? keyId))
  const nameOfSubject = (group: UsageGroup) => nameOfModel(subjectOf(group))
  const models = bySpend(groups, subjectOf)
  const keys = bySpend(groups, ({ keyId }) => keyId ?? '')
  const topModels = topNames(groups, nameOfSubject)
  const topKeyNames = topNames(groups, nameOfKey)
  return {
    lookback,
    byDate: datesOf(groups, dates),
    byModel: models.map(([, own]) => ({ modelName: nameOfSubject(own[0]!), ...modelRow(own) })),
    byModelDaily: daily(groups, dates, topModels, nameOfSubject),
    topModels,
    byKey: keys.map(([, own]) => ({
      apiKeyId: own[0]!.keyId,
      description: nameOfKey(own[0]!),
      ...spendOf(own),
      totalUnits: unitsOf(own),
    })),
    byKeyDaily: daily(groups, dates, topKeyNames, nameOfKey),
    topKeyNames,
  }
}

function datesOf(groups: UsageGroup[], dates: string[]) {
  const days = Map.groupBy(groups, ({ day }) => day)
  return dates.map((date) => {
    const { totalUsd, totalDiem } = spendOf(days.get(date) ?? [])
    return { date, USD: totalUsd, DIEM: totalDiem }
  })
}

function modelRow(own: UsageGroup[]) {
  const [unitType, ofUnit] = bySpend(own, ({ sku }) => unitOf(sku))[0]!
  const isOwn = subjectOf(own[0]!) === own[0]!.modelId
  const breakdown = PARTS.flatMap((type) => {
    const part = ofUnit.filter(({ sku }) => partOf(sku) === type)
    const { totalUsd, totalDiem } = spendOf(part)
    return part.length === 0 ? [] : [{ type, usd: totalUsd, diem: totalDiem, units: unitsOf(part) }]
  })
  return {
    unitType,
    modelType: isOwn ? wireTypeOf(own[0]!.modelType) : null,
    ...spendOf(own),
    totalUnits: unitsOf(ofUnit),
    ...(breakdown.length > 1 && { breakdown }),
  }
}

function daily(groups: UsageGroup[], dates: string[], names: string[], nameOf: (group: UsageGroup) => string) {
  const days = Map.groupBy(groups, ({ day }) => day)
  return dates.map((date) => {
    const spent = Map.groupBy(days.get(date) ?? [], nameOf)
    // The day stands last: no name may take its place.
    const columns = names.map((name) => [name, usdNumber(amountOf(spent.get(name) ?? []))] as const)
    return { ...Object.fromEntries(columns), date: Date.parse(date) }
  })
}

const topNames = (groups: UsageGroup[], nameOf: (group: UsageGroup) => string): string[] =>
  bySpend(groups, nameOf)
    .slice(0, TOP)
    .map(([name]) => name)

function bySpend<Name extends string>(
  groups: UsageGroup[],
  nameOf: (group: UsageGroup) => Name,
): [Name, UsageGroup[]][] {
  const sorted = [...Map.groupBy(groups, nameOf)].map(([name, own]) => ({ name, own, spent: amountOf(own) }))
  sorted.sort((a, b) => (a.spent === b.spent ? (a.name < b.name ? -1 : 1) : a.spent < b.spent ? 1 : -1))
  return sorted.map(({ name, own }) => [name, own])
}

const amountOf = (groups: UsageGroup[]): Usd => groups.reduce((sum, { amount }) => nano(sum + amount), ZERO)

function spendOf(groups: UsageGroup[]): { totalUsd: number; totalDiem: number } {
  return {
    totalUsd: usdNumber(amountOf(groups.filter(({ isDiem }) => !isDiem))),
    totalDiem: usdNumber(amountOf(groups.filter(({ isDiem }) => isDiem))),
  }
}

const unitsOf = (groups: UsageGroup[]): number => Number(groups.reduce((sum, { units }) => sum + units, 0n))

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

const MAX_GROUPS = 100_000
const PIECE_DAYS = 7
const SETTLED_MS = 3_600_000
const KEEP_MS = DAY_MS
const MAX_CACHED_DAYS = 2_000
const MAX_CACHED_GROUPS = 200

type UsageGroup = {
  day: string
  keyId: string | null
  modelId: string | null
  modelType: string | null
  sku: string
  isDiem: boolean
  units: bigint
  amount: Usd
}

/**
 * Sums every charge of an account in these days exactly. Past days do not change: they are read once and cached, in
 * pieces, so that a large ledger takes longer and does not fail.
 */
async function usageGroups(accountId: string, days: Days, nowMs = Date.now()): Promise<UsageGroup[]> {
  const cache = perProcess('usage-days', () => new BoundedCache<string, UsageGroup[]>(MAX_CACHED_DAYS, KEEP_MS))
  const found = new Map<string, UsageGroup[]>()
  for (const day of listDays(days)) {
    const cached = cache.get(`${accountId} ${day}`, nowMs)
    if (cached) found.set(day, cached)
  }
  for (const piece of piecesOf(listDays(days).filter((day) => !found.has(day)))) {
    const read = Map.groupBy(await readGroups(accountId, piece), ({ day }) => day)
    for (const day of listDays(piece)) {
      const own = read.get(day) ?? []
      found.set(day, own)
      const isOver = Date.parse(day) + DAY_MS + SETTLED_MS < nowMs
      if (isOver && own.length <= MAX_CACHED_GROUPS) cache.set(`${accountId} ${day}`, own, nowMs)
    }
  }
  const groups = [...found.values()].flat()
  if (groups.length > MAX_GROUPS) throw tooMuch()
  return groups
}

type Row = Omit<UsageGroup, 'units' | 'amount'> & { units: string; amount: string }

async function readGroups(accountId: string, { first, last }: Days): Promise<UsageGroup[]> {
  const rows = await readReport<Row>(
    `select to_char(u.at at time zone 'UTC', 'YYYY-MM-DD') as day, u.key_id as "keyId", u.model_id as "modelId",
       u.model_type as "modelType", l.line ->> 'sku' as sku, u.currency = 'DIEM' as "isDiem",
       sum((l.line ->> 'units')::numeric)::text as units, sum((l.line ->> 'amount')::bigint)::text as amount
     from usage_record u cross join lateral jsonb_array_elements(${LINES}) as l(line)
     where u.account_id = $1 and u.at >= $2::text::timestamptz and u.at < $3::text::timestamptz
     group by 1, 2, 3, 4, 5, 6
     limit ${MAX_GROUPS + 1}`,
    [accountId, `${first}T00:00:00Z`, `${dayAfter(last)}T00:00:00Z`],
  )
  if (rows.length > MAX_GROUPS) throw tooMuch()
  return rows.map(({ units, amount, ...row }) => ({ ...row, units: BigInt(units), amount: nano(BigInt(amount)) }))
}

function piecesOf(days: string[]): Days[] {
  const pieces: Days[] = []
  let length = 0
  for (const day of days) {
    const piece = pieces.at(-1)
    length += 1
    if (piece && dayAfter(piece.last) === day && length <= PIECE_DAYS) piece.last = day
    else {
      pieces.push({ first: day, last: day })
      length = 1
    }
  }
  return pieces
}

/** Source: API contract, billing.md "GET /billing/usage-analytics". */
const WITHOUT_KEY = 'Web App'

const subjectOf = ({ modelId, sku }: Pick<UsageGroup, 'modelId' | 'sku'>): string =>
  modelId !== null && (sku === modelId || sku.startsWith(`${modelId}-`)) ? modelId : sku

const nameOfModel = (id: string): string => catalogue().byId.get(id)?.name ?? id

async function nameKeys(accountId: string, groups: UsageGroup[]): Promise<Map<string, string>> {
  const ids = [...new Set(groups.flatMap(({ keyId }) => (keyId === null ? [] : [keyId])))]
  if (ids.length === 0) return new Map()
  const { query } = await getDb()
  const rows = await query<{ id: string; description: string; last6: string }>(
    'select id, description, last6 from api_key where account_id = $1 and id = any($2::uuid[])',
    [accountId, ids],
  )
  return new Map(rows.map(({ id, description, last6 }) => [id, description === '' ? `…${last6}` : description]))
}
