import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { mapLimited } from '@/lib/kernel/semaphore'
import { startPostgres } from '@/scripts/postgres'
import { ensureRedis, startRedis } from '@/scripts/redis'
import { ensureBrowser } from '@/scripts/tools/browser'
import { ensureBuilt } from '@/scripts/tools/build'
import {
  add,
  failure,
  REPORTS,
  readTally,
  render,
  runChecks,
  runVitest,
  type Tally,
  tallyPlaywright,
} from '@/scripts/tools/checks'
import { endStepsOnSignals, packageBin, runInPlace, runStep, runTask } from '@/scripts/tools/step'
import { makeTempFolder, removeFolder } from '@/scripts/tools/temp-folder'
import { layDatabase, linkModels } from '@/scripts/tools/test-data'

type Part = { name: string; chosen: string[] /** Its main server starts on no database at all. */; isBare?: true }
/** Longest first, each with servers of its own: no test meets another part's accounts, limits or local chains. */
const PARTS: Part[] = [
  { name: 'server', chosen: ['--project=servers'] },
  { name: 'desktop 1', chosen: ['--project=desktop', '--shard=1/2'] },
  { name: 'desktop 2', chosen: ['--project=desktop', '--shard=2/2'] },
  { name: 'contract', chosen: ['--project=contract'], isBare: true },
  // Short, to fill the lanes evenly at the end.
  { name: 'phone 1', chosen: ['--project=phone', '--shard=1/3'] },
  { name: 'phone 2', chosen: ['--project=phone', '--shard=2/3'] },
  { name: 'phone 3', chosen: ['--project=phone', '--shard=3/3'] },
]
/** More than two processors: half of a part is waiting for replies and deadlines. */
const LANES = 3

const [kind, ...choice] = process.argv.slice(2)

makeTempFolder()
switch (kind) {
  case 'unit':
    process.exitCode = await vitest('run', choice)
    break
  case 'watch':
    process.exitCode = await vitest('watch', choice)
    break
  case 'race':
    process.exitCode = await raceTestsOf(choice)
    break
  case 'e2e':
    process.exitCode = await browserTestsOf(choice)
    break
  default:
    // Whatever a library left open must not keep the result waiting.
    process.exit(await allTests())
}

/** Runs unit and route tests: `npm run test:unit`, or `npm run test:unit lib/contract/money` for those of one path; or watches them. */
function vitest(mode: 'run' | 'watch', choice: string[], env: Record<string, string> = {}): Promise<number> {
  return runInPlace(process.execPath, [packageBin('vitest', 'vitest.mjs'), mode, ...choice], {
    NODE_ENV: 'test',
    ...env,
  })
}

/** Runs race tests on a PostgreSQL and a Redis of their own: `npm run test:race`, or `npm run test:race lib/db` for those of one path. */
async function raceTestsOf(choice: string[]): Promise<number> {
  await ensureRedis()
  const servers = await startTestServers()
  try {
    return await vitest('run', choice, { TEST_KIND: 'race', ...servers.env })
  } finally {
    await servers.stop()
  }
}

/**
 * Runs browser and contract tests against a build, which it makes where the sources changed: `npm run test:e2e`, or
 * `npm run test:e2e -- rpc.spec.ts --project=desktop`, with any argument of `playwright test`.
 */
async function browserTestsOf(choice: string[]): Promise<number> {
  // Playwright keeps compiled tests among temporary files unless it is told where.
  process.env.PWTEST_CACHE_DIR ??= path.resolve('.cache', 'playwright')
  const [browserPath, isBuilt] = await Promise.all([ensureBrowser(process.cwd(), 'test'), ensureBuilt(process.cwd())])
  if (browserPath === undefined || !isBuilt) return 1
  const cli = packageBin('@playwright', 'test', 'cli.js')
  return runInPlace(process.execPath, [cli, 'test', ...choice], { CHROMIUM_PATH: browserPath })
}

/** Runs everything: `npm test`. */
async function allTests(): Promise<number> {
  endStepsOnSignals()
  await rm(REPORTS, { recursive: true, force: true })
  await mkdir(REPORTS, { recursive: true })

  // They come over the network, one after the other, while the first checks use the processor.
  const browser = ensureBrowser(process.cwd(), 'test')
  const redis = browser.then(ensureRedis)
  const tallies = [await runChecks()]
  await redis
  // Each leaves a core idle now and then: the race tests wait for a disk, the compiler for its longest part.
  const [isBuilt, slowTests] = await Promise.all([ensureBuilt(process.cwd()), runSlowTests()])
  tallies.push(slowTests, isBuilt ? await runBrowserTests(await browser) : failure('build'))
  await browser

  const total = add(tallies)
  console.log(render(total))
  return total.failed > 0 || total.passed === 0 ? 1 : 0
}

/**
 * What needs no build, and is no part of `npm run check`. Race tests go with the build; after them slow tests, which wait
 * for child processes and deadlines a third of their time, with those of models, which wait for their longest part.
 */
async function runSlowTests(): Promise<Tally> {
  const race = await runRaceTests()
  const others = await Promise.all([
    runVitest('slow tests', { TEST_KIND: 'slow' }),
    runVitest('model tests', { TEST_KIND: 'weights' }),
  ])
  return add([race, ...others])
}

/** On a real PostgreSQL and a real Redis of their own, which live as long as they run. */
async function runRaceTests(): Promise<Tally> {
  let servers: Awaited<ReturnType<typeof startTestServers>> | undefined
  const started = await runTask('start PostgreSQL and Redis', async () => {
    servers = await startTestServers()
  })
  if (!started.isOk || !servers) return failure('start PostgreSQL and Redis')
  try {
    return await runVitest('race tests', { TEST_KIND: 'race', ...servers.env })
  } finally {
    await servers.stop()
  }
}

/** Starts a PostgreSQL and a Redis for race tests, which read their addresses from `env`. */
async function startTestServers() {
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

/** Journeys in the browser and the contract's clients, against the built server. */
async function runBrowserTests(browserPath: string | undefined): Promise<Tally> {
  if (browserPath === undefined) return failure('browser')
  return add(await mapLimited(PARTS, LANES, (part) => runPlaywright(part, browserPath)))
}

async function runPlaywright({ name, chosen, isBare }: Part, browserPath: string): Promise<Tally> {
  const part = name.replaceAll(' ', '-')
  const report = path.join(REPORTS, `playwright-${part}.json`)
  const cli = packageBin('@playwright', 'test', 'cli.js')
  // What failed is tried again, to say whether it always does; it has failed all the same.
  const retrying = ['--retries=1', '--fail-on-flaky-tests']
  const args = [cli, 'test', '--reporter=dot,json', ...retrying, ...chosen]
  const dataDir = await mkdtemp(path.join(tmpdir(), 'lagoon-e2e-'))
  await linkModels(dataDir)
  if (!isBare) await layDatabase(dataDir)
  const { isOk } = await runStep(`${name} tests`, process.execPath, args, {
    env: {
      CHROMIUM_PATH: browserPath,
      PLAYWRIGHT_JSON_OUTPUT_NAME: report,
      // Each empties its folder when it begins.
      E2E_PART: part,
      E2E_DATA_DIR: dataDir,
      NODE_ENV: undefined,
    },
  })
  await removeFolder(dataDir)
  return readTally(`${name} tests`, report, isOk, tallyPlaywright)
}
