import { packageBin, runInPlace } from '@/scripts/tools/step'

/** Runs the tests of what changes, again at each change: `npm run test:watch [path]`. */
process.exitCode = await runInPlace(
  process.execPath,
  [packageBin('vitest', 'vitest.mjs'), 'watch', ...process.argv.slice(2)],
  {
    NODE_ENV: 'test',
  },
)
