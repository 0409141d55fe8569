import 'server-only'
import type { RedisConnection } from '@/lib/services/limits/redis'
import type { SharedCounter } from '@/lib/services/limits/window-blocks'

const PREFIX = 'service:window:'
/** Clocks of several machines differ: a window outlives its end by this much. */
const GRACE_MS = 5_000

/** Counts in Redis. */
export function sharedByRedis({ run }: RedisConnection): SharedCounter {
  return {
    async add(key, amount, endsAtMs) {
      const name = PREFIX + key
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
