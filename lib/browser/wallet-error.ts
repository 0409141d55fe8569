import { WalletError } from '@/lib/browser/wallet-port'
import { msg, t } from '@/lib/i18n/t'

const MAX_CAUSES = 8
const MAX_WORDS_CHARS = 160

/** Codes of EIP-1193 and of JSON-RPC that wallets answer with. */
const REJECTED = 4001
const UNAUTHORIZED = 4100
const UNSUPPORTED: unknown[] = [4200, -32601]
const ALREADY_ASKING = -32002

const REJECTED_PATTERN = /reject|denied|declin|cancel|user closed|closed by user|user abort/i
const LOCKED_PATTERN = /\block(ed)?\b|unlock/i
const UNSUPPORTED_PATTERN = /not support|unsupported|not implemented|does not exist/i

/** Turns a wallet's error into one that can be shown; every wallet words it differently. */
export function walletErrorOf(error: unknown, wallet: string): WalletError {
  if (error instanceof WalletError) return error
  const chain = causesOf(error)
  const hasCode = (code: unknown) => chain.some((cause) => cause.code === code)
  const says = (pattern: RegExp) => chain.some(({ message }) => typeof message === 'string' && pattern.test(message))
  if (hasCode(REJECTED) || hasCode('ACTION_REJECTED')) return rejected(error)
  if (hasCode(ALREADY_ASKING)) {
    return new WalletError(
      'locked',
      t(
        '{wallet} already has an open request. Open {wallet} from the browser toolbar, respond to the request, then try again.',
        { wallet },
      ),
      error,
    )
  }
  if (hasCode(UNAUTHORIZED)) {
    return new WalletError(
      'changed-account',
      t('{wallet} no longer shares this account with the site. Select the account in {wallet}, then try again.', {
        wallet,
      }),
      error,
    )
  }
  if (UNSUPPORTED.some(hasCode) || says(UNSUPPORTED_PATTERN)) return unsupported(wallet, 'this', error)
  if (says(REJECTED_PATTERN)) return rejected(error)
  if (says(LOCKED_PATTERN)) {
    return new WalletError('locked', t('{wallet} is locked. Unlock it, then try again.', { wallet }), error)
  }
  const pattern = chain.map(({ message }) => message).find((message) => typeof message === 'string' && message !== '')
  return new WalletError(
    'failed',
    typeof pattern === 'string'
      ? t('{wallet}: {words}', { wallet, words: shortened(pattern) })
      : t('{wallet} returned an invalid response.', { wallet }),
    error,
  )
}

const UNABLE = {
  this: msg('{wallet} does not support this action. Choose another wallet.'),
  'sign-in': msg('{wallet} cannot sign messages, which sign-in requires. Choose another wallet.'),
  payment: msg('{wallet} cannot sign a payment without sending it. Choose another wallet.'),
}

export const unsupported = (wallet: string, what: keyof typeof UNABLE, cause?: unknown): WalletError =>
  new WalletError('unsupported', t(UNABLE[what], { wallet }), cause)

const rejected = (cause: unknown): WalletError =>
  new WalletError('rejected', t('You declined the request. Nothing was changed.'), cause)

type Cause = { code?: unknown; message?: unknown; cause?: unknown; error?: unknown }

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

function shortened(pattern: string): string {
  const line = pattern.trim().split('\n', 1)[0] ?? ''
  return line.length > MAX_WORDS_CHARS ? `${line.slice(0, MAX_WORDS_CHARS)}…` : line
}
