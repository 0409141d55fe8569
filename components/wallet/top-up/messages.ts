import type { Problem, TopUp, Wait } from '@/components/wallet/top-up/top-up'
import { msg, t } from '@/lib/i18n/t'

export type Message = { title: string; text: string }

const NOTHING_PAID = msg('You were not charged.')

const PROBLEMS: Record<Problem['kind'], Message> = {
  rejected: { title: msg('You declined the request in your wallet.'), text: NOTHING_PAID },
  cancelled: {
    title: msg('Cancelled.'),
    text: msg('You were not charged. If your wallet still shows the request, close it. Signing it now has no effect.'),
  },
  locked: {
    title: msg('Your wallet is not ready.'),
    text: msg('You were not charged. Unlock your wallet and try again.'),
  },
  'wallet-timeout': {
    title: msg('Your wallet did not respond.'),
    text: msg('You were not charged. Open your wallet, close any pending requests and try again.'),
  },
  'wallet-unsupported': {
    title: msg('This wallet cannot sign the payment.'),
    text: msg('You were not charged. Try another wallet.'),
  },
  'wallet-failed': { title: msg('Your wallet reported an error.'), text: NOTHING_PAID },
  'changed-account': {
    title: msg('Your wallet switched to another account.'),
    text: msg('You were not charged. Switch back in your wallet, or sign in with the other account.'),
  },
  short: {
    title: msg('Not enough USDC.'),
    text: msg('You were not charged. Add USDC to your wallet, or pay a smaller amount.'),
  },
  expired: {
    title: msg('The payment expired.'),
    text: msg('You were not charged. Signed payments are valid for a few minutes. Pay again to sign a new one.'),
  },
  amount: { title: msg('This amount is not accepted.'), text: NOTHING_PAID },
  refused: { title: msg('The payment was declined.'), text: NOTHING_PAID },
  'settlement-failed': { title: msg('The payment did not go through.'), text: msg('You were not charged. Try again.') },
  'already-credited': {
    title: msg('This payment was already credited.'),
    text: msg('You were not charged twice. The payment is in your balance.'),
  },
  'not-offered': { title: msg('Payments are unavailable right now.'), text: NOTHING_PAID },
  busy: { title: msg('Too many top-ups at once.'), text: msg('You were not charged. Wait a minute and try again.') },
  offline: { title: msg('You’re offline.'), text: msg('You were not charged. Try again when you are back online.') },
  unreachable: {
    title: msg('The service could not be reached.'),
    text: msg('You were not charged. Try again in a moment.'),
  },
}

// Problems for which the message of the service or the wallet says more than ours.
const WITH_MESSAGE: Problem['kind'][] = [
  'refused',
  'settlement-failed',
  'amount',
  'locked',
  'changed-account',
  'wallet-failed',
  'wallet-unsupported',
]

export function problemMessage({ kind, message }: Problem): Message {
  const { title, text } = translated(PROBLEMS[kind])
  if (!message || !WITH_MESSAGE.includes(kind)) return { title, text }
  return { title, text: withNothingPaid(message.trim()) }
}

const WAITS: Record<Wait, Message> = {
  pending: {
    title: msg('Waiting for network confirmation.'),
    text: msg('Payment sent, not confirmed yet. You can close this window; the payment continues in the background.'),
  },
  'in-progress': {
    title: msg('Settling payment.'),
    text: msg(
      'The service is settling this payment. You can close this window; the payment continues in the background.',
    ),
  },
  lost: {
    title: msg('The connection was lost while sending.'),
    text: msg('The payment’s status is unknown. The same payment is resent, so you can’t be charged twice.'),
  },
  busy: {
    title: msg('The service is busy.'),
    text: msg('The payment is signed but not accepted yet. The same payment is resent automatically.'),
  },
}

const SLOW: Message = {
  title: msg('The payment is taking longer than usual.'),
  text: msg(
    'The payment is neither confirmed nor declined yet. It is saved in this browser and by the service. You don’t have to sign again.',
  ),
}

export function waitMessage({ why, retryAt }: Extract<TopUp, { step: 'confirming' }>): Message {
  return translated(retryAt === undefined ? SLOW : WAITS[why])
}

const translated = ({ title, text }: Message): Message => ({ title: t(title), text: t(text) })

const withNothingPaid = (message: string): string =>
  /[.!?。！？؟]$/.test(message)
    ? t('{message} You were not charged.', { message })
    : t('{message}. You were not charged.', { message })
