import { ensureRedis } from '@/scripts/redis'
import { packageBin, runInPlace } from '@/scripts/tools/step'
import { makeTempFolder } from '@/scripts/tools/temp-folder'
import { startTestServers } from '@/scripts/tools/test-servers'

/** Runs race tests on a PostgreSQL and a Redis of their own: `npm run test:race`, or `npm run test:race lib/db` for those of one path. */
makeTempFolder()
await ensureRedis()
const servers = await startTestServers()
try {
  process.exitCode = await runInPlace(
    process.execPath,
    [packageBin('vitest', 'vitest.mjs'), 'run', '--config', 'vitest.race.config.ts', ...process.argv.slice(2)],
    { NODE_ENV: 'test', ...servers.env },
  )
} finally {
  await servers.stop()
}
