import 'server-only'
import { type KeyRecord, verifyKey } from '@/lib/access/api-keys'
import { noteBreach } from '@/lib/access/breaches'
import { type Accepts, type Caller, isWallet } from '@/lib/access/caller'
import { failureBudget } from '@/lib/access/failed-requests'
import { noteUse } from '@/lib/access/last-used'
import { limitRoute } from '@/lib/access/rate-limit'
import { isSameOrigin } from '@/lib/access/same-origin'
import { type Session, sessionSecret, verifySession } from '@/lib/access/session'
import { addressKey, assertAddressWithinBudget } from '@/lib/access/sign-in/address-budget'
import { type SignedIn, signInHeader, verifySignIn } from '@/lib/access/sign-in/verify'
import { balancesOf } from '@/lib/billing/ledger'
import { refreshAllowance } from '@/lib/billing/staking'
import { walletId } from '@/lib/core/chains'
import { config } from '@/lib/core/config'
import type { RequestContext } from '@/lib/core/context'
import { ApiError } from '@/lib/core/errors'
import { nano } from '@/lib/core/money'
import { payOnRoute } from '@/lib/x402/pay-on-route'
import { rails } from '@/lib/x402/rails'
import { discovery } from '@/lib/x402/requirements'

const PAYMENT_HEADERS = ['PAYMENT-SIGNATURE', 'X-402-Payment', 'X-PAYMENT'] as const
const MAX_AUTHORIZATION_CHARACTERS = 256
/** One key and nothing else: two headers arrive joined by a comma and match no more than a space or a control character. */
const BEARER = /^Bearer +([A-Za-z0-9_]+)$/i

/**
 * Says who is asking, from headers alone and before the body is read, and leaves the ids as facts. The order of the
 * checks decides which error wins. Source: API contract, README 3.1, 4 and 5.
 *
 * @throws ApiError 400, 401, 402, 403 or 429 as the contract's code table has them.
 */
export async function admit(context: RequestContext, accepts: Accepts): Promise<Caller> {
  const caller = accepts === 'paid' ? await admitPaid(context) : await admitKey(context, accepts)
  assertWithinBudget(context)
  if (accepts === 'paid') {
    const refreshing = refreshAllowance(caller)
    if (refreshing) await refreshing
  } else {
    await addFacts(context, caller)
  }
  return caller
}

/**
 * The wallet whose data a route shows: by the proof in the request, or by the cookie of its session. Costs nothing, asks
 * for no credit, and takes the same proof again. Source: API contract, README 4 and x402.md 5.
 *
 * @param walletInPath an address; the caller must be that wallet.
 * @throws ApiError X402_INVALID_SIGN_IN (401), X402_WALLET_MISMATCH or API_ACCESS_DISABLED (403), RATE_LIMIT_EXCEEDED (429).
 */
export async function admitWallet(context: RequestContext, walletInPath: string): Promise<Caller> {
  assertAddressWithinBudget(context)
  const caller = await readingWallet(context)
  if (!caller || !isWallet(caller)) {
    const message = 'Sign in with the wallet whose data this is: send its proof in the header SIGN-IN-WITH-X.'
    throw new ApiError('X402_INVALID_SIGN_IN', message)
  }
  countByAddress(context, caller)
  if (caller.address !== walletId(walletInPath)) {
    throw new ApiError('X402_WALLET_MISMATCH', 'The wallet that signed in is not the wallet in the path.')
  }
  return caller
}

/** The caller behind a valid key on a public route; anything else is nobody, never an error. Source: README 4. */
export async function admitOptional(context: RequestContext): Promise<Caller | undefined> {
  const secret = bearer(context.headers)
  const key = secret === undefined ? undefined : await verifyKey(secret)
  if (!key || isExpired(key) || key.account.status !== 'active') return undefined
  const caller = callerOfKey(key)
  use(context, key)
  await addFacts(context, caller).catch((error: unknown) => {
    // The route is open to everyone: a used-up bucket shows in the headers and closes nothing.
    if (!(error instanceof ApiError)) throw error
    context.facts.rateLimitType = undefined
  })
  return caller
}

