import 'server-only'
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { z } from 'zod'
import { DEFAULT_RATE_LIMITS } from '@/lib/contract/limits'
import { ConfigError, config } from '@/lib/kernel/config'
import { perProcess } from '@/lib/kernel/per-process'

const MAX_LIMIT = 1_000_000_000
const limitWith = (fallback: number) => z.int().min(0).max(MAX_LIMIT).default(fallback)

const section = <Name extends string>(numbers: Readonly<Record<Name, number>>) =>
  z
    .strictObject(
      Object.fromEntries(
        Object.entries<number>(numbers).map(([name, fallback]) => [name, limitWith(fallback)]),
      ) as Record<Name, ReturnType<typeof limitWith>>,
    )
    .prefault({} as never)

const defaults = DEFAULT_RATE_LIMITS

const Limits = z.strictObject({
  tiers: z
    .strictObject({
      XS: section(defaults.tiers.XS),
      S: section(defaults.tiers.S),
      M: section(defaults.tiers.M),
      L: section(defaults.tiers.L),
    })
    .prefault({}),
  types: section(defaults.types),
  routes: section(defaults.routes),
  cryptoRpc: section(defaults.cryptoRpc),
  failedRequests: z
    .strictObject({
      count: z.int().min(0).max(1_000).default(defaults.failedRequests.count),
      windowSeconds: z.int().min(1).max(3_600).default(defaults.failedRequests.windowSeconds),
      blockSeconds: z.int().min(1).max(3_600).default(defaults.failedRequests.blockSeconds),
    })
    .prefault({}),
  concurrency: section(defaults.concurrency),
})

export type Limits = z.infer<typeof Limits>

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
