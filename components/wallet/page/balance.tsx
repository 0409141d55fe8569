'use client'

import { useQuery } from '@tanstack/react-query'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { TestMoney } from '@/components/wallet/top-up/test-money'
import { walletQuery } from '@/components/wallet/wallet-data'
import { CHAIN_NAME, shortAddress } from '@/lib/browser/format/address'
import { roundCount } from '@/lib/browser/format/amounts'
import { formatMoney, formatUnitless, moneyOf } from '@/lib/browser/format/cost'
import { useService } from '@/lib/browser/session'
import type { Session } from '@/lib/browser/session-type'
import { openTopUp } from '@/lib/browser/top-up-dialog'
import { openWallet } from '@/lib/browser/wallet-dialog'
import { formatDate, plural, t } from '@/lib/i18n/t'

/** What there is to spend, whose it is, and the way to more. */
export function Balance({ session }: { session: Session }) {
  const wallet = useQuery(walletQuery(session.id))
  const service = useService()
  const { address, family, kind } = session
  const answersLeft = wallet.data?.usage.answersLeft
  const allowance = wallet.data?.allowance
  return (
    <section aria-label={t('Balance')}>
      <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-4">
        <div>
          <p className="text-13 font-medium text-ink-2">
            {kind === 'guest' ? t('Test credit in this browser') : t('Credit')}
          </p>
          <p className="mt-1 font-mono text-40 tracking-[-0.02em] text-brass tabular-nums">
            {formatMoney(moneyOf(session.balanceUsd))}
          </p>
        </div>
        <div className="flex gap-2">
          {kind === 'guest' ? (
            <Button kind="primary" className="min-h-11" onClick={() => void openWallet()}>
              {t('Connect a wallet')}
            </Button>
          ) : (
            <Button kind="primary" className="min-h-11 px-5" onClick={() => void openTopUp()}>
              {t('Add credit')}
            </Button>
          )}
        </div>
      </div>
      <p className="mt-2 flex min-h-5 flex-wrap gap-x-4 gap-y-1 text-13 text-ink-3 tabular-nums">
        {typeof answersLeft === 'number' && (
          <span>
            {plural(roundCount(answersLeft), {
              one: 'about {count} more answer like your recent ones',
              other: 'about {count} more answers like your recent ones',
            })}
          </span>
        )}
        {session.balanceDiem > 0 && (
          <span>{diemWords(formatUnitless(moneyOf(session.balanceDiem)), allowance?.refreshesAt)}</span>
        )}
        {wallet.data && wallet.data.balance.held > 0 && (
          <span>
            {t('{amount} on hold for running requests', {
              amount: formatMoney(moneyOf(wallet.data.balance.held)),
            })}
          </span>
        )}
      </p>
      {address && family && (
        <p className="mt-5 flex min-h-9 items-center gap-1 text-13 text-ink-3">
          <span className="font-mono text-ink-2 max-md:hidden">{address}</span>
          <span className="font-mono text-ink-2 md:hidden">{shortAddress(address)}</span>
          <span className="ps-1">{t('on {chain}', { chain: CHAIN_NAME[family] })}</span>
          <CopyButton text={address} label={t('Copy address')} />
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

function diemWords(amount: string, refreshesAt: string | undefined): string {
  if (!refreshesAt) return t('+ {amount} DIEM today, used first', { amount })
  return t('+ {amount} DIEM today, used first; renews at {time}', { amount, time: clock(refreshesAt) })
}

const clock = (at: string) => formatDate(new Date(at), { hour: '2-digit', minute: '2-digit' })
