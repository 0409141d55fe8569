import 'server-only'
import { nano, type Usd } from '@/lib/contract/money'
import { getDb } from '@/lib/db/client'

/** What one key spent: in the last seven days, and since its limits began anew. USD counts bundled credits too. */
export type KeyUse = { trailing: Sums; period: Sums }
type Sums = { usd: Usd; diem: Usd }

type Row = { id: string; usd: string; diem: string; periodUsd: string; periodDiem: string }

/**
 * What the keys of an account spent. The seven days are sums of the ledger's own entries; the period is what the ledger
 * holds against the key's limits.
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

/** What a key's own limits leave, in nano-dollars; nothing where it has no limit. */
export type KeyRoom = { usd?: bigint; diem?: bigint }

/** @returns nothing when there is no such key. */
export async function keyRoom(keyId: string): Promise<KeyRoom | undefined> {
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
