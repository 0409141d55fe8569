import 'server-only'
import { getDb } from '@/lib/db/client'
import type { Database } from '@/lib/db/database'
import { createBatcher } from '@/lib/kernel/batcher'
import {
  type FailureStore,
  LEASE_MS,
  type LeaseStore,
  type SharedCounter,
  withSharedDeadline,
} from '@/lib/services/limits/shared-store'

/** The clocks of processes and database differ. */
const SWEEP_GRACE_SECONDS = 60

export function countsInPostgres(database: () => Promise<Database> = getDb): SharedCounter {
  const sweep = createSweep('counter.key', SWEEP_GRACE_SECONDS)
  const additions = createBatcher(
    async (batch: { key: string; amount: number; ends: number }[]) => {
      const { query } = await database()
      // In the order of the keys: batches of several processes then never wait for each other in a circle.
      const statement = query<{ key: string; used: string }>(
        `insert into counter as c (key, used, expires_at)
         select a.key, a.amount, to_timestamp(a.ends / 1000)
           from jsonb_to_recordset($1::jsonb) as a(key text, amount bigint, ends float8) order by a.key
         on conflict (key) do update set used = c.used + excluded.used
         returning key, used::text as used`,
        [JSON.stringify(batch)],
      )
      const totals = new Map((await withSharedDeadline(statement)).map(({ key, used }) => [key, Number(used)]))
      sweep(query)
      return batch.map(({ key }) => totals.get(key))
    },
    // Whatever is wrong, each process counts alone: nobody waits for a second try.
    () => true,
  )
  return { add: (key, amount, ends) => additions.add({ key, amount, ends }) }
}

/**
 * Leases in the table `concurrency_lease`, in seconds of the database's clock. A row is locked while it is written, so
 * processes that ask at once never share a slot.
 */
export function leasesInPostgres(database: () => Promise<Database> = getDb, leaseMs = LEASE_MS): LeaseStore {
  const sweep = createSweep('concurrency_lease.name')
  return {
    async lease(processId, leases) {
      const { query } = await database()
      // In the order of the names: batches of several processes then never wait for each other in a circle.
      const rows = await query<{ name: string; places: number }>(
        `insert into concurrency_lease as c (name, places_limit, holders, expires_at)
         select a.name, a."limit", jsonb_build_object($2::text, jsonb_build_array(least(a.places, a."limit"), ends.at)),
                to_timestamp(ends.at)
           from jsonb_to_recordset($1::jsonb) as a(name text, places int, "limit" int),
                (select extract(epoch from now())::float8 + $3::float8 as at) as ends
          order by a.name
         on conflict (name) do update set
           places_limit = excluded.places_limit,
           expires_at = excluded.expires_at,
           holders = (
             select others.holders || jsonb_build_object($2::text, jsonb_build_array(
                      least((excluded.holders->$2->>0)::int, greatest(0, excluded.places_limit - others.places)),
                      excluded.holders->$2->1))
               from (select coalesce(jsonb_object_agg(key, value), '{}') as holders,
                            coalesce(sum((value->>0)::int), 0)::int as places
                       from jsonb_each(c.holders)
                      where key <> $2 and (value->>0)::int > 0
                        and (value->>1)::float8 > extract(epoch from now())) as others)
         returning name, (holders->$2->>0)::int as places`,
        [JSON.stringify(leases), processId, leaseMs / 1_000],
      )
      sweep(query)
      return new Map(rows.map(({ name, places }) => [name, Number(places)]))
    },
  }
}

/**
 * Failures in the table `failed_request`, by the database's clock. A row is locked while it is written, so processes
 * that report at once count every failure.
 */
export function failuresInPostgres(database: () => Promise<Database> = getDb): FailureStore {
  const sweep = createSweep('failed_request.caller')
  return {
    async report(reports) {
      const { query } = await database()
      // In the order of the names: batches of several processes then never wait for each other in a circle.
      const rows = await query<{ caller: string; total: number; blockedMs: number }>(
        `with reported as (
           select r.name, r.failures, r.count, r."windowSeconds" as span, r."blockSeconds" as block,
                  extract(epoch from now())::float8 as now
             from jsonb_to_recordset($1::jsonb)
               as r(name text, failures int, count int, "windowSeconds" float8, "blockSeconds" float8)
         ), noted as (
           insert into failed_request as f (caller, failed_at, blocked_until, expires_at)
           select name,
                  case when failures > count then '{}' else array_fill(now, array[failures]) end,
                  case when failures > count then now + block else 0 end,
                  now() + make_interval(secs => greatest(span, block))
             from reported order by name
           on conflict (caller) do update set (failed_at, blocked_until, expires_at) = (
             select case when f.blocked_until > r.now or cardinality(recent.at) > r.count then '{}' else recent.at end,
                    case when f.blocked_until > r.now then f.blocked_until
                         when cardinality(recent.at) > r.count then r.now + r.block else 0 end,
                    excluded.expires_at
               from reported r,
                    lateral (select coalesce(array_agg(at), '{}') as at
                               from unnest(f.failed_at || array_fill(r.now, array[r.failures])) as at
                              where at > r.now - r.span) as recent
              where r.name = f.caller)
           returning caller, cardinality(failed_at) as total, blocked_until
         )
         select caller, total, greatest(0, (blocked_until - extract(epoch from now())::float8) * 1000) as "blockedMs"
           from noted`,
        [JSON.stringify(reports)],
      )
      sweep(query)
      return new Map(rows.map(({ caller, total, blockedMs }) => [caller, { total, blockedMs }]))
    },
  }
}

const SWEEP_EVERY_MS = 60_000
const MAX_SWEPT = 10_000

type Swept = 'concurrency_lease.name' | 'counter.key' | 'failed_request.caller'

export function createSweep(place: Swept, graceSeconds = 0): (query: Database['query']) => void {
  const [table, column] = place.split('.')
  let sweepAt = performance.now() + SWEEP_EVERY_MS
  return (query) => {
    if (performance.now() < sweepAt) return
    sweepAt = performance.now() + SWEEP_EVERY_MS
    void query(
      `delete from ${table} where ${column} in
         (select ${column} from ${table} where expires_at < now() - make_interval(secs => $2) limit $1 for update skip locked)`,
      [MAX_SWEPT, graceSeconds],
    ).catch(() => undefined)
  }
}
