import 'server-only'
import type { Database } from '@/lib/db/client'

const MAX_SWEPT = 10_000

/** Credits by whole hour since 1970. */
export type Hours = Map<number, number>

/**
 * Adds what accounts used, and answers what these and the `asked` ones used in their last 24 hours, in every process. One
 * statement.
 */
export async function exchangeCredits(
  { query }: Database,
  sent: Map<string, Hours>,
  asked: string[],
): Promise<Map<string, Hours>> {
  const added = [...sent].flatMap(([account, hours]) =>
    [...hours].map(([hour, credits]) => ({ account, hour, credits })),
  )
  const rows = await query<{ account: string; hour: number; credits: string }>(EXCHANGE, [
    JSON.stringify(added),
    [...new Set([...sent.keys(), ...asked])],
  ])
  const found = new Map<string, Hours>()
  for (const { account, hour, credits } of rows) {
    const hours = found.get(account) ?? new Map<number, number>()
    found.set(account, hours.set(hour, Number(credits)))
  }
  return found
}

/** Removes hours that count no more. */
export async function sweepCredits({ query }: Database): Promise<void> {
  await query(
    `delete from rpc_credits c using
       (select account_id, hour from rpc_credits where hour < now() - interval '26 hours' limit $1 for update skip locked) old
     where c.account_id = old.account_id and c.hour = old.hour`,
    [MAX_SWEPT],
  )
}

/**
 * In the order of accounts and hours: statements of several processes then never wait for each other in a circle. What a
 * wrong clock wrote into the future counts for nothing.
 */
const EXCHANGE = `
  with added as (
    insert into rpc_credits as c (account_id, hour, credits)
    select a.account, to_timestamp(a.hour * 3600.0), a.credits
      from jsonb_to_recordset($1::jsonb) as a(account uuid, hour int, credits bigint) order by a.account, a.hour
    on conflict (account_id, hour) do update set credits = c.credits + excluded.credits
    returning c.account_id, c.hour, c.credits
  ),
  earlier as (
    select c.account_id, c.hour, c.credits from rpc_credits c
    where c.account_id = any($2::uuid[])
      and not exists (select 1 from added a where a.account_id = c.account_id and a.hour = c.hour)
  )
  select x.account_id::text as account, (extract(epoch from x.hour) / 3600)::int as hour, x.credits::text as credits
  from (select * from added union all select * from earlier) x
  where x.hour > now() - interval '26 hours' and x.hour <= now() + interval '1 hour'`
