import type { NextConfig } from 'next'

const config: NextConfig = {
  // The API answers for itself what it compresses (lib/api/compress.ts); Next would also compress event streams.
  compress: false,
  poweredByHeader: false,
  reactStrictMode: true,
  // The image optimiser decodes hostile files in the server process; nothing here needs it.
  images: { unoptimized: true },
  serverExternalPackages: ['@electric-sql/pglite', 'pg', 'pino', 'node-llama-cpp', 'prom-client', 'undici', 'ioredis'],
  devIndicators: false,
  // `npm run check` checks the types of everything; a fault in a test must not keep the product from starting.
  typescript: { ignoreBuildErrors: true },
}

export default config
