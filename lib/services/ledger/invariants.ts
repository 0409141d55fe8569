import 'server-only'
import { sql } from 'drizzle-orm'
import type { Database } from '@/lib/db/database'

export type Finding = { name: string; says: string; broken: number; examples: string[] }

type Check = {
  name: string
  says: string
  /** Reads only balances, keys, leases and open holds, whatever the length of the history: cheap enough for every scrape. */
  isGauge?: boolean
  /** Returns a row named `example` for each violation. */
  query: string
}

const MAX_EXAMPLES = 5

/**
 * The ledger's invariants that live in its tables. INV-7 sees what was found on the chains, not the chains (`topups
 * reconcile` does); INV-14 compares the ledger with a model and is no query.
 */
const CHECKS: Check[] = [
  {
    name: 'INV-1',
    says: 'the entries of a transaction add up to zero, and there are at least two',
    query: `select t.id::text as example from txn t left join entry e on e.txn_id = t.id
      group by t.id having count(distinct e.leg) < 2
      union all select txn_id::text from entry group by txn_id, currency having sum(amount) <> 0`,
  },
  {
    name: 'INV-2',
    says: 'a balance is the sum of its entries',
    query: `select coalesce(b.account_id, e.account_id) || ' ' || coalesce(b.currency, e.currency) as example
      from balance b full join (
        select account_id, currency, sum(amount) as amount from entry where account_id is not null group by 1, 2
      ) e on e.account_id = b.account_id and e.currency = b.currency
      where coalesce(b.posted, 0) <> coalesce(e.amount, 0)`,
  },
  {
    name: 'INV-3',
    says: 'what is held is the sum of the leases and the open holds, per balance and per key',
    isGauge: true,
    query: `with open as (
        select account_id, key_id, currency, amount from hold where state = 'open'
        union all select account_id, key_id, currency, amount from lease
      )
      select coalesce(b.account_id, o.account_id) || ' ' || coalesce(b.currency, o.currency) as example
      from (select * from balance where held <> 0) b full join (
        select account_id, currency, sum(amount) as amount from open group by 1, 2
      ) o on o.account_id = b.account_id and o.currency = b.currency
      where coalesce(b.held, 0) <> coalesce(o.amount, 0)
      union all
      select 'key ' || coalesce(k.id, o.key_id) from (select * from api_key where held_usd <> 0 or held_diem <> 0) k full join (
        select key_id, coalesce(sum(amount) filter (where currency <> 'DIEM'), 0) as usd,
          coalesce(sum(amount) filter (where currency = 'DIEM'), 0) as diem
        from open where key_id is not null group by 1
      ) o on o.key_id = k.id
      where coalesce(k.held_usd, 0) <> coalesce(o.usd, 0) or coalesce(k.held_diem, 0) <> coalesce(o.diem, 0)`,
  },
  {
    name: 'INV-4',
    says: 'nobody is below zero, and nothing negative is held',
    isGauge: true,
    query: `select account_id || ' ' || currency as example from balance where held < 0 or posted - held < 0
      union all select 'key ' || id from api_key where held_usd < 0 or held_diem < 0 or spent_usd < 0 or spent_diem < 0`,
  },
  {
    name: 'INV-5',
    says: 'a hold ends once: captured, within its amount and what a second debit took, or released',
    query: `select id::text as example from hold
      where (state = 'captured') <> (captured is not null) or captured not between 1 and amount or excess < 0
        or (excess > 0 and captured is distinct from amount) or (state = 'open') <> (ended_at is null)`,
  },
  {
    name: 'INV-6',
    says: 'a captured hold has one transaction, a credited payment too, and each of these has its hold or payment; other charges have their request',
    query: `select coalesce(h.id::text, t.idempotency_key) as example
      from (select id from hold where state = 'captured') h
      full join (select idempotency_key from txn where idempotency_key like 'hold:%') t
        on t.idempotency_key = 'hold:' || h.id
      where h.id is null or t.idempotency_key is null
      union all
      select id::text from txn where kind = 'charge'
        and (idempotency_key not in ('hold:' || id, 'charge:' || id) or request_id is null)
      union all
      select coalesce(p.once, t.idempotency_key)
      from (
        select payment_txn_key('topup', key, n) as once from payment,
          generate_series(0, reversals - case when state = 'credited' then 0 else 1 end) as n
        union all select payment_txn_key('reversal', key, n) from payment, generate_series(0, reversals - 1) as n
      ) p
      full join (
        select idempotency_key from txn where idempotency_key like 'topup:%' or idempotency_key like 'reversal:%'
      ) t on t.idempotency_key = p.once
      where p.once is null or t.idempotency_key is null`,
  },
  {
    name: 'INV-7',
    says: 'what was credited for payments, less what was taken back, is what was found of them on their chains',
    query: `select 'clearing ' || e.credited || ', payments ' || p.paid as example
      from (
        select coalesce(-sum(e.amount), 0) as credited from entry e join txn t on t.id = e.txn_id
        where e.house = 'clearing' and (t.idempotency_key like 'topup:%' or t.idempotency_key like 'reversal:%')
      ) e, (select coalesce(sum(amount) * 1000, 0) as paid from payment where state = 'credited') p
      where e.credited <> p.paid`,
  },
  {
    name: 'INV-8',
    says: 'no entry was changed: the balances that they note form a chain, which nothing may break',
    query: `select txn_id || ' ' || leg as example from (
        select txn_id, leg, amount, balance_after,
          coalesce(lag(balance_after) over (partition by account_id, currency order by seq), 0) as balance_before
        from entry where account_id is not null
      ) chain where balance_after is distinct from balance_before + amount
      union all
      select name from unnest(array['entry_append_only', 'txn_append_only', 'entry_balanced']) as name
      where not exists (select 1 from pg_trigger g where g.tgname = name and g.tgenabled in ('O', 'A'))`,
  },
  {
    name: 'INV-9',
    says: 'what was captured, what was entered and what the usage lines say is the same amount',
    query: `select t.id::text as example from txn t
      left join hold h on h.id = t.id
      left join entry e on e.txn_id = t.id and e.leg = 1
      left join lateral (
        select sum((line ->> 'amount')::bigint) as amount from usage_record u, jsonb_array_elements(u.lines) as line
        where u.txn_id = t.id
      ) l on true
      where t.kind = 'charge' and (-e.amount is distinct from l.amount
        or (t.idempotency_key like 'hold:%' and h.captured + h.excess is distinct from -e.amount))`,
  },
  {
    name: 'INV-10',
    says: 'a key spends and holds no more than its limit allowed',
    isGauge: true,
    query: `select id::text as example from api_key
      where spent_usd + held_usd > greatest(limit_usd, floor_usd) and limit_usd is not null
        or spent_diem + held_diem > greatest(limit_diem, floor_diem) and limit_diem is not null`,
  },
  {
    name: 'INV-11',
    says: 'nothing is charged without a record of what was delivered',
    query: `select t.id::text as example from txn t left join usage_record u on u.txn_id = t.id
      where t.kind = 'charge' and (u.txn_id is null or jsonb_array_length(u.lines) = 0)`,
  },
  {
    name: 'INV-12',
    says: 'no lease and no hold stays long after its owner is gone',
    isGauge: true,
    query: `select id::text as example from hold where state = 'open' and expires_at < now() - interval '1 minute'
      union all
      select l.id::text from lease l join ledger_process p on p.id = l.process_id
      where p.seen_at < now() - interval '90 seconds'`,
  },
  {
    name: 'INV-13',
    says: 'customers and house together have zero of every currency',
    query: `select currency as example from (
        select currency, posted as amount from balance union all select currency, amount from entry where house is not null
      ) everything group by currency having sum(amount) <> 0`,
  },
  {
    name: 'INV-15',
    says: 'what the ledger gave as daily credit is what the day was granted',
    query: `select coalesce(a.account_id, g.account_id) || ' ' || coalesce(a.day, g.day) as example
      from (select * from allowance where granted > 0) a full join (
        select e.account_id, split_part(t.idempotency_key, ':', 3) as day, sum(e.amount) as granted
        from txn t join entry e on e.txn_id = t.id and e.leg = 1
        where t.kind = 'grant' and t.idempotency_key like 'allowance:%' group by 1, 2
      ) g on g.account_id = a.account_id and g.day = a.day
      where a.granted is distinct from g.granted`,
  },
  {
    name: 'INV-16',
    says: 'the money of a job is held while it runs, taken when it is done, and given back when it is not',
    query: `select j.id::text as example from job j left join hold h on h.id = j.hold_id
      where (j.price > 0) is distinct from (h.id is not null)
        or h.state is distinct from case
          when j.price = 0 then null
          when j.state in ('queued', 'running') then 'open'
          when j.state = 'done' then 'captured'
          else 'released' end
        or (j.state = 'done' and h.captured + h.excess <> j.price)`,
  },
  {
    name: 'INV-17',
    says: 'what open requests have delivered is covered by their lease, and is not charged yet',
    isGauge: true,
    query: `select l.id::text as example from lease l join checkpoint c on c.lease_id = l.id
      group by l.id, l.amount having sum(c.amount) > l.amount
      union all select c.id::text from checkpoint c join txn t on t.id = c.id`,
  },
]

/**
 * Checks the ledger's invariants, all against one moment. `gauges` leaves out those that read the whole history.
 * @returns one finding per check; all is well when each has `broken: 0`.
 */
export async function checkLedger(database: Database, options: { depth: 'full' | 'gauges' }): Promise<Finding[]> {
  const checks = CHECKS.filter((check) => options.depth === 'full' || check.isGauge)
  return database.drizzle.transaction(
    async (transaction) => {
      // A long history takes longer than a request may.
      if (options.depth === 'full') await transaction.execute(sql`set local statement_timeout = 0`)
      const findings: Finding[] = []
      for (const { name, says, query } of checks) {
        const counted = sql.raw(
          `with broken as (${query}) select count(*)::int as broken, (array_agg(example))[1:${MAX_EXAMPLES}] as examples from broken`,
        )
        const [row] = rowsOf<{ broken: number; examples: string[] | null }>(await transaction.execute(counted))
        findings.push({ name, says, broken: row?.broken ?? 0, examples: row?.examples ?? [] })
      }
      return findings
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  )
}

function rowsOf<Row>(result: unknown): Row[] {
  return (result as { rows: Row[] }).rows
}