/** Counts a reply against the budget of failed requests. Called once for every reply, with its status. */
export function recordOutcome(context: RequestContext, status: number): void {
  if (status < 400) return
  const { accountId, keyId } = context.facts
  const isNowBlocked = failureBudget().recordFailure(failureKey(context), status, accountId !== undefined)
  if (!isNowBlocked || accountId === undefined) return
  const modelId = `endpoint:${context.path.replace(/^\//, '')}`
  noteBreach({ accountId, keyId, modelId, tier: 'failed-requests', type: 'FAILED_REQUESTS' }, Date.now())
}

async function admitPaid(context: RequestContext): Promise<Caller> {
  const { headers } = context
  if (signInHeader(headers) !== undefined) return admitProof(context, { mayRepeat: false })
  if (headers.has('authorization')) return admitBearer(context, 'paid')
  const secret = isSameOrigin(headers) ? sessionSecret(headers) : undefined
  if (secret !== undefined) return admitSession(context, secret)
  if (PAYMENT_HEADERS.some((name) => headers.has(name)) && config().paysOnRoute && rails().length > 0) {
    return admitPayment(context)
  }
  refusePayment(headers)
  throw await discovery(context)
}

async function admitKey(context: RequestContext, accepts: 'key' | 'admin'): Promise<Caller> {
  if (context.headers.has('authorization')) return admitBearer(context, accepts)
  refusePayment(context.headers)
  throw unauthenticated(context)
}

async function admitProof(context: RequestContext, options: { mayRepeat: boolean }): Promise<Caller> {
  const wallet = await verifySignIn(context, options)
  context.facts.accountId = wallet.accountId
  const caller = callerOfWallet(wallet)
  countByAddress(context, caller)
  assertActive(wallet.status)
  return caller
}

/** Settles the payment that came with the request; the payer is then the caller. */
async function admitPayment(context: RequestContext): Promise<Caller> {
  assertAddressWithinBudget(context)
  const caller = await payOnRoute(context)
  context.facts.accountId = caller.accountId
  countByAddress(context, caller)
  return caller
}

async function readingWallet(context: RequestContext): Promise<Caller | undefined> {
  const { headers } = context
  if (signInHeader(headers) !== undefined) {
    return admitProof(context, { mayRepeat: true }).catch((error: unknown) => {
      if (!(error instanceof ApiError) || !error.code.startsWith('X402_SIGN_IN_')) throw error
      // These routes have one code for every bad proof; the message says which it was.
      throw new ApiError('X402_INVALID_SIGN_IN', error.message, { cause: error })
    })
  }
  const secret = isSameOrigin(headers) ? sessionSecret(headers) : undefined
  return secret !== undefined && (await verifySession(secret)) ? admitSession(context, secret) : undefined
}

async function admitBearer(context: RequestContext, accepts: Accepts): Promise<Caller> {
  const secret = bearer(context.headers)
  // What manages an account, and is asked seldom, must see a revocation by any process; work is checked with its hold.
  const key = secret === undefined ? undefined : await verifyKey(secret, accepts !== 'paid')
  if (!key) throw unauthenticated(context)
  use(context, key)
  assertActive(key.account.status)
  if (isExpired(key)) throw new ApiError('AUTHENTICATION_FAILED', AUTHENTICATION_FAILED)
  if (accepts === 'admin' && key.type !== 'ADMIN') {
    throw new ApiError(
      'ADMIN_KEY_REQUIRED',
      'This needs an admin key: a key of type ADMIN. The key that was sent is for inference.',
    )
  }
  return callerOfKey(key)
}

async function admitSession(context: RequestContext, secret: string): Promise<Caller> {
  const session = await verifySession(secret)
  if (!session) throw unauthenticated(context)
  context.facts.accountId = session.accountId
  const caller = callerOfSession(session)
  countByAddress(context, caller)
  assertActive(session.account.status)
  return caller
}

