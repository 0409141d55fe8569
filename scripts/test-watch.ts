import { packageBin, runInPlace } from '@/scripts/tools/step'
import { makeTempFolder } from '@/scripts/tools/temp-folder'

/** Runs the tests of what changes, again at each change: `npm run test:watch [path]`. */
makeTempFolder()
process.exitCode = await runInPlace(
  process.execPath,
  [packageBin('vitest', 'vitest.mjs'), 'watch', ...process.argv.slice(2)],
  {
    NODE_ENV: 'test',
  },
)
