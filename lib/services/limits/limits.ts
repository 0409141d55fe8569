import 'server-only'
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { z } from 'zod'
import { ApiError } from '@/lib/contract/errors'
import { DEFAULT_RATE_LIMITS, type RouteName } from '@/lib/contract/limits'
import type { ModelType, Tier } from '@/lib/contract/models'
import { ConfigError, config } from '@/lib/kernel/config'
import { perProcess } from '@/lib/kernel/per-process'
import { type Caller, keyIdOf, type RateLimitFacts, type RequestContext } from '@/lib/kernel/request-context'
import { noteBreach } from '@/lib/services/limits/note-breach'
import { type LimitResult, secondsUntil, windowEnd, windows } from '@/lib/services/limits/windows'

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

/** A number that is missing is unlimited. */
type MinuteLimits = { requests?: number; tokens?: number }

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

function limitsOfRoute(route: RouteName, multiplier: number, from = limits()): MinuteLimits {
  return { requests: times(from.routes[route], multiplier) }
}

const times = (count: number, multiplier: number) =>
  count === 0 ? undefined : Math.max(1, Math.floor(count * multiplier))

/** Windows are the minutes of the clock, so that all processes agree on them. */
const WINDOW_MS = 60_000

type LimitedModel = { id: string; type: ModelType; tier: Tier }

type Subject = { key: string; modelId: string; tier: string; limits: MinuteLimits }

export type Counted = RateLimitFacts | undefined

/**
 * Counts a request against the account's minute for this model and notes the state as facts. Answers without waiting
 * unless several processes share the windows and a new block must be fetched.
 * @throws ApiError RATE_LIMIT_EXCEEDED when the minute's requests or tokens are used up.
 */
export function limitRequest(context: RequestContext, caller: Caller, model: LimitedModel): Counted | Promise<Counted> {
  return limit(context, caller, subjectOfModel(caller, model))
}

/**
 * Counts a request of a route without a model: such routes share the bucket `default` unless they give one of their
 * own.
 */
export function limitRoute(
  context: RequestContext,
  caller: Caller,
  route: RouteName,
  bucket: string = route,
): Counted | Promise<Counted> {
  const key = `${caller.accountId}:/${bucket}`
  return limitEndpoint(context, caller, key, route, limitsOfRoute(route, caller.rateMultiplier))
}

export async function peekRoute(
  { accountId, rateMultiplier }: Pick<Caller, 'accountId' | 'rateMultiplier'>,
  route: RouteName,
): Promise<Counted> {
  const limits = limitsOfRoute(route, rateMultiplier)
  if (limits.requests === undefined) return undefined
  const nowMs = Date.now()
  const endsAtMs = windowEnd(nowMs, WINDOW_MS)
  const used = await windows().spent(`${accountId}:/${route}:r`, limits.requests, endsAtMs)
  return factsOf(limits, Math.max(0, limits.requests - used), 0, endsAtMs, nowMs)
}

export function limitRetrieve(context: RequestContext, caller: Caller): Counted | Promise<Counted> {
  const requests = times(limits().types.retrieve, caller.rateMultiplier)
  return limitEndpoint(context, caller, `${caller.accountId}:/retrieve`, 'retrieve', { requests })
}

/**
 * Counts a request of a route without credentials by the client's address.
 * @throws ApiError RATE_LIMIT_EXCEEDED.
 */
export function limitAddress(context: RequestContext, route: RouteName): Counted | Promise<Counted> {
  const key = `address:${context.clientAddress}:/${route}`
  return limitEndpoint(context, undefined, key, route, limitsOfRoute(route, 1))
}

/** Counts prompt and completion tokens; cached tokens do not count. Source: API contract, README 8.2. */
export function recordTokens(caller: Caller, model: LimitedModel, tokens: number): void {
  const { key, limits } = subjectOfModel(caller, model)
  if (limits.tokens === undefined || !(tokens > 0)) return
  windows().spend(`${key}:t`, Math.ceil(tokens), limits.tokens, windowEnd(Date.now(), WINDOW_MS))
}

