'use client'

import { useQuery } from '@tanstack/react-query'
import { CapFields } from '@/components/common/spending-cap-fields'
import { TopBar } from '@/components/common/top-bar'
import { RetryLine, Section } from '@/components/ui/section'
import { Balance } from '@/components/wallet/page/balance'
import { Pending } from '@/components/wallet/page/pending'
import { Sessions } from '@/components/wallet/page/sessions'
import { SignedOut } from '@/components/wallet/page/signed-out'
import { Staking } from '@/components/wallet/page/staking'
import { TopUps } from '@/components/wallet/page/top-ups'
import { Transactions } from '@/components/wallet/page/transactions'
import { sessionQuery } from '@/lib/browser/queries'
import type { Session } from '@/lib/browser/session'
import { t } from '@/lib/i18n/t'

/** The screen of the wallet: what there is, what came and went, who is signed in, and what may be spent. */
export function WalletPage() {
  const session = useQuery(sessionQuery())
  return (
    <>
      <TopBar>
        <h1 className="px-2 text-14 font-medium">{t('Wallet')}</h1>
      </TopBar>
      <div className="thin-scroll min-h-0 flex-1 overflow-y-auto overscroll-contain">
        <div className="mx-auto w-full max-w-180 px-4 pt-8 pb-16 md:pt-12">
          {session.isPending && <PageSkeleton />}
          {session.isError && session.data === undefined && (
            <RetryLine text={t('Your wallet could not be loaded.')} onRetry={() => void session.refetch()} />
          )}
          {session.data === null && <SignedOut />}
          {session.data && <Everything session={session.data} />}
        </div>
      </div>
    </>
  )
}

function Everything({ session }: { session: Session }) {
  return (
    <>
      <Balance session={session} />
      <Pending session={session} />
      <Staking session={session} />
      {session.address && <Transactions address={session.address} />}
      {session.kind === 'wallet' && <TopUps session={session} />}
      <Section title={t('Spending caps')}>
        <CapFields />
      </Section>
      {session.kind !== 'guest' && <Sessions session={session} />}
    </>
  )
}

function PageSkeleton() {
  return (
    <div aria-hidden="true" className="space-y-4">
      <div className="skeleton h-4 w-24" />
      <div className="skeleton h-12 w-44" />
      <div className="skeleton h-4 w-64" />
      <div className="skeleton mt-10 h-40 w-full rounded-card" />
    </div>
  )
}
