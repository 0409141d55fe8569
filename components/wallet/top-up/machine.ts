import { useSyncExternalStore } from 'react'
import { showToast } from '@/components/ui/toast'
import { portFor } from '@/components/wallet/connect/wallet'
import { holdingKey } from '@/components/wallet/top-up/holdings'
import { signPayment } from '@/components/wallet/top-up/payment'
import { dropPayment, keepPayment, keptPayments } from '@/components/wallet/top-up/pending-payments'
import { createTopUp, type TopUpRunner } from '@/components/wallet/top-up/runner'
import type { Credited, KeptPayment, Requirements, TopUp } from '@/components/wallet/top-up/top-up'
import { fetchRequirements, problemOf, sendPayment } from '@/components/wallet/top-up/wire'
import { isSameAddress, shortAddress } from '@/lib/browser/format/address'
import { formatMoney, moneyOf } from '@/lib/browser/format/cost'
import { queryClient } from '@/lib/browser/queries'
import { refreshMoney, tellOtherTabs } from '@/lib/browser/refresh-money'
import { SESSION_KEY } from '@/lib/browser/session'
import type { Session } from '@/lib/browser/session-type'
import { WalletError } from '@/lib/browser/wallet-port'
import { EVM_NETWORK, SOLANA_NETWORK } from '@/lib/contract/chains'
import { uuid } from '@/lib/contract/ids'
import { t } from '@/lib/i18n/t'

let runner: TopUpRunner | undefined
let isWatched = false

/** The top-up of this page. There is one, whether its sheet is open or not. */
export function topUp(): TopUpRunner {
  runner ??= createTopUp({
    requirements: fetchRequirements,
    sign,
    send: sendPayment,
    keep,
    drop,
    problemOf,
    now: Date.now,
    wait: waitOrOnline,
    newId: uuid,
    onCredited: showCredit,
  })
  return runner
}

export function useTopUp(): TopUp {
  return useSyncExternalStore(topUp().subscribe, topUp().read, topUp().read)
}

/** While the sheet shows it, a credit needs no other announcement. */
export function watchTopUp(isOpen: boolean): void {
  isWatched = isOpen
}

/** Goes on with what a reload or a closed tab left unfinished: sends what was signed then, and signs nothing. */
export async function resumeKept(): Promise<void> {
  for (const payment of keptPayments()) await resume(payment)
}

/** Asks about one payment that is kept. The tab that sent it asks by itself, and the others see its outcome. */
export async function resume(payment: KeptPayment): Promise<void> {
  await navigator.locks.request(lockOf(payment.id), { ifAvailable: true }, async (lock) => {
    if (lock) await topUp().resume(payment)
  })
}

const lockOf = (id: string) => `payment:${id}`
/** Ends the hold on a payment's lock; a closed tab loses its locks by itself. */
const held = new Map<string, () => void>()

function keep(payment: KeptPayment): void {
  keepPayment(payment)
  if (held.has(payment.id)) return
  const { promise, resolve } = Promise.withResolvers<void>()
  held.set(payment.id, resolve)
  void navigator.locks.request(lockOf(payment.id), { ifAvailable: true }, (lock) => (lock ? promise : undefined))
}

function drop(id: string): void {
  dropPayment(id)
  held.get(id)?.()
  held.delete(id)
}

async function sign(requirements: Requirements, units: bigint) {
  const session = queryClient().getQueryData<Session | null>(SESSION_KEY)
  if (!session?.address || !session.family) throw new WalletError('unsupported', t('Sign in with a wallet first.'))
  const { address, family } = session
  const network = family === 'evm' ? EVM_NETWORK : SOLANA_NETWORK
  const option = requirements.accepts.find((offered) => offered.network === network)
  if (!option) throw new WalletError('unsupported', t('Payments from wallets on this chain are not accepted.'))
  const port = await portFor(session)
  // Credit goes to whoever signs: another account's would not be this session's.
  if (!isSameAddress(port.address, address)) {
    throw new WalletError(
      'changed-account',
      t('You are signed in as {address}, but the wallet uses {other}.', {
        address: shortAddress(address),
        other: shortAddress(port.address),
      }),
    )
  }
  return { wallet: address, family, header: await signPayment(port, option, units) }
}

function showCredit({ amountUsd, newBalanceUsd }: Credited, { wallet, family }: KeptPayment): void {
  const client = queryClient()
  const session = client.getQueryData<Session | null>(SESSION_KEY)
  if (session?.address && isSameAddress(session.address, wallet)) {
    client.setQueryData<Session>(SESSION_KEY, { ...session, balanceUsd: newBalanceUsd })
  }
  void client.invalidateQueries({ queryKey: holdingKey(family, wallet) })
  // Asked for again: a credit that was given before comes with the balance of then.
  refreshMoney()
  tellOtherTabs()
  if (!isWatched) showToast({ text: t('{amount} credit added.', { amount: formatMoney(moneyOf(amountUsd)) }) })
}

/** Resolves after the time, or as soon as the network is back. */
function waitOrOnline(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      window.removeEventListener('online', done)
      resolve()
    }
    const timer = setTimeout(done, Math.max(0, ms))
    window.addEventListener('online', done)
  })
}
