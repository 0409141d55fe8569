import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { uuid } from '@/lib/contract/ids'
import { getDb } from '@/lib/db/client'
import type { Database } from '@/lib/db/database'
import { perProcess } from '@/lib/kernel/per-process'
import {
  askShared,
  createBatches,
  createSweep,
  type RedisConnection,
  redis,
} from '@/lib/services/limits/shared-connection'
import { limitStore } from '@/lib/services/limits/windows'

const TICK_MS = 250
const RENEW_MS = 5_000
const MAX_ASKED = 10

type SharedPlaces = ReturnType<typeof createSharedPlaces>

type Entry = {
  limit: number
  used: number
  leased: number
  peak: number
  waiting: number
  renewAt: number
  fullUntil: number
  /** Others have what was asked for last. */
  isShort: boolean
}

export function createSharedPlaces(store?: LeaseStore, processId: string = uuid()) {
  /** Holds only callers with requests under way, so the server's bound on connections bounds it. */
  const entries = new Map<string, Entry>()
  const exchange = createBatches(send)
  let timer: NodeJS.Timeout | undefined

  return { take, leave, close }

  function take(name: string, limit: number): boolean | Promise<boolean> {
    const entry = entryOf(name, limit)
    if (entry.used >= limit) return false
    if (store === undefined || entry.used < entry.leased) return seat(entry)
    if (performance.now() < entry.fullUntil) return false
    return takeLeased(name, entry)
  }

  function leave(name: string): void {
    const entry = entries.get(name)
    if (!entry) return
    entry.used--
    if (store === undefined && entry.used === 0) entries.delete(name)
  }

  async function close(): Promise<void> {
    clearInterval(timer)
    timer = undefined
    if (store === undefined || entries.size === 0) return
    const leases = [...entries].map(([name, { limit }]) => ({ name, places: 0, limit }))
    entries.clear()
    await askShared(() => store.lease(processId, leases))
  }

  function entryOf(name: string, limit: number): Entry {
    let entry = entries.get(name)
    if (entry === undefined) {
      entry = { limit, used: 0, leased: 0, peak: 0, waiting: 0, renewAt: 0, fullUntil: 0, isShort: false }
      entries.set(name, entry)
      if (store) timer ??= setInterval(tick, TICK_MS).unref()
    }
    entry.limit = limit
    return entry
  }

  function seat(entry: Entry): true {
    entry.used++
    if (entry.used > entry.peak) entry.peak = entry.used
    return true
  }

  async function takeLeased(name: string, entry: Entry): Promise<boolean> {
    entry.waiting++
    try {
      // What was granted may be taken by who came meanwhile: only what others have is a refusal.
      let asked = 0
      do await exchange(name)
      while (entry.used >= entry.leased && !entry.isShort && ++asked < MAX_ASKED)
      if (entry.used < entry.leased) return seat(entry)
      // Others may hold places that they do not use, and give them back once a tick.
      await sleep(TICK_MS * 1.5)
      if (entry.used >= entry.leased && performance.now() >= entry.fullUntil) await exchange(name)
      if (entry.used < entry.leased) return seat(entry)
      entry.fullUntil = performance.now() + TICK_MS
      return false
    } finally {
      entry.waiting--
    }
  }

  function tick(): void {
    const now = performance.now()
    for (const [name, entry] of entries) {
      const { used, peak, leased, waiting, renewAt } = entry
      entry.peak = used
      if (leased === 0 && used === 0 && waiting === 0) entries.delete(name)
      else if (leased > peak || now >= renewAt) {
        entry.leased = Math.min(leased, Math.max(peak, used))
        void exchange(name)
      }
    }
    if (entries.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  async function send(names: string[]): Promise<void> {
    const asked = names.flatMap((name) => {
      const entry = entries.get(name)
      return entry ? [{ name, entry, places: wanted(entry), limit: entry.limit }] : []
    })
    const granted = await askShared(() =>
      store!.lease(
        processId,
        asked.map(({ name, places, limit }) => ({ name, places, limit })),
      ),
    )
    const renewAt = performance.now() + RENEW_MS
    for (const { name, entry, places } of asked) {
      entry.leased = granted?.get(name) ?? places
      entry.isShort = entry.leased < places
      entry.renewAt = renewAt
    }
  }
}

function wanted({ used, waiting, leased, limit }: Entry): number {
  if (waiting === 0) return leased
  return Math.min(limit, used + Math.max(waiting, Math.floor(used / 4)))
}

export function sharedPlaces(): SharedPlaces {
  return perProcess('concurrency', () => {
    const store = limitStore()
    if (store === 'memory') return createSharedPlaces()
    return createSharedPlaces(store === 'redis' ? leasesInRedis(redis()) : leasesInPostgres())
  })
}

type Lease = { name: string; places: number; limit: number }

interface LeaseStore {
  lease(processId: string, leases: Lease[]): Promise<Map<string, number>>
}

/** Slots of a dead process are free after this long; a living one renews them three times as often. */
const LEASE_MS = 15_000

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

function leasesInRedis({ run }: RedisConnection): LeaseStore {
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
