import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

/**
 * Concurrency tests: on a real PostgreSQL and a real Redis that `npm test` and `npm run test:race` start
 * (TEST_DATABASE_URL, TEST_REDIS_URL). Spread, not merged: merging would keep the base's `exclude`, which names these
 * very files. Nor its projects: each brings files of its own.
 */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    projects: undefined,
    include: ['lib/**/*.race.test.ts'],
    exclude: ['**/node_modules/**'],
    testTimeout: 900_000,
  },
})
