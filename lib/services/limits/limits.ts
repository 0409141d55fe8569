import 'server-only'
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { z } from 'zod'
import type { ModelType, Tier } from '@/lib/contract/models'
import { ConfigError, config } from '@/lib/kernel/config'
import { perProcess } from '@/lib/kernel/per-process'

const MAX_LIMIT = 1_000_000_000
/** A limit; 0 means unlimited. */
const limit = (fallback: number) => z.int().min(0).max(MAX_LIMIT).default(fallback)
const tier = (requestsPerMinute: number, tokensPerMinute: number) =>
  z.strictObject({ requestsPerMinute: limit(requestsPerMinute), tokensPerMinute: limit(tokensPerMinute) }).prefault({})

/** The rate limits file of docs/operators.md. Defaults: API contract, README 8. */
const Limits = z.strictObject({
  /** Text models, by their tier. */
  tiers: z
    .strictObject({ XS: tier(500, 1_000_000), S: tier(75, 750_000), M: tier(50, 750_000), L: tier(20, 500_000) })
    .prefault({}),
  /** Requests a minute of the other types. */
  types: z
    .strictObject({ image: limit(20), audio: limit(60), embedding: limit(500), queue: limit(40), retrieve: limit(120) })
    .prefault({}),
  /** Requests a minute of routes without a model; `default` is every route that has no limit of its own. */
  routes: z
    .strictObject({
      'crypto-rpc': limit(100),
      'top-up': limit(10),
      'x402-balance': limit(30),
      'x402-transactions': limit(20),
      /** New keys, by account; of those made with a wallet's signature by address: who asks has no account yet. */
      'api-keys': limit(20),
      'billing-usage': limit(10),
      augment: limit(20),
      default: limit(500),
    })
    .prefault({}),
  /** Of the JSON-RPC proxy, by account: requests under way at a time, credits in any 24 hours. */
  cryptoRpc: z.strictObject({ concurrencyPerUser: limit(1), creditsPerDay: limit(10_000_000) }).prefault({}),
  /** More than `count` failed requests in `windowSeconds` keep a caller out for `blockSeconds`. */
  failedRequests: z
    .strictObject({
      count: z.int().min(0).max(1_000).default(20),
      windowSeconds: z.int().min(1).max(3_600).default(30),
      blockSeconds: z.int().min(1).max(3_600).default(30),
    })
    .prefault({}),
  /** Requests under way at a time. */
  concurrency: z.strictObject({ perKey: limit(50), perWallet: limit(5), perIp: limit(100) }).prefault({}),
})

export type Limits = z.infer<typeof Limits>
export type RouteName = keyof Limits['routes']

/** What one minute allows. A number that is missing is unlimited. */
export type MinuteLimits = { requests?: number; tokens?: number }

/** The limits of this process: the operator's file, or the contract's defaults. */
export function limits(): Limits {
  return perProcess('limits', () => loadLimits(config().rateLimitsFile))
}

/**
 * Reads a rate limits file; without one, the defaults.
 *
 * @throws ConfigError naming what is wrong.
 */
export function loadLimits(file?: string): Limits {
  if (file === undefined) return Limits.parse({})
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new ConfigError(`RATE_LIMITS_FILE: ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
  return parseLimits(text, file)
}

/** @throws ConfigError naming the file and each wrong field. */
export function parseLimits(text: string, file = 'the file'): Limits {
  let document: unknown
  try {
    document = parse(text, { maxAliasCount: 10 })
  } catch (error) {
    throw new ConfigError(`RATE_LIMITS_FILE: ${file} is not YAML: ${(error as Error).message}`)
  }
  const parsed = Limits.safeParse(document ?? {})
  if (parsed.success) return parsed.data
  const faults = parsed.error.issues.map(({ path, message }) => `  ${path.join('.') || 'file'}: ${message}`)
  throw new ConfigError(`RATE_LIMITS_FILE: ${file}\n${faults.join('\n')}`)
}

const TYPE_LIMIT = {
  asr: 'audio',
  embedding: 'embedding',
  image: 'image',
  inpaint: 'image',
  music: 'queue',
  tts: 'audio',
  upscale: 'image',
  video: 'queue',
} as const satisfies Record<Exclude<ModelType, 'text'>, keyof Limits['types']>

/** What one minute of a model allows a caller with this multiplier. Only text models count tokens. */
export function limitsOfModel(
  model: { type: ModelType; tier: Tier },
  multiplier: number,
  from = limits(),
): MinuteLimits {
  if (model.type !== 'text') return { requests: times(from.types[TYPE_LIMIT[model.type]], multiplier) }
  const { requestsPerMinute, tokensPerMinute } = from.tiers[model.tier]
  return { requests: times(requestsPerMinute, multiplier), tokens: times(tokensPerMinute, multiplier) }
}

/** What one minute of a route without a model allows. */
export function limitsOfRoute(route: RouteName, multiplier: number, from = limits()): MinuteLimits {
  return { requests: times(from.routes[route], multiplier) }
}

const times = (count: number, multiplier: number) =>
  count === 0 ? undefined : Math.max(1, Math.floor(count * multiplier))
