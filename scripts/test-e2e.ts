import path from 'node:path'
import { ensureBrowser } from '@/scripts/tools/browser'
import { ensureBuilt } from '@/scripts/tools/build'
import { packageBin, runInPlace } from '@/scripts/tools/step'
import { makeTempFolder } from '@/scripts/tools/temp-folder'

/**
 * Runs browser and contract tests against a build, which it makes where the sources changed: `npm run test:e2e`, or
 * `npm run test:e2e -- rpc.spec.ts --project=desktop`, with any argument of `playwright test`.
 */
// Playwright keeps compiled tests among temporary files unless it is told where.
process.env.PWTEST_CACHE_DIR ??= path.resolve('.cache', 'playwright')
makeTempFolder()
const [browserPath, isBuilt] = await Promise.all([ensureBrowser(process.cwd(), 'test'), ensureBuilt(process.cwd())])
process.exitCode =
  browserPath === undefined || !isBuilt
    ? 1
    : await runInPlace(
        process.execPath,
        [packageBin('@playwright', 'test', 'cli.js'), 'test', ...process.argv.slice(2)],
        { CHROMIUM_PATH: browserPath },
      )
