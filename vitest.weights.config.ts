import { defineConfig } from 'vitest/config'
import base, { SLOW } from './vitest.config.ts'

/**
 * Tests that run real models or take long: part of the whole, not of the fast half. Spread, not merged:
 * merging would keep the base's `exclude`, which names these very files. Nor its projects: each brings files of its own.
 */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    projects: undefined,
    include: ['{lib,app}/**/*.weights.test.ts', ...SLOW],
    exclude: ['**/node_modules/**'],
    testTimeout: 900_000,
    hookTimeout: 900_000,
  },
})
