import { headerValue } from '@/components/wallet/top-up/header-value'
import { errorOf, fetchJson } from '@/lib/browser/api'
import { SESSION_PATH, type SessionReply } from '@/lib/browser/session'
import type { Session } from '@/lib/browser/session-type'
import type { SignedText, WalletPort } from '@/lib/browser/wallet-port'
import { CHAIN_REFERENCE, SOLANA_NETWORK } from '@/lib/contract/chains'
import { ApiError } from '@/lib/contract/errors'
import { type SignInFields, signInText } from '@/lib/contract/sign-in-text'
import { t } from '@/lib/i18n/t'

/** A challenge this close to its end is not shown any more: a person needs time to read. */
const SPARE_MS = 45_000

/** What the service asks a wallet to sign. Times are ISO 8601, by the service's clock. */
export type ChallengeInfo = {
  domain: string
  uri: string
  version: '1'
  nonce: string
  issuedAt: string
  expirationTime: string
  statement?: string
}

/** `staleAt` is by `performance.now()`: the clock of this device may be wrong. */
export type Challenge = ChallengeInfo & { staleAt: number }

/** A fresh challenge. It works once, and for minutes. @throws ApiError */
export async function fetchChallenge(signal?: AbortSignal): Promise<Challenge> {
  const { info } = await fetchJson<{ info: ChallengeInfo }>(`${SESSION_PATH}/challenge`, signal ? { signal } : {})
  const lifeMs = Date.parse(info.expirationTime) - Date.parse(info.issuedAt)
  return { ...info, staleAt: performance.now() + lifeMs - SPARE_MS }
}

/** What a wallet is going to sign, by field. */
export function signInFields(info: ChallengeInfo, { family, address }: WalletPort): SignInFields {
  const { domain, uri, nonce, issuedAt, expirationTime, statement } = info
  return {
    family,
    address,
    domain,
    uri,
    chainId: CHAIN_REFERENCE[family],
    nonce,
    issuedAt,
    expirationTime,
    ...(statement && { statement }),
  }
}

/**
 * Has the wallet sign, and opens a session with that. A person who gave up meanwhile (`signal`) gets no session, even
 * when the wallet signs after all.
 *
 * @throws WalletError, ApiError
 */
export async function signIn(port: WalletPort, info: ChallengeInfo, signal: AbortSignal): Promise<Session> {
  const fields = signInFields(info, port)
  const signed = port.signIn ? await port.signIn(fields) : await signText(port, signInText(fields))
  signal.throwIfAborted()
  const response = await fetch(SESSION_PATH, {
    method: 'POST',
    headers: { 'SIGN-IN-WITH-X': signInHeader(port, signed) },
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
