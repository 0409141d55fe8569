import { startPostgres } from '@/scripts/postgres'
import { packageBin, runInPlace } from '@/scripts/tools/step'
import { makeTempFolder } from '@/scripts/tools/temp-folder'

/** Runs race tests on a PostgreSQL of their own: `npm run test:race`, or `npm run test:race lib/db` for those of one path. */
makeTempFolder()
const postgres = await startPostgres()
try {
  process.exitCode = await runInPlace(
    process.execPath,
    [packageBin('vitest', 'vitest.mjs'), 'run', '--config', 'vitest.race.config.ts', ...process.argv.slice(2)],
    { NODE_ENV: 'test', TEST_DATABASE_URL: postgres.url },
  )
} finally {
  await postgres.stop()
}
