import { startPostgres } from '@/scripts/postgres'
import { ensureRedis, startRedis } from '@/scripts/redis'
import { packageBin, runInPlace } from '@/scripts/tools/step'
import { makeTempFolder } from '@/scripts/tools/temp-folder'

/** Runs race tests on a PostgreSQL and a Redis of their own: `npm run test:race`, or `npm run test:race lib/db` for those of one path. */
makeTempFolder()
await ensureRedis()
const redis = await startRedis()
const postgres = await startPostgres()
try {
  process.exitCode = await runInPlace(
    process.execPath,
    [packageBin('vitest', 'vitest.mjs'), 'run', '--config', 'vitest.race.config.ts', ...process.argv.slice(2)],
    { NODE_ENV: 'test', TEST_DATABASE_URL: postgres.url, TEST_REDIS_URL: redis.url },
  )
} finally {
  await Promise.all([postgres.stop(), redis.stop()])
}
