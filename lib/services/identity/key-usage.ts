import 'server-only'
import { nano, type Usd } from '@/lib/contract/money'
import { getDb } from '@/lib/db/client'
import { log } from '@/lib/kernel/log'
import { perProcess } from '@/lib/kernel/per-process'

export type KeyUse = { trailing: Sums; period: Sums }
type Sums = { usd: Usd; diem: Usd }

type Row = { id: string; usd: string; diem: string; periodUsd: string; periodDiem: string }

/**
 * Sums what the keys of an account spent. The seven days come from the ledger's entries; the period is what the ledger
 * counts against the key's limits.
 */
export async function keyUses(accountId: string, keyIds: string[]): Promise<Map<string, KeyUse>> {
  if (keyIds.length === 0) return new Map()
  const { query } = await getDb()
  const rows = await query<Row>(
    `with spent as (
       select u.key_id, sum(-e.amount) filter (where e.currency <> 'DIEM') as usd,
         sum(-e.amount) filter (where e.currency = 'DIEM') as diem
       from usage_record u join entry e on e.txn_id = u.txn_id and e.leg = 1
       where u.account_id = $1 and u.at >= now() - interval '7 days' and u.key_id = any($2::uuid[])
       group by u.key_id
     )
     select b.id, coalesce(s.usd, 0)::text as usd, coalesce(s.diem, 0)::text as diem,
       b.spent_usd::text as "periodUsd", b.spent_diem::text as "periodDiem"
     from key_budget b left join spent s on s.key_id = b.id
     where b.id = any($2::uuid[]) and b.account_id = $1`,
    [accountId, keyIds],
  )
  return new Map(
    rows.map(({ id, usd, diem, periodUsd, periodDiem }) => [
      id,
      { trailing: sums(usd, diem), period: sums(periodUsd, periodDiem) },
    ]),
  )
}

export type RemainingLimits = { usd?: bigint; diem?: bigint }

export async function remainingKeyLimits(keyId: string): Promise<RemainingLimits | undefined> {
  const { query } = await getDb()
  const [row] = await query<{ usd: string | null; diem: string | null }>(
    'select left_usd::text as usd, left_diem::text as diem from key_budget where id = $1',
    [keyId],
  )
  if (!row) return undefined
  return {
    ...(row.usd !== null && { usd: BigInt(row.usd) }),
    ...(row.diem !== null && { diem: BigInt(row.diem) }),
  }
}

const sums = (usd: string, diem: string): Sums => ({ usd: nano(BigInt(usd)), diem: nano(BigInt(diem)) })

const WRITE_EVERY_MS = 60_000
const MAX_WAITING = 10_000

type Uses = { waiting: Map<string, number>; timer?: NodeJS.Timeout }

export function noteUse(keyId: string, nowMs = Date.now()): void {
  const uses = state()
  uses.waiting.set(keyId, nowMs)
  if (uses.waiting.size >= MAX_WAITING) void saveLastUsed()
  else if (!uses.timer) uses.timer = setTimeout(saveLastUsed, WRITE_EVERY_MS).unref()
}

export async function saveLastUsed(): Promise<void> {
  const uses = state()
  clearTimeout(uses.timer)
  uses.timer = undefined
  if (uses.waiting.size === 0) return
  const rows = [...uses.waiting].map(([id, atMs]) => ({ id, at: new Date(atMs).toISOString() }))
  uses.waiting.clear()
  try {
    const { query } = await getDb()
    // Keys are locked in the order of their ids, as the ledger does: two batches can then never wait for each other.
    await query(
      `with used as (select * from jsonb_to_recordset($1::jsonb) as u(id uuid, at timestamptz)),
            locked as (select k.id from api_key k where k.id in (select id from used) order by k.id for no key update)
       update api_key k set last_used_at = greatest(k.last_used_at, u.at)
         from used u join locked l on l.id = u.id where k.id = u.id`,
      [JSON.stringify(rows)],
    )
  } catch (error) {
    log().warn({ err: error, keys: rows.length }, 'the last use of some keys could not be saved')
  }
}

const state = (): Uses => perProcess('last-used', () => ({ waiting: new Map() }))
