import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import { hex } from '@/lib/contract/ids'
import { MAX_RPC_BYTES } from '@/lib/contract/limits'
import type { Usd } from '@/lib/contract/money'
import { RPC_ERROR_CREDITS } from '@/lib/contract/prices'
import { BROADCASTS, creditsOf, offerOf } from '@/lib/contract/rpc-methods'
import { NETWORKS, networkOf, type RpcNetwork } from '@/lib/contract/rpc-networks'
import { assertDailyCredits, countCredits, limitReached } from '@/lib/endpoints/rpc/daily-credits'
import {
  type Claim,
  claimReply,
  fingerprintOf,
  idempotencyKeyOf,
  type StoredReply,
} from '@/lib/endpoints/rpc/idempotency'
import { config } from '@/lib/kernel/config'
import { type Caller, keyIdOf, type Params, type RequestContext } from '@/lib/kernel/request-context'
import { jsonBytes } from '@/lib/pipeline/body'
import type { Entry, Quote } from '@/lib/pipeline/metered'
import type { Reply } from '@/lib/pipeline/reply'
import { type Meter, type PricedUnits, priceOf } from '@/lib/services/ledger/meter'
import { takeTurn } from '@/lib/services/limits/concurrency'
import { endpointName, limitRoute } from '@/lib/services/limits/limits'
import { limits } from '@/lib/services/limits/limits-file'
import { noteBreach } from '@/lib/services/limits/note-breach'
import { meaningOfId, type RpcCall, type RpcRequest, readCalls, sentIds } from '@/lib/services/rpc-nodes/calls'
import { forward } from '@/lib/services/rpc-nodes/forward'
import type { NodeReply } from '@/lib/services/rpc-nodes/node-outcome'
import type { ScannedReply } from '@/lib/services/rpc-nodes/reply'
import { RPC_SKU } from '@/lib/services/usage/units'

/**
 * Larger replies keep the account's turn until the client has taken them, so that slow readers cannot pile them up in
 * memory.
 */
const MAX_WHOLE_BYTES = 1024 * 1024
const PIECE_BYTES = 256 * 1024

const REQUEST_ID_BYTES = 16

export type RpcBody = { network: RpcNetwork; request: RpcRequest; key?: string; fingerprint?: Buffer }

export type RpcWork = RpcBody & {
  requestId: string
  accountId: string
  credits: number
  claim?: Claim
}

export function networkOfPath(slug: unknown): RpcNetwork {
  const network = typeof slug === 'string' ? networkOf(slug) : undefined
  if (network) return network
  const close = NETWORKS.find(({ slug: known }) => known === String(slug).toLowerCase().replaceAll('_', '-'))
  const advice = close ? `Slugs are exact: use ${close.slug}.` : 'See GET /api/v1/crypto/rpc/networks for the list.'
  throw new ApiError('UNSUPPORTED_RPC_NETWORK', `Unsupported RPC network. ${advice}`)
}

/** Reads the calls of a body, and the idempotency key. @throws ApiError as `jsonBytes` and `readCalls` do. */
export async function readRpc(context: RequestContext, sent: Request, { network: slug }: Params): Promise<RpcBody> {
  const network = networkOfPath(slug)
  const bytes = await jsonBytes(context, sent, MAX_RPC_BYTES)
  const request = readCalls(bytes, network)
  const key = idempotencyKeyOf(context.headers)
  return key === undefined
    ? { network, request }
    : { network, request, key, fingerprint: fingerprintOf(network.slug, bytes) }
}

/** Prices a request as if every item had a result: the most it can cost. */
export function quoteRpc(body: RpcBody, { accountId }: Caller): Quote<RpcWork> {
  const credits = creditsOfRequest(body.network, body.request)
  const requestId = hex(REQUEST_ID_BYTES)
  return { requestId, amount: costOf(credits), isShared: true, work: { ...body, requestId, accountId, credits } }
}

/**
 * Applies limits, takes the account's turn, and looks up the reply of an earlier request with the same key. Source: API
 * contract, crypto-rpc.md.
 */
