import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const root = fileURLToPath(new URL('.', import.meta.url))

/** `server-only` throws outside a React server build, so tests see an empty module instead. */
const alias = { '@': root.replace(/\/$/, ''), 'server-only': `${root}lib/core/empty.ts` }

export default defineConfig({
  resolve: { alias },
  test: {
    include: ['{lib,app,components,scripts,bench,server,sandbox}/**/*.test.{ts,tsx}'],
    // These two kinds have configurations of their own, and are not part of the fast half.
    exclude: ['**/*.race.test.ts', '**/*.weights.test.ts', '**/node_modules/**'],
    // What a test provokes is its own business.
    env: { LOG_LEVEL: 'silent', LOG_FORMAT: 'json' },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
})
