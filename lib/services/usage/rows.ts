import 'server-only'
import type { Currency } from '@/lib/services/ledger/hold'
import type { UsageLine } from '@/lib/services/usage/line'
import { LINES, readReport } from '@/lib/services/usage/read'

/** Which lines: times ISO 8601, `start` included, `end` not. */
export type UsageFilter = { currency?: string; start?: string; end?: string }

/** After which line to go on. */
export type Place = { at: string; txn: string; part: number }

const FIRST: Place = { at: '-infinity', txn: '00000000-0000-0000-0000-000000000000', part: 0 }

const LINE_COLUMNS = `
  u.txn_id as txn, l.n::int as part, to_char(u.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at,
  to_char(u.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as timestamp, l.line ->> 'sku' as sku,
  l.line ->> 'units' as units, l.line ->> 'price' as price, l.line ->> 'amount' as amount, u.currency,
  u.request_id as "requestId", u.prompt_tokens as "promptTokens", u.completion_tokens as "completionTokens",
  u.duration_ms as "durationMs"`

/** What the filter leaves: parameters 1 to 4. The time bounds are always there, so that the index is walked between them. */
const FILTERED = `
  u.account_id = $1 and u.at >= coalesce($2::text::timestamptz, '-infinity') and u.at < coalesce($3::text::timestamptz, 'infinity')
  and ($4::text is null or u.currency = $4)`

/** Each charge has one line or more, so as many charges as lines are asked for are enough, and the one begun before. */
const WALK = `
  select ${LINE_COLUMNS}
  from (
    select u.* from usage_record u
    where ${FILTERED} and (u.at, u.txn_id) >= ($5::text::timestamptz, $6::uuid)
    order by u.at, u.txn_id limit $8::int + 1
  ) u
  cross join lateral jsonb_array_elements(${LINES}) with ordinality as l(line, n)
  where u.txn_id <> $6::uuid or l.n > $7::int
  order by u.at, u.txn_id, l.n limit $8::int`

/** Up to `count` lines in the order of time, from behind `after` on. */
export async function walkUsage(
  accountId: string,
  { currency, start, end }: UsageFilter,
  count: number,
  after: Place = FIRST,
): Promise<UsageLine[]> {
  const { at, txn, part } = after
  const filter = [accountId, start ?? null, end ?? null, currency ?? null]
  return (await readReport<Row>(WALK, [...filter, at, txn, part, count])).map(lineOf)
}

type PageRequest = { limit: number; page: number; sortOrder: 'asc' | 'desc' }

/** One page of lines by its number, and how many there are in all. */
export async function pageUsage(
  accountId: string,
  { currency, start, end }: UsageFilter,
  { limit, page, sortOrder }: PageRequest,
): Promise<{ lines: UsageLine[]; total: number }> {
  const filter = [accountId, start ?? null, end ?? null, currency ?? null]
  const offset = (page - 1) * limit
  const [sum] = await readReport<{ total: string }>(
    `select coalesce(sum(greatest(jsonb_array_length(u.lines), 1)), 0)::text as total
     from usage_record u where ${FILTERED}`,
    filter,
  )
  const total = Number(sum?.total ?? 0)
  if (offset >= total) return { lines: [], total }
  const rows = await readReport<Row>(
    `select ${LINE_COLUMNS}
     from (
       select u.* from usage_record u where ${FILTERED}
       order by u.at ${sortOrder}, u.txn_id ${sortOrder} limit $5::bigint + $6::bigint
     ) u
     cross join lateral jsonb_array_elements(${LINES}) with ordinality as l(line, n)
     order by u.at ${sortOrder}, u.txn_id ${sortOrder}, l.n ${sortOrder} limit $5 offset $6`,
    [...filter, limit, offset],
  )
  return { lines: rows.map(lineOf), total }
}

type Row = Omit<UsageLine, 'units' | 'price' | 'amount' | 'currency'> & {
  units: string
  price: string
  amount: string
  currency: Currency
}

const lineOf = ({ units, price, amount, ...row }: Row): UsageLine => ({
  ...row,
  units: BigInt(units),
  price: BigInt(price),
  amount: BigInt(amount),
})
