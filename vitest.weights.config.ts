import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

/**
 * Tests of real models. Spread, not merged: merging would keep the base's `exclude`, which names these very files. Nor its
 * projects: each brings files of its own.
 */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    projects: undefined,
    include: ['{lib,app}/**/*.weights.test.ts'],
    exclude: ['**/node_modules/**'],
    testTimeout: 900_000,
    hookTimeout: 900_000,
  },
})
