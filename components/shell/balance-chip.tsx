'use client'

import { useQuery } from '@tanstack/react-query'
import { formatBalance, moneyOf } from '@/lib/client/cost'
import { sessionQuery } from '@/lib/client/queries'
import { usd } from '@/lib/core/money'

/** Below this the chip turns to brass. */
const LOW_BALANCE = usd('0.25')

const CHIP = 'inline-flex h-8 items-center rounded-chip border px-3 text-14 font-medium tabular-nums'

/** What this browser has left to spend. Nothing before the first question: there is no account yet. */
export function BalanceChip() {
  const session = useQuery(sessionQuery())
  if (session.isPending || (session.isSuccess && !session.data)) return null
  if (!session.data) {
    return (
      <button type="button" className={`${CHIP} border-line text-ink-2`} onClick={() => session.refetch()}>
        Balance unavailable, retry
      </button>
    )
  }
  const balance = moneyOf(session.data.balanceUsd)
  const tone =
    balance <= 0n
      ? 'border-danger text-danger'
      : balance < LOW_BALANCE
        ? 'border-brass text-brass'
        : 'border-line text-ink'
  return (
    <output
      aria-label="Credit balance"
      // It changes after each answer, which is announced already.
      aria-live="off"
      title={session.data.sandbox ? 'Test money of this sandbox' : 'Your credit'}
      className={`${CHIP} ${tone}`}
    >
      {formatBalance(balance)}
      {session.data.sandbox && <span className="ps-1.5 text-12 font-normal text-ink-3">test money</span>}
    </output>
  )
}
