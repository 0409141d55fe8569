'use client'

import { useQuery } from '@tanstack/react-query'
import { CapFields } from '@/components/common/spending-cap-fields'
import { Button } from '@/components/ui/button'
import { Setting } from '@/components/ui/setting'
import { formatMoney, moneyOf } from '@/lib/browser/format/cost'
import { sessionQuery } from '@/lib/browser/queries'
import type { Session } from '@/lib/browser/session'
import { goTo } from '@/lib/browser/shortcut-handlers'
import { openTopUp } from '@/lib/browser/top-up-dialog'
import { openWallet } from '@/lib/browser/wallet-dialog'
import { t } from '@/lib/i18n/t'

/** What is left, and what may be spent. */
export function MoneySettings() {
  const session = useQuery(sessionQuery())
  return (
    <>
      <Setting id="credit">
        {session.isPending && <div aria-hidden="true" className="skeleton h-9 w-40" />}
        {session.isError && session.data === undefined && (
          <Button onClick={() => void session.refetch()}>{t('Balance unavailable. Retry')}</Button>
        )}
        {session.data === null && <Button onClick={() => void openWallet()}>{t('Sign in')}</Button>}
        {session.data && <Credit session={session.data} />}
      </Setting>
      <Setting id="caps" isWide>
        <div className="max-w-120">
          <CapFields />
        </div>
      </Setting>
    </>
  )
}

function Credit({ session }: { session: Session }) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <span className="pe-2 font-mono text-16 tabular-nums">{formatMoney(moneyOf(session.balanceUsd))}</span>
      <Button kind="primary" onClick={() => void openTopUp()}>
        {t('Add credit')}
      </Button>
      <Button onClick={() => goTo('/wallet')}>{t('Wallet and receipts')}</Button>
    </div>
  )
}
