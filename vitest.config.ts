import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { PATIENCE_MS } from './lib/kernel/testing/patience.ts'

const root = fileURLToPath(new URL('.', import.meta.url))

/** `server-only` throws outside a React server build, so tests see an empty module instead. */
const alias = { '@': root.replace(/\/$/, ''), 'server-only': `${root}lib/kernel/empty.ts` }

const TESTS = '{app,bench,components,lib,sandbox,scripts,server}/**/*.test.{ts,tsx}'

/** These two kinds have configurations of their own, and are not part of the fast half. */
const exclude = ['**/*.race.test.ts', '**/*.weights.test.ts', '**/node_modules/**']

/** Components in a document, with what a person does to them: Testing Library in happy-dom. */
const COMPONENTS = ['{app,components}/**/*.component.test.tsx']

/**
 * Files that need a process to themselves: they measure it, count its timers, tell its picture library for good what not to
 * read, or listen for its signals. All others share theirs, which loads what they import once: that is half of the time of all.
 */
const ALONE = [
  'lib/endpoints/rpc/mutex.test.ts',
  ...['lib/services/documents', 'lib/db', 'lib/services/engines/embedded', 'sandbox', 'server'].map(
    (folder) => `${folder}/**/*.test.{ts,tsx}`,
  ),
]

export default defineConfig({
  resolve: { alias },
  test: {
    // What a test provokes is its own business.
    env: { LOG_LEVEL: 'silent', LOG_FORMAT: 'json' },
    // For a machine that is ten times busier than it should be. What passes takes no longer for it.
    testTimeout: 180_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: PATIENCE_MS } },
    maxWorkers: 2,
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
          include: COMPONENTS,
          exclude,
          isolate: false,
          setupFiles: ['components/testing/fresh-document.ts'],
        },
      },
    ],
  },
})
