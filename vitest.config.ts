import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const root = fileURLToPath(new URL('.', import.meta.url))

/** `server-only` throws outside a React server build, so tests see an empty module instead. */
const alias = { '@': root.replace(/\/$/, ''), 'server-only': `${root}lib/core/empty.ts` }

/** These two kinds have configurations of their own, and are not part of the fast half. */
const exclude = ['**/*.race.test.ts', '**/*.weights.test.ts', '**/node_modules/**']

/**
 * Folders whose tests leave nothing behind in their process: they share one, which loads what they import once. That is
 * three quarters of what they took.
 */
const SHARING = [
  'components/**',
  'bench/**',
  'scripts/**',
  'lib/{access,billing,characters,chat,client,core,rpc,shares,x402}/**',
].map((folder) => `${folder}/*.test.{ts,tsx}`)

export default defineConfig({
  resolve: { alias },
  test: {
    // What a test provokes is its own business.
    env: { LOG_LEVEL: 'silent', LOG_FORMAT: 'json' },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    projects: [
      { extends: true, test: { name: 'shared', include: SHARING, exclude, isolate: false } },
      {
        extends: true,
        test: {
          name: 'alone',
          include: ['{lib,app,server,sandbox}/**/*.test.{ts,tsx}'],
          exclude: [...exclude, ...SHARING],
        },
      },
    ],
  },
})
