import 'server-only'
import { DAY_MS, type Days, dayAfter, listDays } from '@/lib/contract/billing'
import { nano, type Usd } from '@/lib/contract/money'
import { getDb } from '@/lib/db/client'
import { BoundedCache } from '@/lib/kernel/bounded-cache'
import { perProcess } from '@/lib/kernel/per-process'
import { catalogue } from '@/lib/services/models/catalogue'
import { LINES, readReport, tooMuch } from '@/lib/services/usage/rows'

const MAX_GROUPS = 100_000
const PIECE_DAYS = 7
const SETTLED_MS = 3_600_000
const KEEP_MS = DAY_MS
const MAX_CACHED_DAYS = 2_000
const MAX_CACHED_GROUPS = 200

export type UsageGroup = {
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
export async function usageGroups(accountId: string, days: Days, nowMs = Date.now()): Promise<UsageGroup[]> {
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
export const WITHOUT_KEY = 'Web App'

export const subjectOf = ({ modelId, sku }: Pick<UsageGroup, 'modelId' | 'sku'>): string =>
  modelId !== null && (sku === modelId || sku.startsWith(`${modelId}-`)) ? modelId : sku

export const nameOfModel = (id: string): string => catalogue().byId.get(id)?.name ?? id

export async function nameKeys(accountId: string, groups: UsageGroup[]): Promise<Map<string, string>> {
  const ids = [...new Set(groups.flatMap(({ keyId }) => (keyId === null ? [] : [keyId])))]
  if (ids.length === 0) return new Map()
  const { query } = await getDb()
  const rows = await query<{ id: string; description: string; last6: string }>(
    'select id, description, last6 from api_key where account_id = $1 and id = any($2::uuid[])',
    [accountId, ids],
  )
  return new Map(rows.map(({ id, description, last6 }) => [id, description === '' ? `…${last6}` : description]))
}