/** A fixed text: clients match it, and every bad credential gets the same. Source: API contract, README 7.3. */
const AUTHENTICATION_FAILED = 'Authentication failed'

/** Who cannot say who he is has his address's budget: guessing ends in 429. */
function unauthenticated(context: RequestContext): ApiError {
  assertWithinBudget(context)
  return new ApiError('AUTHENTICATION_FAILED', AUTHENTICATION_FAILED)
}

function assertWithinBudget(context: RequestContext): void {
  const caller = failureKey(context)
  if (failureBudget().isBlocked(caller))
    context.facts.rateLimitType = context.facts.keyId === undefined ? 'user' : 'api_key'
  failureBudget().assertNotBlocked(caller)
}

/** @throws ApiError API_ACCESS_DISABLED (403) or AUTHENTICATION_FAILED_INACTIVE_KEY (401) unless the account may be used. */
export function assertActive(status: KeyRecord['account']['status']): void {
  if (status === 'disabled') throw new ApiError('API_ACCESS_DISABLED', 'API access is disabled for this account.')
  if (status === 'inactive') {
    throw new ApiError('AUTHENTICATION_FAILED_INACTIVE_KEY', 'The subscription behind this key is not active.')
  }
}

function refusePayment(headers: Headers): void {
  const payment = PAYMENT_HEADERS.find((name) => headers.has(name))
  if (payment === undefined) return
  throw new ApiError(
    'PAYMENT_HEADER_NOT_ACCEPTED',
    `${payment}: payments are not accepted here, and nothing was settled. Send an API key as Authorization: Bearer, or pay at POST /api/v1/x402/top-up and sign in with the wallet.`,
  )
}

function bearer(headers: Headers): string | undefined {
  const header = headers.get('authorization')
  if (header === null || header.length > MAX_AUTHORIZATION_CHARACTERS) return undefined
  return BEARER.exec(header)?.[1]
}

function use(context: RequestContext, key: KeyRecord): void {
  context.facts.accountId = key.accountId
  context.facts.keyId = key.id
  noteUse(key.id)
}

/** The facts of a request that holds no money: the default bucket and the balances. */
async function addFacts(context: RequestContext, caller: Caller): Promise<void> {
  const [, balances] = await Promise.all([limitRoute(context, caller, 'default'), balancesOf(caller.accountId)])
  context.facts.balanceUsd = nano(balances.USD + balances.BUNDLED_CREDITS)
  context.facts.balanceDiem = balances.DIEM
}

/** Requests of wallets, which may be had for nothing: what they do wrong counts against their address. */
const countedByAddress = new WeakSet<RequestContext>()

function countByAddress(context: RequestContext, caller: Caller): void {
  if (isWallet(caller)) countedByAddress.add(context)
}

/** Failures count per key, per account for a guest's session, and per address for everyone else. */
function failureKey(context: RequestContext): string {
  const { keyId, accountId } = context.facts
  if (keyId !== undefined) return `key:${keyId}`
  return accountId === undefined || countedByAddress.has(context) ? addressKey(context) : `account:${accountId}`
}

const isExpired = (key: KeyRecord): boolean => key.expiresAt !== undefined && key.expiresAt.getTime() <= Date.now()

function callerOfKey(key: KeyRecord): Caller {
  const { id, type, modelPrivacy, expiresAt, accountId, rateMultiplier, account } = key
  const via = { type: 'key', keyId: id, keyType: type, modelPrivacy, expiresAt } as const
  return { accountId, kind: account.kind, address: account.address, isPro: account.isPro, rateMultiplier, via }
}

function callerOfWallet({ accountId, address, isPro, rateMultiplier }: SignedIn): Caller {
  return { accountId, kind: 'wallet', address, isPro, rateMultiplier, via: { type: 'sign-in' } }
}

function callerOfSession({ id, accountId, rateMultiplier, account }: Session): Caller {
  return {
    accountId,
    kind: account.kind,
    address: account.address,
    isPro: account.isPro,
    rateMultiplier,
    via: { type: 'session', sessionId: id },
  }
}
