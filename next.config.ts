import type { NextConfig } from 'next'

const config: NextConfig = {
  // Written into what the browser loads.
  env: { SERVICE_NAME: process.env.SERVICE_NAME ?? '' },
  // Pages and scripts; the API answers before Next is asked and compresses what the contract allows (lib/pipeline/endpoint.ts).
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

  // The API is answered by our own bundle: Next would load all of its handlers a second time, and each page before its first visit.
  experimental: { preloadEntriesOnStart: false },
  devIndicators: false,
  // `npm run check` checks the types of everything; a fault in a test must not keep the product from starting.
  typescript: { ignoreBuildErrors: true },
}

export default config
