import { headerValue } from '@/components/wallet/top-up/wire'
import { errorOf, fetchJson } from '@/lib/browser/api'
import { failureOf } from '@/lib/browser/failure'
import { SESSION_PATH } from '@/lib/browser/session'
import { type SignedText, WalletError, type WalletPort } from '@/lib/browser/wallet-port'
import { CHAIN_REFERENCE, SOLANA_NETWORK } from '@/lib/contract/chains'
import { ApiError, type ErrorCode } from '@/lib/contract/errors'
import { SIGN_IN_HEADERS } from '@/lib/contract/headers'
import type { Session, SessionReply } from '@/lib/contract/session'
import { type SignInFields, signInText } from '@/lib/contract/sign-in-format'
import type { WalletChallenge } from '@/lib/contract/x402.schema'
import { msg, t } from '@/lib/i18n/t'

// A challenge this close to its end is not shown any more: a person needs time to read.
const SPARE_MS = 45_000

type Info = WalletChallenge['info']

/** Fields that the service asks a wallet to sign, by the service's clock. */
export type ChallengeInfo = Omit<Info, 'statement'> & Partial<Pick<Info, 'statement'>>

/** `staleAt` is by `performance.now()`: the clock of this device may be wrong. */
export type Challenge = ChallengeInfo & { staleAt: number }

/** Fetches a challenge, which works once. @throws ApiError */
export async function fetchChallenge(signal: AbortSignal): Promise<Challenge> {
  const { info } = await fetchJson<Pick<WalletChallenge, 'info'>>(`${SESSION_PATH}/challenge`, { signal })
  const lifeMs = Date.parse(info.expirationTime) - Date.parse(info.issuedAt)
  return { ...info, staleAt: performance.now() + lifeMs - SPARE_MS }
}

export function signInFields(info: ChallengeInfo, { family, address }: WalletPort): SignInFields {
  const { domain, uri, nonce, issuedAt, expirationTime, statement } = info
  return { family, address, domain, uri, chainId: CHAIN_REFERENCE[family], nonce, issuedAt, expirationTime, statement }
}

/**
 * Has the wallet sign and opens a session. Once `signal` is aborted there is no session, even when the wallet signs
 * after all. @throws WalletError, ApiError
 */
export async function signIn(port: WalletPort, info: ChallengeInfo, signal: AbortSignal): Promise<Session> {
  const fields = signInFields(info, port)
  const signed = port.signIn ? await port.signIn(fields) : await signText(port, signInText(fields))
  signal.throwIfAborted()
  const response = await fetch(SESSION_PATH, {
    method: 'POST',
    headers: { [SIGN_IN_HEADERS[0]]: signInHeader(port, signed) },
  })
  if (!response.ok) throw await errorOf(response)
  const { session } = (await response.json()) as SessionReply
  if (!session) throw new ApiError('UNKNOWN_ERROR', t('The server did not start a session. Try signing in again.'))
  return session
}

/** Source: API contract, x402.md 3.1. */
export function signInHeader(
  { family, address }: Pick<WalletPort, 'family' | 'address'>,
  { message, signature }: SignedText,
): string {
  return headerValue(
    family === 'evm'
      ? { address, message, signature, chainId: Number(CHAIN_REFERENCE.evm) }
      : { address, message, signature, chainId: SOLANA_NETWORK, type: 'ed25519' },
  )
}

async function signText(port: WalletPort, message: string): Promise<SignedText> {
  return { message, signature: await port.signMessage(message) }
}

export type SignInProblem = {
  message: string
  code?: string
  requestId?: string
  /** The challenge is used up: the next click needs another. */
  needsChallenge: boolean
  /** Trying again with this wallet is useless. */
  isFinal: boolean
}

const TOO_LATE = msg('Your sign-in code expired. Sign again with the new one.')

const MESSAGES: { [C in ErrorCode]?: string } = {
  X402_SIGN_IN_EXPIRED: TOO_LATE,
  X402_SIGN_IN_NONCE_REUSED: msg('This sign-in code was already used. Sign again with the new one.'),
  X402_SIGN_IN_INVALID_SIGNATURE: msg(
    'The signature doesn’t match this address. Select the connected account in your wallet, then sign again.',
  ),
  X402_SIGN_IN_INVALID_MESSAGE: msg('The wallet signed a different message. Try again, or choose another wallet.'),
  X402_SIGN_IN_DOMAIN_MISMATCH: msg(
    'Sign-in doesn’t work at this address. Open the site’s main address and sign in there.',
  ),
}

export function signInProblem(error: unknown): SignInProblem {
  if (error instanceof WalletError) {
    return { message: error.message, needsChallenge: false, isFinal: error.reason === 'unsupported' }
  }
  const { code, message, requestId } = failureOf(error)
  const known = Object.hasOwn(MESSAGES, code) ? MESSAGES[code as ErrorCode] : undefined
  // Without a connection the service said nothing.
  const isReply = code !== 'OFFLINE' && code !== 'CONNECTION_LOST'
  return {
    message: known ? t(known) : message,
    code: isReply ? code : undefined,
    requestId: isReply ? requestId : undefined,
    needsChallenge: code.startsWith('X402_SIGN_IN_'),
    isFinal: false,
  }
}
