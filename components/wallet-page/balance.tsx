'use client'

import { useQuery } from '@tanstack/react-query'
import { openTopUp } from '@/components/top-up/open'
import { TestMoney } from '@/components/top-up/test-money'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { openWallet } from '@/components/wallet/open'
import { CHAIN_NAME, shortAddress } from '@/lib/client/address'
import { roundCount } from '@/lib/client/amounts'
import { formatAmount, formatBalance, moneyOf } from '@/lib/client/cost'
import { type Session, useService } from '@/lib/client/session'
import { walletQuery } from '@/lib/client/wallet-data'

/** What there is to spend, whose it is, and the way to more. */
export function Balance({ session }: { session: Session }) {
  const wallet = useQuery(walletQuery(session.id))
  const service = useService()
  const { address, family, kind } = session
  const answersLeft = wallet.data?.usage.answersLeft
  const allowance = wallet.data?.allowance
  return (
    <section aria-label="Balance">
      <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-4">
        <div>
          <p className="text-13 font-medium text-ink-2">
            {kind === 'guest' ? 'Test credit of this browser' : 'Credit'}
          </p>
          <p className="mt-1 font-mono text-40 tracking-[-0.02em] text-brass tabular-nums">
            {formatBalance(moneyOf(session.balanceUsd))}
          </p>
        </div>
        <div className="flex gap-2">
          {kind === 'guest' ? (
            <Button kind="primary" className="min-h-11" onClick={() => void openWallet()}>
              Connect a wallet
            </Button>
          ) : (
            <Button kind="primary" className="min-h-11 px-5" onClick={() => void openTopUp()}>
              Add credit
            </Button>
          )}
        </div>
      </div>
      <p className="mt-2 flex min-h-5 flex-wrap gap-x-4 gap-y-1 text-13 text-ink-3 tabular-nums">
        {typeof answersLeft === 'number' && (
          <span>enough for about {roundCount(answersLeft).toLocaleString('en')} answers like your last ones</span>
        )}
        {session.balanceDiem > 0 && (
          <span>
            + {formatAmount(moneyOf(session.balanceDiem)).slice(1)} DIEM today, spent first
            {allowance && `; new at ${clock(allowance.refreshesAt)}`}
          </span>
        )}
        {wallet.data && wallet.data.balance.held > 0 && (
          <span>{formatBalance(moneyOf(wallet.data.balance.held))} set aside for answers under way</span>
        )}
      </p>
      {address && family && (
        <p className="mt-5 flex min-h-9 items-center gap-1 text-13 text-ink-3">
          <span className="font-mono text-ink-2 max-md:hidden">{address}</span>
          <span className="font-mono text-ink-2 md:hidden">{shortAddress(address)}</span>
          <span className="ps-1">on {CHAIN_NAME[family]}</span>
          <CopyButton text={address} label="Copy address" />
        </p>
      )}
      {service?.sandbox && (
        <div className="mt-4">
          <TestMoney />
        </div>
      )}
    </section>
  )
}

const clock = (at: string) => new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
