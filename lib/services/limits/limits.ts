import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import type { RouteName } from '@/lib/contract/limits'
import type { ModelType, Tier } from '@/lib/contract/models'
import { Expiring } from '@/lib/kernel/expiring-maps'
import { perProcess } from '@/lib/kernel/per-process'
import { type Caller, keyIdOf, type RateLimitFacts, type RequestContext } from '@/lib/kernel/request-context'
import { type Limits, limits } from '@/lib/services/limits/limits-file'
import { noteBreach } from '@/lib/services/limits/note-breach'
import { countsInPostgres } from '@/lib/services/limits/postgres'
import { countsInRedis, redis } from '@/lib/services/limits/redis'
import { limitStore } from '@/lib/services/limits/shared-store'
import { inBlocks, type LimitResult, type WindowStore } from '@/lib/services/limits/window-blocks'

/** A number that is missing is unlimited. */
type MinuteLimits = { requests?: number; tokens?: number }

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

export function windows(): WindowStore {
  return perProcess('windows', () => {
    const store = limitStore()
    if (store === 'memory') return memoryWindows()
    return inBlocks(store === 'redis' ? countsInRedis(redis()) : countsInPostgres())
  })
}

export interface LocalWindows extends WindowStore {
  take(key: string, limit: number, endsAtMs: number): LimitResult
  spent(key: string, limit: number, endsAtMs: number): number
}

export function memoryWindows(now: () => number = Date.now): LocalWindows {
  const open = new Expiring<{ used: number; endsAtMs: number }>(now)
  const windowOf = (key: string, endsAtMs: number) => open.ending(key, endsAtMs, () => ({ used: 0, endsAtMs }))
  return {
    take(key, limit, endsAtMs) {
      const window = windowOf(key, endsAtMs)
      if (window.used >= limit) return { isAllowed: false, left: 0 }
      window.used++
      return { isAllowed: true, left: limit - window.used }
    },
    spent: (key, _limit, endsAtMs) => windowOf(key, endsAtMs).used,
    spend(key, amount, _limit, endsAtMs) {
      windowOf(key, endsAtMs).used += amount
    },
  }
}

export const windowEnd = (nowMs: number, windowMs: number): number => (Math.floor(nowMs / windowMs) + 1) * windowMs

export const secondsUntil = (endsAtMs: number, nowMs: number): number =>
  Math.max(1, Math.ceil((endsAtMs - nowMs) / 1_000))

export function windowIsFull(message: string, endsAtMs: number, nowMs: number): ApiError {
  return new ApiError('RATE_LIMIT_EXCEEDED', message, { retryAfterSeconds: secondsUntil(endsAtMs, nowMs) })
}