export async function enterCall({ work }: Quote<RpcWork>, caller: Caller, context: RequestContext): Promise<Entry> {
  const leave = await enterRpc(context, caller, { requests: 1, credits: work.credits })
  try {
    return work.key === undefined ? { leave } : await enterOnce(work, work.key, context, leave)
  } catch (error) {
    leave()
    throw error
  }
}

async function enterOnce(work: RpcWork, key: string, context: RequestContext, leave: () => void): Promise<Entry> {
  const { accountId, fingerprint, requestId } = work
  const claimed = await claimReply({ accountId, key, fingerprint: fingerprint!, requestId })
  if ('replay' in claimed) return { leave, reply: replyOf(claimed.replay, context, true) }
  work.claim = claimed.claim
  return {
    async leave() {
      leave()
      // Without effect where the reply was kept.
      await claimed.claim.drop()
    },
  }
}

/**
 * Asks the network. A broadcast, or a call with an idempotency key, runs to its end after the client left: its reply is
 * kept and charged.
 */
export async function runRpc(
  work: RpcWork,
  meter: Meter,
  _: RequestContext,
  signal: AbortSignal,
): Promise<StoredReply & { retries: number }> {
  const { network, request, requestId, accountId, claim } = work
  const isSeenThrough = claim !== undefined || request.calls.some(({ method }) => BROADCASTS.has(method))
  const options = { signal: isSeenThrough ? NEVER : signal, requestId, accountId }
  const reply = await forward(network, request, options)
  const credits = creditsFor(network, request, reply)
  if (credits > 0) {
    meter.readWith(() => ({ lines: [lineOf(network, request, credits)] }))
    countCredits(accountId, credits)
  }
  const { status, body } =
    reply.kind === 'answered'
      ? { status: 200, body: reply.body }
      : { status: reply.status, body: Buffer.from(reply.body) }
  const stored = { status, body, credits, cost: costOf(credits), requestId }
  // Kept before it is charged: a crash in between costs us, and never the caller twice.
  if (status !== 429 && status < 500) await claim?.keep(stored)
  return { ...stored, retries: reply.retries }
}

const NEVER = new AbortController().signal

export async function respondRpc(
  running: Promise<StoredReply & { retries: number }>,
  _work: RpcWork,
  _meter: Meter,
  context: RequestContext,
): Promise<Reply> {
  const answer = await running
  if (answer.retries > 0) context.facts.retries = answer.retries
  return replyOf(answer, context, false)
}

function replyOf(
  { status, body, credits, cost, requestId }: StoredReply,
  { facts }: RequestContext,
  isReplayed: boolean,
): Reply {
  facts.rpc = { credits, cost, requestId, ...(isReplayed && { isReplayed }) }
  const bytes = body as Uint8Array<ArrayBuffer>
  return { status, body: bytes.length > MAX_WHOLE_BYTES ? pieces(bytes) : bytes, contentType: 'application/json' }
}

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES)
}

/**
 * Counts requests against the account's minute and credits against its day, then waits for its turn.
 *
 * @returns a function that gives the turn back; calling it again does nothing.
 * @throws ApiError RATE_LIMIT_EXCEEDED; `customMessage` in its body names the limit. Source: API contract,
 * crypto-rpc.md "Limits".
 */
export async function enterRpc(
  context: RequestContext,
  caller: Caller,
  { requests, credits }: { requests: number; credits: number },
): Promise<() => void> {
  try {
    for (let counted = 0; counted < requests; counted++) await limitRoute(context, caller, 'crypto-rpc')
  } catch (error) {
    throw ofTheMinute(error, context)
  }
  try {
    await assertDailyCredits(caller.accountId, credits, caller.rateMultiplier)
  } catch (error) {
    throw ofTheDay(error, context, caller)
  }
  const places = limits().cryptoRpc.concurrencyPerUser
  return takeTurn(`rpc:${caller.accountId}`, places, context.signal, () => stillRunning(places))
}

const BUSY_RETRY_SECONDS = 1

const stillRunning = (places: number) =>
  limitReached(
    'Another request of this account is still running. Wait for it to finish, or send several calls as one batch.',
    `Concurrency cap: ${places === 1 ? 'one JSON-RPC request' : `${places} JSON-RPC requests`} at a time per account. Try again when the current request has finished.`,
    BUSY_RETRY_SECONDS,
  )

