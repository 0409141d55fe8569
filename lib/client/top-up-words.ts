import type { Problem, TopUp, Wait } from '@/lib/client/top-up'

export type Words = { title: string; text: string }

const NOTHING_PAID = 'Nothing was paid.'

const PROBLEMS: Record<Problem['kind'], Words> = {
  rejected: { title: 'You closed the request in your wallet.', text: NOTHING_PAID },
  cancelled: {
    title: 'Cancelled.',
    text: `${NOTHING_PAID} If your wallet still shows the request, close it there: what it signs now is not sent.`,
  },
  locked: { title: 'Your wallet is not ready.', text: `${NOTHING_PAID} Unlock it and try again.` },
  'wallet-timeout': {
    title: 'Your wallet did not answer.',
    text: `${NOTHING_PAID} Open the wallet, close what waits there, and try again.`,
  },
  'wallet-unsupported': { title: 'This wallet cannot sign the payment.', text: `${NOTHING_PAID} Try another wallet.` },
  'wallet-failed': { title: 'Your wallet reported an error.', text: NOTHING_PAID },
  'changed-account': {
    title: 'Your wallet now uses another account.',
    text: `${NOTHING_PAID} Switch back in the wallet, or sign in with the other account.`,
  },
  short: { title: 'Not enough USDC.', text: `${NOTHING_PAID} The wallet holds less than the payment.` },
  expired: {
    title: 'The payment came too late.',
    text: `${NOTHING_PAID} A signed payment is good for a few minutes only. Pay again to sign a new one.`,
  },
  amount: { title: 'The service does not take this amount.', text: NOTHING_PAID },
  refused: { title: 'The service refused the payment.', text: NOTHING_PAID },
  'settlement-failed': { title: 'The payment did not go through.', text: `${NOTHING_PAID} You can pay again.` },
  'already-credited': {
    title: 'This payment was credited before.',
    text: 'Nothing was paid again. Your balance shows it.',
  },
  'not-offered': { title: 'The service takes no payments right now.', text: NOTHING_PAID },
  busy: { title: 'Too many top-ups at once.', text: `${NOTHING_PAID} Wait a minute and try again.` },
  offline: { title: 'You are offline.', text: `${NOTHING_PAID} Try again when the connection is back.` },
  unreachable: { title: 'The service could not be reached.', text: `${NOTHING_PAID} Try again in a moment.` },
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
  const words = PROBLEMS[kind]
  return message && QUOTED.includes(kind) ? { ...words, text: `${sentence(message)} ${NOTHING_PAID}` } : words
}

const WAITS: Record<Wait, Words> = {
  pending: {
    title: 'Waiting for the network.',
    text: 'The payment was sent and is not confirmed yet. You can close this: it goes on by itself.',
  },
  'in-progress': {
    title: 'Being settled.',
    text: 'The service is settling this payment. You can close this: it goes on by itself.',
  },
  lost: {
    title: 'The connection was lost while sending.',
    text: 'It is not known yet whether the payment arrived. The same payment is sent again, so it cannot be paid twice.',
  },
  busy: {
    title: 'The service is busy.',
    text: 'The payment is signed and waits to be taken. The same payment is sent again.',
  },
}

const TIRED: Words = {
  title: 'This takes longer than usual.',
  text: 'The payment is neither confirmed nor refused yet. It is kept here and by the service, and nothing new is signed.',
}

/** What is known of a payment that has no outcome yet. */
export function waitWords({ why, retryAt }: Extract<TopUp, { step: 'confirming' }>): Words {
  return retryAt === undefined ? TIRED : WAITS[why]
}

function sentence(message: string): string {
  const trimmed = message.trim()
  return /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`
}
