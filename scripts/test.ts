import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { mapLimited } from '@/lib/kernel/semaphore'
import { ensureRedis } from '@/scripts/redis'
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
import { endStepsOnSignals, packageBin, runStep, runTask } from '@/scripts/tools/step'
import { makeTempFolder, removeFolder } from '@/scripts/tools/temp-folder'
import { layDatabase, linkModels } from '@/scripts/tools/test-data'
import { startTestServers } from '@/scripts/tools/test-servers'

type Part = { name: string; chosen: string[] /** Its main server starts on no database at all. */; isBare?: true }
/** Longest first, each with servers of its own: no test meets another part's accounts, limits or local chains. */
const PARTS: Part[] = [
  { name: 'server', chosen: ['--project=servers'] },
  { name: 'desktop 1', chosen: ['--project=desktop', '--shard=1/2'] },
  { name: 'desktop 2', chosen: ['--project=desktop', '--shard=2/2'] },
  { name: 'contract', chosen: ['--project=contract'], isBare: true },
  { name: 'phone 1', chosen: ['--project=phone', '--shard=1/2'] },
  { name: 'phone 2', chosen: ['--project=phone', '--shard=2/2'] },
]
/** More than two processors: half of a part is waiting for replies and deadlines. */
const LANES = 3

endStepsOnSignals()
makeTempFolder()
await rm(REPORTS, { recursive: true, force: true })
await mkdir(REPORTS, { recursive: true })

// They come over the network, one after the other, while the first checks use the processor.
const browser = ensureBrowser(process.cwd(), 'test')
const redis = browser.then(ensureRedis)
const tallies = [await runChecks()]
await redis
// Each leaves a core idle now and then: the race tests wait for a disk, the models and the compiler for their longest part.
const [isBuilt, slowTests] = await Promise.all([ensureBuilt(process.cwd()), runSlowTests()])
tallies.push(slowTests, isBuilt ? await runBrowserTests(await browser) : failure('build'))
await browser

const total = add(tallies)
console.log(render(total))
// Whatever a library left open must not keep the result waiting.
process.exit(total.failed > 0 || total.passed === 0 ? 1 : 0)

/** What needs no build, and is no part of `npm run check`. */
async function runSlowTests(): Promise<Tally> {
  return add([
    await runRaceTests(),
    await runVitest('slow tests', 'vitest.config.ts', { SLOW_TESTS: 'only' }),
    await runVitest('model tests', 'vitest.weights.config.ts'),
  ])
}

/** On a real PostgreSQL and a real Redis of their own, which live as long as they run. */
async function runRaceTests(): Promise<Tally> {
  let servers: Awaited<ReturnType<typeof startTestServers>> | undefined
  const started = await runTask('start PostgreSQL and Redis', async () => {
    servers = await startTestServers()
  })
  if (!started.isOk || !servers) return failure('start PostgreSQL and Redis')
  try {
    return await runVitest('race tests', 'vitest.race.config.ts', servers.env)
  } finally {
    await servers.stop()
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
