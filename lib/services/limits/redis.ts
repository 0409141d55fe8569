import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { config } from '@/lib/kernel/config'
import { perProcess } from '@/lib/kernel/per-process'

const COMMAND_TIMEOUT_MS = 250
const CONNECT_TIMEOUT_MS = 2_000
const MAX_RECONNECT_DELAY_MS = 5_000

export type RedisConnection = {
  run<T>(commands: (redis: Redis) => Promise<T>): Promise<T>
  close(): void
}

export function openRedis(url: string): RedisConnection {
  const redis = new Redis(url, {
    commandTimeout: COMMAND_TIMEOUT_MS,
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