function ofTheMinute(error: unknown, { facts }: RequestContext): unknown {
  const window = facts.rateLimit
  if (!isLimit(error) || !window) return error
  facts.rpcLimit = { limit: window.limitRequests, resetAt: window.resetRequestsAt }
  const message = `The limit of ${window.limitRequests} requests a minute to blockchain networks is reached.`
  return limitReached(error.message, message, error.retryAfterSeconds ?? 1)
}

function ofTheDay(error: unknown, context: RequestContext, caller: Caller): unknown {
  if (!isLimit(error)) return error
  context.facts.rateLimitType = 'user'
  const modelId = endpointName(context)
  noteBreach(
    { accountId: caller.accountId, keyId: keyIdOf(caller), modelId, tier: 'crypto-rpc', type: 'RPD' },
    Date.now(),
  )
  return error
}

const isLimit = (error: unknown): error is ApiError => error instanceof ApiError && error.code === 'RATE_LIMIT_EXCEEDED'

const PAYMENT_REQUIRED = 402
const TOO_MANY_REQUESTS = 429

/** Counts the credits of a request as if every call had a result: the most it can cost. */
export function creditsOfRequest(network: RpcNetwork, { calls }: RpcRequest): number {
  let credits = 0
  for (const call of calls) credits += creditsOfCall(network, call)
  return credits
}

export const creditsFor = (network: RpcNetwork, request: RpcRequest, reply: NodeReply): number =>
  reply.kind === 'answered' ? creditsOfReply(network, request, reply.scanned) : creditsOfRefusal(request, reply.status)

/**
 * Counts the credits of a reply. Replies of a batch are paired with its calls by id, each call once; a call without a
 * reply is free.
 * Source: API contract, crypto-rpc.md "Pricing".
 */
export function creditsOfReply(network: RpcNetwork, request: RpcRequest, { items }: ScannedReply): number {
  const { calls } = request
  if (!request.isBatch) return items[0]?.outcome === 'result' ? creditsOfRequest(network, request) : RPC_ERROR_CREDITS
  const waiting = waitingById(request)
  let credits = 0
  // A node that says more than it was asked is not paid for it.
  for (const { id, outcome } of items.slice(0, calls.length)) {
    const call = id === undefined ? undefined : waiting.get(meaningOfId(id))?.pop()
    if (outcome === 'error') credits += RPC_ERROR_CREDITS
    else credits += call ? creditsOfCall(network, call) : RPC_ERROR_CREDITS
  }
  return credits
}

export function creditsOfRefusal({ calls }: RpcRequest, status: number): number {
  const isOurs = status === PAYMENT_REQUIRED || status === TOO_MANY_REQUESTS
  return status >= 400 && status < 500 && !isOurs ? calls.length * RPC_ERROR_CREDITS : 0
}

function waitingById(request: RpcRequest): Map<string, RpcCall[]> {
  const { calls } = request
  const ids = sentIds(request)
  const waiting = new Map<string, RpcCall[]>()
  for (let index = calls.length - 1; index >= 0; index--) {
    const call = calls[index]!
    const id = ids[index]
    if (id === undefined) continue
    const key = meaningOfId(id)
    const others = waiting.get(key)
    if (others) others.push(call)
    else waiting.set(key, [call])
  }
  return waiting
}

/** @throws RangeError for a method that is not offered: such a request is refused before it has a price. */
function creditsOfCall(network: RpcNetwork, { method }: RpcCall): number {
  const offer = offerOf(network.family, method)
  if (!offer.isOffered) throw new RangeError(`${network.slug}: ${method} has no price`)
  return creditsOf(network, offer.tier)
}

export function lineOf({ slug }: RpcNetwork, { calls }: RpcRequest, credits: number): PricedUnits {
  const counts: Record<string, number> = {}
  for (const { method } of calls) counts[method] = (counts[method] ?? 0) + 1
  return { sku: `${RPC_SKU}${slug}`, units: credits, price: config().rpcCreditPrice, calls: counts }
}

export const costOf = (credits: number): Usd => priceOf([{ units: credits, price: config().rpcCreditPrice }])
