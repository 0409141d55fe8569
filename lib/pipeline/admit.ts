import 'server-only'
import { familyOf, walletId } from '@/lib/contract/chains'
import { ApiError, invalidField } from '@/lib/contract/errors'
import { PAYMENT_HEADERS, signInHeader } from '@/lib/contract/headers'
import type { RouteName } from '@/lib/contract/limits'
import { config } from '@/lib/kernel/config'
import {
  type Accepts,
  type Caller,
  isWallet,
  noteAdmitted,
  type Params,
  type RequestContext,
} from '@/lib/kernel/request-context'
import { rails } from '@/lib/services/chains/rails'
import { noteUse } from '@/lib/services/identity/api-keys'
import {
  type AccountStatus,
  type KeyRecord,
  type Session,
  verifyKey,
  verifySession,
} from '@/lib/services/identity/credentials'
import { ownSecret, ownSession } from '@/lib/services/identity/session'
import { type SignedIn, verifySignIn } from '@/lib/services/identity/sign-in/verify'
import { balancesOf } from '@/lib/services/ledger/ledger'
import { type Balances, creditOf } from '@/lib/services/ledger/ledger-types'
import {
  AUTHENTICATION_FAILED,
  assertWithinBudget,
  countBadCredentials,
  countCaller,
  failingOf,
  failureBudget,
  isAddressBlocked,
  unauthenticated,
} from '@/lib/services/limits/failed-requests'
import { endpointName, limitRoute } from '@/lib/services/limits/limits'
import { noteBreach } from '@/lib/services/limits/note-breach'
import { payOnRoute } from '@/lib/services/payments/pay-on-route'
import { discovery } from '@/lib/services/payments/requirements'
import { refreshAllowance } from '@/lib/services/payments/staking'

const MAX_AUTHORIZATION_CHARACTERS = 256
/** Exactly one key: two headers arrive joined by a comma and do not match. */
const BEARER = /^Bearer +([A-Za-z0-9_]+)$/i

/**
 * Authenticates a request from its headers, before the body is read. The order of the checks decides which error wins.
 * Source: API contract, README 3.1, 4 and 5.
 *
 * @throws ApiError 400, 401, 402, 403 or 429 as the contract's code table has them.
 */
export async function admit(context: RequestContext, accepts: Accepts): Promise<Caller> {
  const caller = accepts === 'paid' ? await admitPaid(context) : await admitKey(context, accepts)
  await assertWithinBudget(context)
  if (accepts === 'paid') {
    const refreshing = refreshAllowance(caller)
    if (refreshing) await refreshing
  } else {
    await addFacts(context, caller)
  }
  return caller
}

