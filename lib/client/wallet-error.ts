import { WalletError } from '@/lib/client/wallet-port'

/** How deep errors of wallets are wrapped in one another at most. */
const MAX_CAUSES = 8
/** A wallet's own words are shown up to here. */
const MAX_WORDS_CHARS = 160

/** Codes of EIP-1193 and of JSON-RPC that wallets answer with. */
const REJECTED = 4001
const UNAUTHORIZED = 4100
const UNSUPPORTED: unknown[] = [4200, -32601]
const ALREADY_ASKING = -32002

const REJECTED_WORDS = /reject|denied|declin|cancel|user closed|closed by user|user abort/i
const LOCKED_WORDS = /\block(ed)?\b|unlock/i
const UNSUPPORTED_WORDS = /not support|unsupported|not implemented|does not exist/i

/** What went wrong in a wallet, in words: they all say it differently. */
export function walletErrorOf(error: unknown, walletName: string): WalletError {
  if (error instanceof WalletError) return error
  const chain = causesOf(error)
  const hasCode = (code: unknown) => chain.some((cause) => cause.code === code)
  const says = (words: RegExp) => chain.some(({ message }) => typeof message === 'string' && words.test(message))
  if (hasCode(REJECTED) || hasCode('ACTION_REJECTED')) return rejected(error)
  if (hasCode(ALREADY_ASKING)) {
    return new WalletError(
      'locked',
      `${walletName} has a question open already. Open it from the browser’s toolbar, answer there, then try again.`,
      error,
    )
  }
  if (hasCode(UNAUTHORIZED)) {
    return new WalletError(
      'changed-account',
      `${walletName} does not offer this account here any more. Choose it in ${walletName}, then try again.`,
      error,
    )
  }
  if (UNSUPPORTED.some(hasCode) || says(UNSUPPORTED_WORDS)) return unsupported(walletName, 'do this', error)
  if (says(REJECTED_WORDS)) return rejected(error)
  if (says(LOCKED_WORDS)) {
    return new WalletError('locked', `${walletName} is locked. Unlock it, then try again.`, error)
  }
  const words = chain.map(({ message }) => message).find((message) => typeof message === 'string' && message !== '')
  return new WalletError(
    'failed',
    typeof words === 'string'
      ? `${walletName} says: ${shortened(words)}`
      : `${walletName} did not answer as it should.`,
    error,
  )
}

/** @param what the verb and what follows: `sign a text`. */
export const unsupported = (walletName: string, what: string, cause?: unknown): WalletError =>
  new WalletError('unsupported', `${walletName} cannot ${what}. Choose another wallet.`, cause)

const rejected = (cause: unknown): WalletError =>
  new WalletError('rejected', 'You closed the request. Nothing happened.', cause)

type Cause = { code?: unknown; message?: unknown; cause?: unknown; error?: unknown }

/** An error and what it wraps: `cause` by the language, `error` in the Solana adapters. */
function causesOf(error: unknown): Cause[] {
  const causes: Cause[] = []
  let next: unknown = error
  while (typeof next === 'object' && next !== null && causes.length < MAX_CAUSES) {
    const cause: Cause = next
    causes.push(cause)
    next = cause.cause ?? cause.error
  }
  return causes
}

function shortened(words: string): string {
  const line = words.trim().split('\n', 1)[0] ?? ''
  return line.length > MAX_WORDS_CHARS ? `${line.slice(0, MAX_WORDS_CHARS)}…` : line
}
