import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import { type Accepts, type Caller, noteAdmitted } from '@/lib/kernel/caller'
import { config } from '@/lib/kernel/config'
import type { RequestContext } from '@/lib/kernel/request-context'
import { admitPayment, admitProof, admitSession } from '@/lib/pipeline/admit-wallet'
import { rails } from '@/lib/services/chains/rails'
import { assertActive } from '@/lib/services/identity/account-status'
import { type KeyRecord, verifyKey } from '@/lib/services/identity/api-keys'
import { noteUse } from '@/lib/services/identity/last-used'
import { ownSecret } from '@/lib/services/identity/session'
import { signInHeader } from '@/lib/services/identity/sign-in/verify'
import { balancesOf } from '@/lib/services/ledger/ledger'
import { creditOf } from '@/lib/services/ledger/spendable'
import { noteBreach } from '@/lib/services/limits/breaches'
import {
  AUTHENTICATION_FAILED,
  assertWithinBudget,
  countBadCredentials,
  failingOf,
  isAddressBlocked,
  unauthenticated,
} from '@/lib/services/limits/caller-budget'
import { failureBudget } from '@/lib/services/limits/failed-requests'
import { limitRoute } from '@/lib/services/limits/rate-limit'
import { discovery } from '@/lib/services/payments/requirements'
import { refreshAllowance } from '@/lib/services/payments/staking'
import { PAYMENT_HEADERS } from '@/lib/services/payments/wire'

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
  await assertWithinBudget(context)
  if (accepts === 'paid') {
    const refreshing = refreshAllowance(caller)
    if (refreshing) await refreshing
  } else {
    await addFacts(context, caller)
  }
  return caller
}

/** The caller behind a valid key on a public route; anything else is nobody, never an error. Source: README 4. */
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

/** Counts a reply against the budget of failed requests. Called once for every reply, with its status. */
export function recordOutcome(context: RequestContext, status: number): void {
  if (status < 400) return
  const { accountId, keyId } = context.facts
  const onBlocked = () => {
    if (accountId === undefined) return
    const modelId = `endpoint:${context.path.replace(/^\//, '')}`
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

/** The facts of a request that holds no money: the default bucket and the balances. */
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