export async function admitOptional(context: RequestContext): Promise<Caller | undefined> {
  const secret = bearer(context.headers)
  // A new key for every request would cost a look at the database each: guesses are counted here as everywhere.
  if (secret === undefined || isAddressBlocked(context)) return undefined
  const key = await verifyKey(secret)
  if (!key) countBadCredentials(context)
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

export function recordOutcome(context: RequestContext, status: number): void {
  if (status < 400) return
  const { accountId, keyId } = context.facts
  const onBlocked = () => {
    if (accountId === undefined) return
    const modelId = endpointName(context)
    noteBreach({ accountId, keyId, modelId, tier: 'failed-requests', type: 'FAILED_REQUESTS' }, Date.now())
  }
  for (const failing of failingOf(context)) {
    failureBudget().recordFailure(failing, status, accountId !== undefined, onBlocked)
  }
}

async function admitPaid(context: RequestContext): Promise<Caller> {
  const { headers } = context
  if (signInHeader(headers) !== undefined) return admitProof(context, { mayRepeat: false })
  if (headers.has('authorization')) return admitBearer(context, 'paid')
  const secret = ownSecret(context)
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
  throw await unauthenticated(context)
}

async function admitBearer(context: RequestContext, accepts: Accepts): Promise<Caller> {
  const secret = bearer(context.headers)
  // What manages an account, and is asked seldom, must see a revocation by any process; work is checked with its hold.
  const key = secret === undefined ? undefined : await verifyKey(secret, accepts !== 'paid')
  if (!key) throw await unauthenticated(context)
  use(context, key)
  assertActive(key.account.status)
  if (isExpired(key)) throw new ApiError('AUTHENTICATION_FAILED', AUTHENTICATION_FAILED)
  const caller = noteAdmitted(context, callerOfKey(key))
  if (accepts === 'admin' && key.type !== 'ADMIN') {
    throw new ApiError(
      'ADMIN_KEY_REQUIRED',
      'This needs an admin key: a key of type ADMIN. The key that was sent is for inference.',
    )
  }
  return caller
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

async function addFacts(context: RequestContext, caller: Caller): Promise<void> {
  const [, balances] = await Promise.all([limitRoute(context, caller, 'default'), balancesOf(caller.accountId)])
  context.facts.balanceUsd = creditOf(balances)
  context.facts.balanceDiem = balances.DIEM
}

const isExpired = (key: KeyRecord): boolean => key.expiresAt !== undefined && key.expiresAt.getTime() <= Date.now()

function callerOfKey(key: KeyRecord): Caller {
  const { id, type, modelPrivacy, expiresAt, accountId, rateMultiplier, account } = key
  const via = { type: 'key', keyId: id, keyType: type, modelPrivacy, expiresAt } as const
  return { accountId, kind: account.kind, address: account.address, isPro: account.isPro, rateMultiplier, via }
}

/**
 * Admits whoever manages an account: an admin key, or a signed-in browser on our own pages. A key in the request takes
 * precedence over the cookie. Source: API contract, README 4 and 5.
 *
 * @param accepts `key` also admits inference keys.
 * @throws ApiError 400, 401, 403 or 429 as `admit`.
 */
export async function admitManager(context: RequestContext, accepts: 'key' | 'admin' = 'admin'): Promise<Caller> {
  const secret = context.headers.has('authorization') ? undefined : ownSecret(context)
  if (secret === undefined) return admit(context, accepts)
  const caller = await admitSession(context, secret)
  await assertWithinBudget(context)
  await addFacts(context, caller)
  return caller
}

/**
 * Admits the wallet whose data a route shows, by the proof in the request or the session cookie. Free; the same proof
 * may be sent again. Source: API contract, README 4 and x402.md 5.
 *
 * @param walletInPath the caller must be this wallet.
 * @throws ApiError X402_INVALID_SIGN_IN (401), X402_WALLET_MISMATCH or API_ACCESS_DISABLED (403), RATE_LIMIT_EXCEEDED
 * (429).
 */
export async function admitWallet(context: RequestContext, walletInPath: string): Promise<Caller> {
  const caller = await readingWallet(context)
  await assertWithinBudget(context)
  if (!caller || !isWallet(caller)) {
    const message = 'Sign in with the wallet whose data this is: send its proof in the header SIGN-IN-WITH-X.'
    throw new ApiError('X402_INVALID_SIGN_IN', message)
  }
  if (caller.address !== walletId(walletInPath)) {
    throw new ApiError('X402_WALLET_MISMATCH', 'The wallet that signed in is not the wallet in the path.')
  }
  return caller
}

async function admitProof(context: RequestContext, options: { mayRepeat: boolean }): Promise<Caller> {
  const wallet = await verifySignIn(context, options)
  context.facts.accountId = wallet.accountId
  const caller = callerOfWallet(wallet)
  countCaller(context, caller)
  assertActive(wallet.status)
  return noteAdmitted(context, caller)
}

async function admitPayment(context: RequestContext): Promise<Caller> {
  await assertWithinBudget(context)
  const caller = await payOnRoute(context)
  countCaller(context, caller)
  return noteAdmitted(context, caller)
}

async function admitSession(context: RequestContext, secret: string): Promise<Caller> {
  const caller = await sessionCaller(context, secret)
  if (!caller) throw await unauthenticated(context)
  return caller
}

async function sessionCaller(context: RequestContext, secret: string): Promise<Caller | undefined> {
  const session = await verifySession(secret)
  if (!session) return undefined
  context.facts.accountId = session.accountId
  const caller = callerOfSession(session)
  countCaller(context, caller)
  assertActive(session.account.status)
  return noteAdmitted(context, caller)
}

async function readingWallet(context: RequestContext): Promise<Caller | undefined> {
  if (signInHeader(context.headers) !== undefined) {
    return admitProof(context, { mayRepeat: true }).catch((error: unknown) => {
      if (!(error instanceof ApiError) || !error.code.startsWith('X402_SIGN_IN_')) throw error
      // These routes have one code for every bad proof; the message says which it was.
      throw new ApiError('X402_INVALID_SIGN_IN', error.message, { cause: error })
    })
  }
  const secret = ownSecret(context)
  return secret === undefined ? undefined : sessionCaller(context, secret)
}

export function assertActive(status: AccountStatus): void {
  if (status === 'disabled')
    throw new ApiError('API_ACCESS_DISABLED', 'API access is disabled for this account. Contact the operator.')
  if (status === 'inactive') {
    throw new ApiError('AUTHENTICATION_FAILED_INACTIVE_KEY', 'This account is not active. Contact the operator.')
  }
}

export function callerOfWallet({ accountId, address, isPro, rateMultiplier }: SignedIn): Caller {
  return { accountId, kind: 'wallet', address, isPro, rateMultiplier, via: { type: 'sign-in' } }
}

export function callerOfSession({ id, accountId, rateMultiplier, account }: Session): Caller {
  return {
    accountId,
    kind: account.kind,
    address: account.address,
    isPro: account.isPro,
    rateMultiplier,
    via: { type: 'session', sessionId: id },
  }
}

/**
 * Admits the browser session of our own pages. A blocked account may still see its own data.
 *
 * @throws ApiError AUTHENTICATION_FAILED (401) without a session, and for another origin; RATE_LIMIT_EXCEEDED (429).
 */
export async function pageCaller(context: RequestContext, limits: RouteName = 'default'): Promise<Caller> {
  const caller = callerOfSession(await ownSession(context))
  await limitRoute(context, caller, limits)
  return caller
}

const REQUEST_ID = /^[\w-]{1,64}$/

/**
 * Admits a page that asks what became of one of its own requests, by the id in the path.
 * @throws ApiError as `pageCaller`; INVALID_REQUEST for what is no id.
 */
export async function pageRequest(
  context: RequestContext,
  { requestId }: Params,
): Promise<{ accountId: string; requestId: string }> {
  const caller = await pageCaller(context)
  if (typeof requestId !== 'string' || !REQUEST_ID.test(requestId)) {
    throw invalidField(['requestId'], 'is no id of a request')
  }
  return { accountId: caller.accountId, requestId }
}

type WalletRead = { wallet: string; caller: Caller; balances: Balances }

export async function readAsWallet(context: RequestContext, params: Params, limits: RouteName): Promise<WalletRead> {
  const named = String(params.walletAddress)
  // Whoever sends nothing is told so first; a proof is not used up for an address that cannot be one.
  if (familyOf(named) === undefined && signInHeader(context.headers) !== undefined) {
    throw invalidField(['walletAddress'], 'must be an EVM address (0x and 40 hex digits) or a Solana address in base58')
  }
  const caller = await admitWallet(context, named)
  await limitRoute(context, caller, limits)
  await refreshAllowance(caller)
  const balances = await balancesOf(caller.accountId)
  const credit = creditOf(balances)
  Object.assign(context.facts, { balanceUsd: credit, balanceDiem: balances.DIEM, balanceRemaining: credit })
  return { wallet: walletId(named), caller, balances }
}
