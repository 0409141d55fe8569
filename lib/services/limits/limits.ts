import 'server-only'
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { z } from 'zod'
import { DEFAULT_RATE_LIMITS, type RouteName } from '@/lib/contract/limits'
import type { ModelType, Tier } from '@/lib/contract/models'
import { ConfigError, config } from '@/lib/kernel/config'
import { perProcess } from '@/lib/kernel/per-process'

const MAX_LIMIT = 1_000_000_000
const limit = (fallback: number) => z.int().min(0).max(MAX_LIMIT).default(fallback)

const section = <Name extends string>(defaults: Readonly<Record<Name, number>>) =>
  z
    .strictObject(
      Object.fromEntries(Object.entries<number>(defaults).map(([name, fallback]) => [name, limit(fallback)])) as Record<
        Name,
        ReturnType<typeof limit>
      >,
    )
    .prefault({} as never)

const { tiers, types, routes, cryptoRpc, failedRequests, concurrency } = DEFAULT_RATE_LIMITS

const Limits = z.strictObject({
  tiers: z
    .strictObject({ XS: section(tiers.XS), S: section(tiers.S), M: section(tiers.M), L: section(tiers.L) })
    .prefault({}),
  types: section(types),
  routes: section(routes),
  cryptoRpc: section(cryptoRpc),
  failedRequests: z
    .strictObject({
      count: z.int().min(0).max(1_000).default(failedRequests.count),
      windowSeconds: z.int().min(1).max(3_600).default(failedRequests.windowSeconds),
      blockSeconds: z.int().min(1).max(3_600).default(failedRequests.blockSeconds),
    })
    .prefault({}),
  concurrency: section(concurrency),
})

export type Limits = z.infer<typeof Limits>

/** A number that is missing is unlimited. */
export type MinuteLimits = { requests?: number; tokens?: number }

export function limits(): Limits {
  return perProcess('limits', () => loadLimits(config().rateLimitsFile))
}

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

export function limitsOfModel(
  model: { type: ModelType; tier: Tier },
  multiplier: number,
  from = limits(),
): MinuteLimits {
  if (model.type !== 'text') return { requests: times(from.types[TYPE_LIMIT[model.type]], multiplier) }
  const { requestsPerMinute, tokensPerMinute } = from.tiers[model.tier]
  return { requests: times(requestsPerMinute, multiplier), tokens: times(tokensPerMinute, multiplier) }
}

export function limitsOfRoute(route: RouteName, multiplier: number, from = limits()): MinuteLimits {
  return { requests: times(from.routes[route], multiplier) }
}

const times = (count: number, multiplier: number) =>
  count === 0 ? undefined : Math.max(1, Math.floor(count * multiplier))
