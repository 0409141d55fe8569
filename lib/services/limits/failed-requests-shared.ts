import 'server-only'
import { getDb } from '@/lib/db/client'
import type { Database } from '@/lib/db/database'
import type { RedisConnection } from '@/lib/services/limits/redis'
import { createSweep } from '@/lib/services/limits/sweep'

/** Failures of one caller to add to those of all processes; 0 asks only. */
type Report = { name: string; failures: number; count: number; windowSeconds: number; blockSeconds: number }

/** Where all processes count failures. */
export interface FailureStore {
  /** By name: the failures of the window in all processes, and how much longer the caller is blocked. */
  report(reports: Report[]): Promise<Map<string, { total: number; blockedMs: number }>>
}

/**
 * Failures in the table `failed_request`, a row a caller, by the database's clock. A row is locked while it is written, so
 * processes that report at once count every failure.
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

/** A list of times a caller, and a key beside it while it is blocked; in milliseconds of Redis's clock. */
const REPORT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local blocked = redis.call('PTTL', KEYS[2])
if blocked > 0 then return {0, blocked} end
for at = 1, tonumber(ARGV[1]) do redis.call('RPUSH', KEYS[1], string.format('%d', now)) end
local oldest = redis.call('LINDEX', KEYS[1], 0)
while oldest and tonumber(oldest) <= now - ARGV[3] do
  redis.call('LPOP', KEYS[1])
  oldest = redis.call('LINDEX', KEYS[1], 0)
end
local total = redis.call('LLEN', KEYS[1])
if total <= tonumber(ARGV[2]) then
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  return {total, 0}
end
redis.call('DEL', KEYS[1])
redis.call('SET', KEYS[2], '1', 'PX', ARGV[4])
return {0, tonumber(ARGV[4])}`

const PREFIX = 'service:failed:'

/** Failures in Redis. */
export function failuresInRedis({ run }: RedisConnection): FailureStore {
  return {
    async report(reports) {
      const answers = await run((redis) =>
        Promise.all(
          reports.map(({ name, failures, count, windowSeconds, blockSeconds }) => {
            // Braces: in a cluster both keys of a caller are on one server.
            const keys = [`${PREFIX}{${name}}`, `${PREFIX}{${name}}:blocked`] as const
            return redis.eval(REPORT, 2, ...keys, failures, count, windowSeconds * 1_000, blockSeconds * 1_000)
          }),
        ),
      )
      return new Map(
        reports.map(({ name }, at) => {
          const [total, blockedMs] = answers[at] as [number, number]
          return [name, { total, blockedMs }]
        }),
      )
    },
  }
}
