import 'server-only'
import { getDb } from '@/lib/db/client'
import type { Database } from '@/lib/db/database'
import type { RedisConnection } from '@/lib/services/limits/redis'
import { createSweep } from '@/lib/services/limits/sweep'

/** What a process asks to hold: `places` of the `limit` places that all processes have under this name. */
type Lease = { name: string; places: number; limit: number }

/** Where all processes note the places that they hold. Asking again replaces what was held before. */
export interface LeaseStore {
  /** The places granted, by name: those asked for, or as many as other processes leave. */
  lease(processId: string, leases: Lease[]): Promise<Map<string, number>>
}

/** The places of a process that died are free again after this long; one that lives renews them three times as often. */
const LEASE_MS = 15_000

/**
 * Leases in the table `concurrency_lease`, a row a name: `holders` has of each process its places and when they end, in
 * seconds of the database's clock. A row is locked while it is written, so processes that ask at once never share a place.
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

/** Of each process its places and when they end, in milliseconds of Redis's clock. */
const LEASE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local others = 0
local held = redis.call('HGETALL', KEYS[1])
for at = 1, #held, 2 do
  local places, ends = string.match(held[at + 1], '(%d+) (%d+)')
  if tonumber(ends) <= now then redis.call('HDEL', KEYS[1], held[at])
  elseif held[at] ~= ARGV[1] then others = others + tonumber(places) end
end
local granted = math.min(tonumber(ARGV[2]), math.max(0, tonumber(ARGV[3]) - others))
if granted > 0 then
  redis.call('HSET', KEYS[1], ARGV[1], granted .. ' ' .. string.format('%d', now + ARGV[4]))
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
else
  redis.call('HDEL', KEYS[1], ARGV[1])
end
return granted`

const PREFIX = 'service:concurrency:'

/** Leases in Redis, a hash a name. */
export function leasesInRedis({ run }: RedisConnection): LeaseStore {
  return {
    async lease(processId, leases) {
      const granted = await run((redis) =>
        Promise.all(
          leases.map(({ name, places, limit }) =>
            redis.eval(LEASE, 1, PREFIX + name, processId, places, limit, LEASE_MS),
          ),
        ),
      )
      return new Map(leases.map(({ name }, at) => [name, Number(granted[at])]))
    },
  }
}
