import { createStore, useStore } from 'zustand'
import { showToast } from '@/components/ui/toast'
import { portFor } from '@/components/wallet/connect/wallet'
import { holdingKey } from '@/components/wallet/top-up/holdings'
import { dropPayment, keepPayment, pendingPayments } from '@/components/wallet/top-up/pending-payments'
import {
  type Credited,
  newTopUp,
  type Outcome,
  type PendingPayment,
  type Problem,
  type Requirements,
  reduceTopUp,
  type TopUp,
  type TopUpEvent,
} from '@/components/wallet/top-up/top-up'
import { fetchRequirements, problemOf, sendPayment, signPayment } from '@/components/wallet/top-up/wire'
import { isSameAddress, shortAddress } from '@/lib/browser/format/address'
import { formatMoney, moneyOf } from '@/lib/browser/format/cost'
import { queryClient, refreshMoney, tellOtherTabs } from '@/lib/browser/queries'
import { SESSION_KEY } from '@/lib/browser/session'
import { WalletError } from '@/lib/browser/wallet-port'
import { EVM_NETWORK, SOLANA_NETWORK } from '@/lib/contract/chains'
import { uuid } from '@/lib/contract/ids'
import type { Session } from '@/lib/contract/session'
import { t } from '@/lib/i18n/t'

let runner: TopUpRunner | undefined
let isWatched = false

/** The top-up of this page, whether its sheet is open or not. */
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
  return useStore(topUp().store)
}

/** A credit that the open sheet shows needs no other announcement. */
export function watchTopUp(isOpen: boolean): void {
  isWatched = isOpen
}

/** The name of the lock that the tab has which sends a payment. */
const lockOf = (id: string) => `payment:${id}`
// Releases the lock of a payment; a closed tab loses its locks by itself.
const held = new Map<string, () => void>()

function keep(payment: PendingPayment): void {
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

function showCredit({ amountUsd, newBalanceUsd }: Credited, { wallet, family }: PendingPayment): void {
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

export type TopUpWorld = {
  /** Asked directly before signing: on Solana the requirements are good for about a minute. */
  requirements: () => Promise<Requirements>
  sign: (requirements: Requirements, units: bigint) => Promise<Omit<PendingPayment, 'id' | 'signedAt' | 'units'>>
  send: (payment: PendingPayment) => Promise<Outcome>
  keep: (payment: PendingPayment) => void
  drop: (id: string) => void
  problemOf: (error: unknown) => Problem
  now: () => number
  /** Resolves after the time, or sooner when the network came back. */
  wait: (ms: number) => Promise<void>
  newId: () => string
  onCredited: (receipt: Credited, payment: PendingPayment) => void
}

type TopUpRunner = ReturnType<typeof createTopUp>

/** Runs one top-up at a time. Lives outside the screen: a closed sheet does not stop a payment. */
export function createTopUp(world: TopUpWorld) {
  const store = createStore<TopUp>(newTopUp)
  const read = store.getState

  /** False when the event changed nothing: it came late, or twice. */
  function apply(event: TopUpEvent): boolean {
    const next = reduceTopUp(read(), event)
    if (next === read()) return false
    store.setState(next, true)
    return true
  }

  async function pay(units: bigint): Promise<void> {
    if (!apply({ type: 'begun', units })) return
    const { attempt } = read()
    let payment: PendingPayment
    try {
      const requirements = await world.requirements()
      if (!apply({ type: 'offered', attempt })) return
      const signed = await world.sign(requirements, units)
      payment = { ...signed, units, id: world.newId(), signedAt: world.now() }
    } catch (error) {
      apply({ type: 'failed', attempt, problem: world.problemOf(error) })
      return
    }
    // Cancelled while the wallet was open: the signature came too late, and is not sent.
    if (!apply({ type: 'signed', attempt, payment })) return
    world.keep(payment)
    await deliver(attempt)
  }

  /** Continues with a payment that was signed before a reload; signs nothing. */
  async function resume(payment: PendingPayment): Promise<void> {
    if (apply({ type: 'resumed', payment })) await deliver(read().attempt)
  }

  async function check(): Promise<void> {
    const { attempt } = read()
    if (apply({ type: 'checking', attempt })) await deliver(attempt)
  }

  async function deliver(attempt: number): Promise<void> {
    for (let state = read(); state.step === 'sending' && state.attempt === attempt; state = read()) {
      const { payment } = state
      const outcome = await world.send(payment)
      if (outcome.kind !== 'unknown') world.drop(payment.id)
      if (!apply({ type: 'settled', attempt, outcome, now: world.now() })) return
      if (outcome.kind === 'credited') world.onCredited(outcome.receipt, payment)
      if (outcome.kind !== 'unknown') return
      if (outcome.paymentId) world.keep({ ...payment, paymentId: outcome.paymentId })
      if (!(await nextCheck(attempt))) return
    }
  }

  /** Waits for the time of the next check. False when another check came first, or the next one waits for a click. */
  async function nextCheck(attempt: number): Promise<boolean> {
    const waiting = read()
    if (waiting.step !== 'confirming' || waiting.retryAt === undefined) return false
    await world.wait(waiting.retryAt - world.now())
    const now = read()
    return now.step === 'confirming' && now.retryAt === waiting.retryAt && apply({ type: 'checking', attempt })
  }

  return {
    store,
    pay,
    resume,
    check,
    /** Whatever the open wallet still signs is thrown away. */
    cancel: () => void apply({ type: 'cancelled' }),
    /** Makes room for the next top-up; a payment under way stays. */
    reset: () => void apply({ type: 'reset' }),
  }
}

/** Continues what a reload or a closed tab left unfinished: sends what was signed then, and signs nothing. */
export async function resumePending(): Promise<void> {
  for (const payment of pendingPayments()) await resume(payment)
}

/** Asks about one kept payment, unless another tab is asking. */
export async function resume(payment: PendingPayment): Promise<void> {
  await navigator.locks.request(lockOf(payment.id), { ifAvailable: true }, async (lock) => {
    if (lock) await topUp().resume(payment)
  })
}
