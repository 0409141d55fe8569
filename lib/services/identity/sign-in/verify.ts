import 'server-only'
import type { Family } from '@/lib/contract/chains'
import type { RequestContext } from '@/lib/kernel/request-context'
import { checkClaims } from '@/lib/services/identity/sign-in/claims'
import { isSignedByEvm } from '@/lib/services/identity/sign-in/evm'
import { parseMessage } from '@/lib/services/identity/sign-in/message'
import { claimNonce, type WalletAccount } from '@/lib/services/identity/sign-in/nonce'
import { parsePayload, type SignInPayload } from '@/lib/services/identity/sign-in/payload'
import { refuseSignIn } from '@/lib/services/identity/sign-in/refusal'
import { isSignedBySolana } from '@/lib/services/identity/sign-in/solana'
import {
  assertNotBlocked,
  assertWalletsWithinBudget,
  assertWithinBudget,
  countAsWallet,
} from '@/lib/services/limits/caller-budget'

/** The canonical name first: where both are sent, it counts. Source: API contract, x402.md 1. */
const HEADERS = ['SIGN-IN-WITH-X', 'X-Sign-In-With-X'] as const

/** A wallet that proved itself, and the account that it is. */
export type SignedIn = WalletAccount & {
  /** In the form that is its id. */
  address: string
  family: Family
}

/** The wallet's proof in a request, unread. */
export function signInHeader(headers: Headers): string | undefined {
  for (const name of HEADERS) {
    const value = headers.get(name)
    if (value !== null) return value
  }
}

/**
 * Checks a wallet's proof in the order of the contract (x402.md 3.4): what is cheap before any curve, and a client that
 * keeps failing before all of it. The nonce is used up once the signature is good, whatever becomes of the request.
 *
 * @param mayRepeat takes the same proof again while it is young: on routes that only read.
 * @throws ApiError X402_SIGN_IN_… (401), RATE_LIMIT_EXCEEDED (429), SERVICE_UNAVAILABLE (503).
 */
export async function verifySignIn(context: RequestContext, { mayRepeat }: { mayRepeat: boolean }): Promise<SignedIn> {
  assertWalletsWithinBudget(context)
  const payload = parsePayload(signInHeader(context.headers) ?? '')
  const message = parseMessage(payload.text, payload.family)
  const { address, nonce } = checkClaims(payload, message, Date.now())
  countAsWallet(context, address)
  await assertWithinBudget(context)
  const text = await signedText(context, payload, address)
  if (text === undefined) {
    throw refuseSignIn('INVALID_SIGNATURE', 'The signature is not the wallet’s signature of this text.')
  }
  const claimed = await claimNonce({ wallet: address, nonce, text, client: context.clientAddress })
  const isGood = claimed.outcome === 'claimed' || (claimed.outcome === 'repeated' && mayRepeat)
  if (!isGood) throw refuseSignIn('NONCE_REUSED', 'This sign-in was used before. Sign a new one with another nonce.')
  const { outcome: _, ...account } = claimed
  return { ...account, address, family: payload.family }
}

/** The text that the wallet signed, of those that it may have. */
async function signedText(
  context: RequestContext,
  payload: SignInPayload,
  address: string,
): Promise<string | undefined> {
  const { text, otherText } = payload
  if (await isSigned(context, payload, address, text)) return text
  if (otherText !== undefined && (await isSigned(context, payload, address, otherText))) return otherText
}

function isSigned(
  context: RequestContext,
  { family, signature }: SignInPayload,
  address: string,
  text: string,
): boolean | Promise<boolean> {
  if (family === 'solana') return isSignedBySolana(address, text, signature)
  return isSignedByEvm({
    address,
    text,
    signature,
    client: context.clientAddress,
    // Asked again when its turn has come: many may have been sent before the first one failed.
    assertAllowed: () => assertNotBlocked(context),
  })
}
