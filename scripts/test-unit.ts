import { packageBin, runInPlace } from '@/scripts/tools/step'
import { makeTempFolder } from '@/scripts/tools/temp-folder'

/** Runs unit and route tests: `npm run test:unit`, or `npm run test:unit lib/contract/money` for those of one path. */
makeTempFolder()
process.exitCode = await runInPlace(
  process.execPath,
  [packageBin('vitest', 'vitest.mjs'), 'run', ...process.argv.slice(2)],
  {
    NODE_ENV: 'test',
  },
)
