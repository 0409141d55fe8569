import { startPostgres } from '@/scripts/postgres'
import { startRedis } from '@/scripts/redis'

/** Starts a PostgreSQL and a Redis for race tests, which read their addresses from `env`. */
export async function startTestServers() {
  const redis = await startRedis()
  const postgres = await startPostgres().catch(async (error: unknown) => {
    await redis.stop()
    throw error
  })
  return {
    env: { TEST_DATABASE_URL: postgres.url, TEST_REDIS_URL: redis.url },
    stop: async () => void (await Promise.all([postgres.stop(), redis.stop()])),
  }
}
