import 'server-only'
import { walletId } from '@/lib/contract/chains'
import { ApiError } from '@/lib/contract/errors'
import { type Caller, isWallet, noteAdmitted } from '@/lib/kernel/caller'
import type { RequestContext } from '@/lib/kernel/request-context'
import { assertActive } from '@/lib/services/identity/account-status'
import { ownSecret, type Session, verifySession } from '@/lib/services/identity/session'
import { type SignedIn, signInHeader, verifySignIn } from '@/lib/services/identity/sign-in/verify'
import { assertWithinBudget, countCaller, unauthenticated } from '@/lib/services/limits/caller-budget'
import { payOnRoute } from '@/lib/services/payments/pay-on-route'

/**
 * The wallet whose data a route shows: by the proof in the request, or by the cookie of its session. Costs nothing, asks
 * for no credit, and takes the same proof again. Source: API contract, README 4 and x402.md 5.
 *
 * @param walletInPath an address; the caller must be that wallet.
 * @throws ApiError X402_INVALID_SIGN_IN (401), X402_WALLET_MISMATCH or API_ACCESS_DISABLED (403), RATE_LIMIT_EXCEEDED (429).
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

/**
 * The wallet behind the proof in a request.
 *
 * @param mayRepeat takes the same proof again while it is young: on routes that only read.
 */
export async function admitProof(context: RequestContext, options: { mayRepeat: boolean }): Promise<Caller> {
  const wallet = await verifySignIn(context, options)
  context.facts.accountId = wallet.accountId
  const caller = callerOfWallet(wallet)
  countCaller(context, caller)
  assertActive(wallet.status)
  return noteAdmitted(context, caller)
}

/** Settles the payment that came with the request; the payer is then the caller. */
export async function admitPayment(context: RequestContext): Promise<Caller> {
  await assertWithinBudget(context)
  const caller = await payOnRoute(context)
  countCaller(context, caller)
  return noteAdmitted(context, caller)
}

/** Who is behind a browser session. */
export async function admitSession(context: RequestContext, secret: string): Promise<Caller> {
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

/** A wallet that proved itself, as a caller. */
export function callerOfWallet({ accountId, address, isPro, rateMultiplier }: SignedIn): Caller {
  return { accountId, kind: 'wallet', address, isPro, rateMultiplier, via: { type: 'sign-in' } }
}

/** The account behind a browser session, as a caller. */
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
