import type { Problem, TopUp, Wait } from '@/components/wallet/top-up/top-up'
import { msg, t } from '@/lib/i18n/t'

export type Words = { title: string; text: string }

const NOTHING_PAID = msg('Nothing was paid.')

const PROBLEMS: Record<Problem['kind'], Words> = {
  rejected: { title: msg('You closed the request in your wallet.'), text: NOTHING_PAID },
  cancelled: {
    title: msg('Cancelled.'),
    text: msg(
      'Nothing was paid. If your wallet still shows the request, close it there: what it signs now is not sent.',
    ),
  },
  locked: { title: msg('Your wallet is not ready.'), text: msg('Nothing was paid. Unlock it and try again.') },
  'wallet-timeout': {
    title: msg('Your wallet did not answer.'),
    text: msg('Nothing was paid. Open the wallet, close what waits there, and try again.'),
  },
  'wallet-unsupported': {
    title: msg('This wallet cannot sign the payment.'),
    text: msg('Nothing was paid. Try another wallet.'),
  },
  'wallet-failed': { title: msg('Your wallet reported an error.'), text: NOTHING_PAID },
  'changed-account': {
    title: msg('Your wallet now uses another account.'),
    text: msg('Nothing was paid. Switch back in the wallet, or sign in with the other account.'),
  },
  short: { title: msg('Not enough USDC.'), text: msg('Nothing was paid. The wallet holds less than the payment.') },
  expired: {
    title: msg('The payment came too late.'),
    text: msg('Nothing was paid. A signed payment is good for a few minutes only. Pay again to sign a new one.'),
  },
  amount: { title: msg('The service does not take this amount.'), text: NOTHING_PAID },
  refused: { title: msg('The service refused the payment.'), text: NOTHING_PAID },
  'settlement-failed': {
    title: msg('The payment did not go through.'),
    text: msg('Nothing was paid. You can pay again.'),
  },
  'already-credited': {
    title: msg('This payment was credited before.'),
    text: msg('Nothing was paid again. Your balance shows it.'),
  },
  'not-offered': { title: msg('The service takes no payments right now.'), text: NOTHING_PAID },
  busy: { title: msg('Too many top-ups at once.'), text: msg('Nothing was paid. Wait a minute and try again.') },
  offline: { title: msg('You are offline.'), text: msg('Nothing was paid. Try again when the connection is back.') },
  unreachable: {
    title: msg('The service could not be reached.'),
    text: msg('Nothing was paid. Try again in a moment.'),
  },
}

/** Those where the service's or the wallet's own words say more than ours. */
const QUOTED: Problem['kind'][] = [
  'refused',
  'settlement-failed',
  'amount',
  'locked',
  'changed-account',
  'wallet-failed',
  'wallet-unsupported',
]

/** What went wrong, and what did not happen. */
export function problemWords({ kind, message }: Problem): Words {
  const { title, text } = spoken(PROBLEMS[kind])
  if (!message || !QUOTED.includes(kind)) return { title, text }
  return { title, text: t('{message} Nothing was paid.', { message: sentence(message) }) }
}

const WAITS: Record<Wait, Words> = {
  pending: {
    title: msg('Waiting for the network.'),
    text: msg('The payment was sent and is not confirmed yet. You can close this: it goes on by itself.'),
  },
  'in-progress': {
    title: msg('Being settled.'),
    text: msg('The service is settling this payment. You can close this: it goes on by itself.'),
  },
  lost: {
    title: msg('The connection was lost while sending.'),
    text: msg(
      'It is not known yet whether the payment arrived. The same payment is sent again, so it cannot be paid twice.',
    ),
  },
  busy: {
    title: msg('The service is busy.'),
    text: msg('The payment is signed and waits to be taken. The same payment is sent again.'),
  },
}

const TIRED: Words = {
  title: msg('This takes longer than usual.'),
  text: msg(
    'The payment is neither confirmed nor refused yet. It is kept here and by the service, and nothing new is signed.',
  ),
}

/** What is known of a payment that has no outcome yet. */
export function waitWords({ why, retryAt }: Extract<TopUp, { step: 'confirming' }>): Words {
  return spoken(retryAt === undefined ? TIRED : WAITS[why])
}

const spoken = ({ title, text }: Words): Words => ({ title: t(title), text: t(text) })

function sentence(message: string): string {
  const trimmed = message.trim()
  return /[.!?。！？؟]$/.test(trimmed) ? trimmed : `${trimmed}.`
}
