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
}

export default config
