import { failureOf } from '@/lib/browser/failure'
import { WalletError } from '@/lib/browser/wallet-port'
import type { ErrorCode } from '@/lib/contract/errors'
import { msg, t } from '@/lib/i18n/t'

/** What went wrong while connecting or signing in, as it is shown. */
export type SignInProblem = {
  message: string
  /** The service's code, for a report; a wallet has none. */
  code?: string
  requestId?: string
  /** The challenge is used up: the next click needs another. */
  needsChallenge: boolean
  /** Trying again with this wallet is useless. */
  isFinal: boolean
}

const TOO_LATE = msg('Your sign-in code expired. Sign again with the new one.')

const WORDS: { [C in ErrorCode]?: string } = {
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

/** What to tell the person about a failure of the wallet, the connection or the service. */
export function signInProblem(error: unknown): SignInProblem {
  if (error instanceof WalletError) {
    return { message: error.message, needsChallenge: false, isFinal: error.reason === 'unsupported' }
  }
  const { code, message, requestId } = failureOf(error)
  const words = Object.hasOwn(WORDS, code) ? WORDS[code as ErrorCode] : undefined
  const isRefusal = code.startsWith('X402_SIGN_IN_')
  return {
    message: words ? t(words) : message,
    // Without a connection the service said nothing.
    ...(code !== 'OFFLINE' && code !== 'CONNECTION_LOST' && { code, ...(requestId && { requestId }) }),
    needsChallenge: isRefusal,
    isFinal: false,
  }
}
