import type { NextConfig } from 'next'

// Set by scripts/tools/build.ts.
const { BUILD_PAGES_ONLY, BUILD_CACHE } = process.env
// Handlers of the API and the instrumentation hook are `.ts` files, which our own bundle has; all else of `app` is `.tsx`.
const pageExtensions = BUILD_PAGES_ONLY === '1' ? ['tsx'] : ['tsx', 'ts']

const config: NextConfig = {
  // Written into what the browser loads.
  env: { SERVICE_NAME: process.env.SERVICE_NAME ?? '' },
  // Pages and scripts; the API answers before Next is asked and compresses what the contract allows (lib/pipeline/route.ts).
  // On a host without our front Next leaves event streams alone too: they say `no-transform`.
  compress: true,
  poweredByHeader: false,
  reactStrictMode: true,
  // The image optimiser decodes hostile files in the server process; nothing here needs it.
  images: { unoptimized: true },
  serverExternalPackages: [
    '@electric-sql/pglite',
    'pg',
    'pino',
    'node-llama-cpp',
    'prom-client',
    'undici',
    'ioredis',
    'linkedom',
  ],

  pageExtensions,
  experimental: {
    // Pages are loaded on their first visit.
    preloadEntriesOnStart: false,
    turbopackFileSystemCacheForBuild: BUILD_CACHE !== 'off',
  },
  devIndicators: false,
  // `npm run check` checks the types of everything; a fault in a test must not keep the product from starting.
  typescript: { ignoreBuildErrors: true },
}

export default config
