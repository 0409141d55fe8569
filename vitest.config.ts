import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { PATIENCE_MS } from './lib/kernel/testing/patience.ts'

const root = fileURLToPath(new URL('.', import.meta.url))

/** `server-only` throws outside a React server build, so tests see an empty module instead. */
const alias = { '@': root.replace(/\/$/, ''), 'server-only': `${root}lib/kernel/empty.ts` }

/**
 * Files `*.slow.test.ts` take more than two seconds: they decode for long, compile, start and kill processes, wait for deadlines,
 * or try thousands of inputs. `npm run check` leaves them to `npm test`, which runs them beside the build. Tests of
 * the ledger and of top-ups are never among them.
 */
const SUFFIX = process.env.SLOW_TESTS === 'only' ? 'slow.test.{ts,tsx}' : 'test.{ts,tsx}'
const TESTS = `{app,bench,components,lib,sandbox,scripts,server}/**/*.${SUFFIX}`

/** Race tests and tests of real models have configurations of their own. */
const exclude = [
  '**/*.race.test.ts',
  '**/*.weights.test.ts',
  '**/node_modules/**',
  ...(process.env.SLOW_TESTS === 'apart' ? ['**/*.slow.test.{ts,tsx}'] : []),
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
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: [TESTS],
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
    ],
  },
})