/** Names a route in breaches and limits, where requests with a model have the model's id. */
export const endpointName = ({ path }: RequestContext): string => `endpoint:${path.replace(/^\//, '')}`

function subjectOfModel(caller: Caller, model: LimitedModel): Subject {
  const limits = limitsOfModel(model, caller.rateMultiplier)
  return { key: `${caller.accountId}:${model.id}`, modelId: model.id, tier: model.tier, limits }
}

function limitEndpoint(
  context: RequestContext,
  caller: Caller | undefined,
  key: string,
  tier: string,
  limits: MinuteLimits,
): Counted | Promise<Counted> {
  return limit(context, caller, { key, modelId: endpointName(context), tier, limits })
}

function limit(context: RequestContext, caller: Caller | undefined, subject: Subject): Counted | Promise<Counted> {
  const { key, limits } = subject
  const nowMs = Date.now()
  const endsAtMs = windowEnd(nowMs, WINDOW_MS)
  const spent = limits.tokens === undefined ? 0 : windows().spent(`${key}:t`, limits.tokens, endsAtMs)
  if (typeof spent === 'number') return afterTokens(spent)
  return spent.then(afterTokens)

  function afterTokens(spentTokens: number): Counted | Promise<Counted> {
    const isSpent = limits.tokens !== undefined && spentTokens >= limits.tokens
    const result = limits.requests === undefined ? UNLIMITED : take(limits.requests, isSpent)
    return 'then' in result ? result.then((shared) => decide(shared, spentTokens)) : decide(result, spentTokens)
  }

  function take(requests: number, isSpent: boolean): LimitResult | Promise<LimitResult> {
    if (!isSpent) return windows().take(`${key}:r`, requests, endsAtMs)
    const used = windows().spent(`${key}:r`, requests, endsAtMs)
    const leftOf = (count: number) => ({ isAllowed: true, left: Math.max(0, requests - count) })
    return typeof used === 'number' ? leftOf(used) : used.then(leftOf)
  }

  function decide(result: LimitResult, spentTokens: number): Counted {
    const facts = factsOf(limits, result.left, spentTokens, endsAtMs, nowMs)
    context.facts.rateLimit = facts
    const hasTokens = limits.tokens === undefined || spentTokens < limits.tokens
    if (result.isAllowed && hasTokens) return facts
    throw refusal(context, caller, subject, result.isAllowed ? 'TPM' : 'RPM', endsAtMs, nowMs)
  }
}

const UNLIMITED: LimitResult = { isAllowed: true, left: 0 }

function factsOf(limits: MinuteLimits, left: number, spentTokens: number, endsAtMs: number, nowMs: number): Counted {
  if (limits.requests === undefined) return undefined
  const requests = { limitRequests: limits.requests, remainingRequests: left, resetRequestsAt: endsAtMs / 1_000 }
  if (limits.tokens === undefined) return requests
  return {
    ...requests,
    limitTokens: limits.tokens,
    remainingTokens: Math.max(0, limits.tokens - spentTokens),
    resetTokensSeconds: secondsUntil(endsAtMs, nowMs),
  }
}

function refusal(
  context: RequestContext,
  caller: Caller | undefined,
  subject: Subject,
  type: 'RPM' | 'TPM',
  endsAtMs: number,
  nowMs: number,
): ApiError {
  context.facts.rateLimitType = 'user'
  if (caller) {
    const { accountId } = caller
    noteBreach({ accountId, keyId: keyIdOf(caller), modelId: subject.modelId, tier: subject.tier, type }, nowMs)
  }
  const seconds = secondsUntil(endsAtMs, nowMs)
  const count = type === 'RPM' ? `${subject.limits.requests} requests` : `${subject.limits.tokens} tokens`
  return new ApiError('RATE_LIMIT_EXCEEDED', `The limit of ${count} a minute is reached. Try again in ${seconds} s.`, {
    retryAfterSeconds: seconds,
  })
}
