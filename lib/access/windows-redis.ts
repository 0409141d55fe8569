import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import type { SharedCounter } from '@/lib/access/window-blocks'

const PREFIX = 'service:window:'
/** A limit is not worth a longer wait: past it the process counts by itself. */
const COMMAND_TIMEOUT_MS = 250
const CONNECT_TIMEOUT_MS = 2_000
const MAX_RECONNECT_DELAY_MS = 5_000
/** Clocks of several machines differ: a window outlives its end by this much. */
const GRACE_MS = 5_000

/** Counts in Redis; `close` is for tests. */
export function sharedByRedis(url: string): SharedCounter & { close(): void } {
  const redis = new Redis(url, {
    commandTimeout: COMMAND_TIMEOUT_MS,
    connectTimeout: CONNECT_TIMEOUT_MS,
    // While Redis is away an addition fails at once instead of waiting in a queue.
    enableOfflineQueue: false,
    retryStrategy: (attempt) => Math.min(attempt * 100, MAX_RECONNECT_DELAY_MS),
  })
  // Said where an addition fails, once a minute; without a listener each attempt to connect would be printed.
  redis.on('error', () => undefined)
  const firstAttempt = Promise.race([
    new Promise<void>((resolve) => redis.once('ready', resolve).once('close', resolve)),
    sleep(COMMAND_TIMEOUT_MS, undefined, { ref: false }),
  ])
  return {
    async add(key, amount, endsAtMs) {
      await firstAttempt
      const name = PREFIX + key
      const replies = await redis
        .multi()
        .incrby(name, amount)
        .pexpireat(name, endsAtMs + GRACE_MS)
        .exec()
      const [error, total] = replies?.[0] ?? [new Error('Redis gave up the transaction')]
      if (error) throw error
      return Number(total)
    },
    close: () => redis.disconnect(),
  }
}
