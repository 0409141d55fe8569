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

const TOO_LATE = msg('That took longer than the code is good for. There is a new one: sign again.')

const WORDS: { [C in ErrorCode]?: string } = {
  X402_SIGN_IN_EXPIRED: TOO_LATE,
  X402_SIGN_IN_NONCE_REUSED: msg('This code was used already. There is a new one: sign again.'),
  X402_SIGN_IN_INVALID_SIGNATURE: msg(
    'The signature does not belong to this address. Choose the account that you connected in your wallet, then sign again.',
  ),
  X402_SIGN_IN_INVALID_MESSAGE: msg(
    'The wallet signed another text than this one. Try again, or choose another wallet.',
  ),
  X402_SIGN_IN_DOMAIN_MISMATCH: msg(
    'The service expects another address of this site. Open it by its own name and sign in there.',
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
