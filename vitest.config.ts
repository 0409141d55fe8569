import { fileURLToPath } from 'node:url'
import { defineConfig, type TestProjectConfiguration } from 'vitest/config'
import { PATIENCE_MS } from './lib/kernel/testing/patience.ts'

const root = fileURLToPath(new URL('.', import.meta.url))

/** `server-only` throws outside a React server build, so tests see an empty module instead. */
const alias = { '@': root.replace(/\/$/, ''), 'server-only': `${root}lib/kernel/empty.ts` }

/**
 * Which tests run: unit and route tests, or of these the `quick` or the `slow` ones; `race` or `weights` tests.
 *
 * Files `*.slow.test.ts` take more than two seconds: they decode for long, compile, start and kill processes, wait for deadlines,
 * or try thousands of inputs. `npm run check` leaves them to `npm test`, which runs them beside the build. Tests of
 * the ledger and of top-ups are never among them.
 */
const KIND = process.env.TEST_KIND
const SUFFIX = KIND === 'slow' ? 'slow.test.{ts,tsx}' : 'test.{ts,tsx}'

const exclude = [
  '**/*.race.test.ts',
  '**/*.weights.test.ts',
  '**/node_modules/**',
  ...(KIND === 'quick' ? ['**/*.slow.test.{ts,tsx}'] : []),
]

/** Components in a document, with what a person does to them: Testing Library in happy-dom. */
const COMPONENTS = [`{app,components,lib/browser}/**/*.component*.${SUFFIX}`]

/**
 * Files that need a process to themselves: they measure it, count its timers, tell its picture library for good what not to
 * read, or listen for its signals. All others share theirs, which loads what they import once.
 */
const ALONE = [
  `lib/services/limits/concurrency-turns.${SUFFIX}`,
  `{sandbox,server}/**/*.${SUFFIX}`,
  `lib/services/engines/embedded/{images,vision}/*.${SUFFIX}`,
  `lib/services/documents/scanned-pdf.${SUFFIX}`,
  '{lib/db,lib/services/documents,lib/services/engines/embedded}/**/*.slow.test.ts',
]

const unit: TestProjectConfiguration[] = [
  {
    extends: true,
    test: {
      name: 'shared',
      include: [`{app,bench,components,lib,sandbox,scripts,server}/**/*.${SUFFIX}`],
      exclude: [...exclude, ...ALONE, ...COMPONENTS],
      isolate: false,
      setupFiles: ['lib/kernel/testing/fresh-process.ts'],
    },
  },
  { extends: true, test: { name: 'alone', include: ALONE, exclude } },
  {
    extends: true,
    test: {
      name: 'components',
      environment: 'happy-dom',
      // Node 25 and newer have a `localStorage` of their own, which the document's would not replace.
      execArgv: ['--no-experimental-webstorage'],
      include: COMPONENTS,
      exclude,
      isolate: false,
      setupFiles: ['components/testing/fresh-document.ts'],
    },
  },
]

/** Concurrency tests: on a real PostgreSQL and a real Redis that `npm test` and `npm run test:race` start (TEST_DATABASE_URL, TEST_REDIS_URL). */
const race: TestProjectConfiguration = {
  extends: true,
  test: { name: 'race', include: ['lib/**/*.race.test.ts'], testTimeout: 900_000 },
}

/** Tests of real models. */
const weights: TestProjectConfiguration = {
  extends: true,
  test: { name: 'weights', include: ['{lib,app}/**/*.weights.test.ts'], testTimeout: 900_000, hookTimeout: 900_000 },
}

export default defineConfig({
  resolve: { alias },
  test: {
    // What a test provokes is its own business.
    env: {
      LOG_LEVEL: 'silent',
      LOG_FORMAT: 'json',
      // Child processes compile what they import once, not each of them.
      NODE_COMPILE_CACHE: `${root}.cache/compile`,
    },
    // For a machine that is ten times busier than it should be. What passes takes no longer for it.
    testTimeout: 180_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: PATIENCE_MS } },
    maxWorkers: 2,
    // Kept in node_modules, by content: the next run compiles what changed.
    experimental: { fsModuleCache: true },
    projects: KIND === 'race' ? [race] : KIND === 'weights' ? [weights] : unit,
  },
})
