import { mkdirSync, mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { defineConfig, devices } from '@playwright/test'
import { freePort } from './scripts/tools/free-port'

const START_TIMEOUT_MS = 180_000
// Playwright reads this file again in each of its processes: what is chosen once is handed on in the environment.
process.env.E2E_PORT ??= String(await freePort())
process.env.E2E_DATA_DIR ??= newDataDir()
/** Programs are compiled once for all processes of a run, and for the next run. */
process.env.NODE_COMPILE_CACHE ??= path.resolve('.cache', 'compile')
const origin = `http://localhost:${process.env.E2E_PORT}`

export default defineConfig({
  tsconfig: 'e2e/tsconfig.json',
  outputDir: path.join('artifacts', 'e2e', process.env.E2E_PART ?? 'all'),
  workers: 1,
  retries: 0,
  // For a machine that is ten times busier than it should be: the embedded model shares its processors with the browser.
  timeout: 300_000,
  expect: { timeout: 60_000 },
  reporter: [['list']],
  use: {
    baseURL: origin,
    // A trace of every test costs time on all of them; `--trace=retain-on-failure` asks for it.
    screenshot: 'only-on-failure',
    // Not set: Playwright's own browser.
    launchOptions: { executablePath: process.env.CHROMIUM_PATH },
  },
  projects: [
    // Programs, not people: they need no browser, and no second run on a phone.
    { name: 'contract', testDir: 'e2e/contract' },
    // Of these, files that start, flood or kill servers of their own.
    { name: 'servers', testDir: 'e2e/servers' },
    {
      name: 'desktop',
      testDir: 'e2e/browser',
      grepInvert: /@phone/,
      use: { ...devices['Desktop Chrome'], viewport: { width: 1280, height: 800 } },
    },
    // What a phone would only repeat has a tag, and so has what only a phone does (`DESK`, `PHONE` in e2e/testing/ui-page.ts).
    { name: 'phone', testDir: 'e2e/browser', grepInvert: /@desk/, use: devices['Pixel 7'] },
  ],
  webServer: {
    command: `"${process.execPath}" --enable-source-maps dist/server.mjs`,
    url: `${origin}/readyz`,
    timeout: START_TIMEOUT_MS,
    reuseExistingServer: false,
    stdout: 'ignore',
    stderr: 'pipe',
    gracefulShutdown: { signal: 'SIGTERM', timeout: 30_000 },
    env: {
      NODE_ENV: 'production',
      PORT: process.env.E2E_PORT,
      HOST: '127.0.0.1',
      SERVICE_ORIGIN: origin,
      DATA_DIR: process.env.E2E_DATA_DIR,
      SANDBOX: 'on',
      EMBEDDED_MODELS: 'lean',
      LOCAL_ENGINES: 'off',
      LOG_LEVEL: 'warn',
      LOG_FORMAT: 'json',
      // The operator's own settings are not under test.
      DATABASE_URL: '',
      REDIS_URL: '',
      MODELS_FILE: '',
      RATE_LIMITS_FILE: '',
      WELCOME_CREDIT_USD: '',
      WORKERS: '1',
      TRUST_PROXY: '0',
    },
  },
})

/** A folder that starts empty but for the models, which are fetched once for all runs. */
function newDataDir(): string {
  const models = path.resolve('.cache', 'models')
  mkdirSync(models, { recursive: true })
  const dataDir = mkdtempSync(path.join(tmpdir(), 'lagoon-e2e-'))
  symlinkSync(models, path.join(dataDir, 'models'))
  return dataDir
}
