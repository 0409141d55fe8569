import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { config } from '@/lib/kernel/config'
import { perProcess } from '@/lib/kernel/per-process'
import { type FailureStore, LEASE_MS, type LeaseStore, type SharedCounter } from '@/lib/services/limits/shared-store'

const COMMAND_TIMEOUT_MS = 250
const CONNECT_TIMEOUT_MS = 2_000
const MAX_RECONNECT_DELAY_MS = 5_000

export type RedisConnection = {
  run<T>(commands: (redis: Redis) => Promise<T>): Promise<T>
  close(): void
}

export function openRedis(url: string, commandTimeout = COMMAND_TIMEOUT_MS): RedisConnection {
  const redis = new Redis(url, {
    commandTimeout,
    connectTimeout: CONNECT_TIMEOUT_MS,
    // While Redis is away a command fails at once instead of waiting in a queue.
    enableOfflineQueue: false,
    retryStrategy: (attempt) => Math.min(attempt * 100, MAX_RECONNECT_DELAY_MS),
  })
  // Said where a command fails, once a minute; without a listener each attempt to connect would be printed.
  redis.on('error', () => undefined)
  const firstAttempt = Promise.race([
    new Promise<void>((resolve) => redis.once('ready', resolve).once('close', resolve)),
    sleep(COMMAND_TIMEOUT_MS, undefined, { ref: false }),
  ])
  return {
    async run(commands) {
      await firstAttempt
      return commands(redis)
    },
    close: () => redis.disconnect(),
  }
}

export const redis = (): RedisConnection => perProcess('redis', () => openRedis(config().redisUrl!))

const WINDOW_PREFIX = 'service:window:'
/** Clocks of several machines differ: a window outlives its end by this much. */
const GRACE_MS = 5_000

export function countsInRedis({ run }: RedisConnection): SharedCounter {
  return {
    async add(key, amount, endsAtMs) {
      const name = WINDOW_PREFIX + key
      const replies = await run((redis) =>
        redis
          .multi()
          .incrby(name, amount)
          .pexpireat(name, endsAtMs + GRACE_MS)
          .exec(),
      )
      const [error, total] = replies?.[0] ?? [new Error('Redis gave up the transaction')]
      if (error) throw error
      return Number(total)
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

const CONCURRENCY_PREFIX = 'service:concurrency:'

export function leasesInRedis({ run }: RedisConnection, leaseMs = LEASE_MS): LeaseStore {
  return {
    async lease(processId, leases) {
      const granted = await run((redis) =>
        Promise.all(
          leases.map(({ name, places, limit }) =>
            redis.eval(LEASE, 1, CONCURRENCY_PREFIX + name, processId, places, limit, leaseMs),
          ),
        ),
      )
      return new Map(leases.map(({ name }, at) => [name, Number(granted[at])]))
    },
  }
}

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

const FAILED_PREFIX = 'service:failed:'

export function failuresInRedis({ run }: RedisConnection): FailureStore {
  return {
    async report(reports) {
      const answers = await run((redis) =>
        Promise.all(
          reports.map(({ name, failures, count, windowSeconds, blockSeconds }) => {
            // Braces: in a cluster both keys of a caller are on one server.
            const keys = [`${FAILED_PREFIX}{${name}}`, `${FAILED_PREFIX}{${name}}:blocked`] as const
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
