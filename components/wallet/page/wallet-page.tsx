'use client'

import { useQuery } from '@tanstack/react-query'
import { CapFields } from '@/components/common/spending-cap-fields'
import { TopBar } from '@/components/common/top-bar'
import { Button } from '@/components/ui/button'
import { RetryLine, Section } from '@/components/ui/section'
import { Sentence } from '@/components/ui/sentence'
import { Balance } from '@/components/wallet/page/balance'
import { Pending } from '@/components/wallet/page/pending'
import { Sessions } from '@/components/wallet/page/sessions'
import { TopUps } from '@/components/wallet/page/top-ups'
import { Transactions } from '@/components/wallet/page/transactions'
import { walletQuery } from '@/components/wallet/wallet-data'
import { formatUnitless, moneyOf } from '@/lib/browser/format/cost'
import { sessionQuery } from '@/lib/browser/queries'
import type { Session } from '@/lib/browser/session-type'
import { openWallet } from '@/lib/browser/wallet-dialog'
import type { WalletSummary } from '@/lib/contract/billing'
import { formatDate, formatNumber, t } from '@/lib/i18n/t'

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

/** What staked tokens give each day. Only wallets of the EVM chain can stake. */
function Staking({ session }: { session: Session }) {
  const { data } = useQuery(walletQuery(session.id))
  const allowance = session.family === 'evm' ? data?.allowance : undefined
  // Unknown is worth saying to whoever may have staked; nothing staked is no news to anybody.
  const isTold = allowance && (allowance.staked === null || allowance.staked > 0 || allowance.granted > 0)
  return isTold ? <DailyCredit allowance={allowance} /> : null
}

function DailyCredit({ allowance }: { allowance: NonNullable<WalletSummary['allowance']> }) {
  const { staked, granted, left, refreshesAt } = allowance
  const refreshes = formatDate(new Date(refreshesAt), { hour: '2-digit', minute: '2-digit' })
  return (
    <section aria-label={t('Daily credit')} className="mt-6 rounded-card border border-line bg-surface p-4">
      <div className="flex items-baseline justify-between gap-4">
        <h2 className="text-14 font-medium">{t('Daily credit from staking')}</h2>
        {granted > 0 && (
          <p className="font-mono text-14 text-brass tabular-nums">
            <Sentence
              text="{left} <small>of {granted} DIEM left</small>"
              values={{ left: plain(left), granted: plain(granted) }}
              parts={{ small: (words) => <span className="text-12 text-ink-3">{words}</span> }}
            />
          </p>
        )}
      </div>
      {granted > 0 && (
        <div aria-hidden="true" className="mt-3 h-1 overflow-hidden rounded-chip bg-line">
          <div className="h-full bg-brass" style={{ width: `${Math.min(100, (left / granted) * 100)}%` }} />
        </div>
      )}
      <p className="mt-3 text-13 text-ink-2">
        {staked === null
          ? t('Your stake could not be loaded. Today’s credit still applies.')
          : staked > 0
            ? t('You have {amount} staked.', { amount: formatNumber(staked, { maximumFractionDigits: 2 }) })
            : t('You have nothing staked.')}{' '}
        {t(
          'Each staked token gives one DIEM a day, worth $1 and spent before your credit. Unused DIEM expire at {time} (midnight UTC) and are renewed.',
          { time: refreshes },
        )}
      </p>
    </section>
  )
}

const plain = (dollars: number) => formatUnitless(moneyOf(dollars))

/** Nobody is signed in: what a wallet is for here. */
function SignedOut() {
  return (
    <div className="flex flex-col items-center gap-5 pt-[12vh] text-center">
      <h2 className="font-serif text-24 text-balance md:text-40 md:font-[420] md:tracking-[-0.02em]">
        {t('Your wallet is your account.')}
      </h2>
      <p className="max-w-100 text-14 text-ink-2">
        {t('Connect a wallet to add credit with USDC and see every charge. No email, no password; signing in is free.')}
      </p>
      <Button kind="primary" className="min-h-11 px-5" onClick={() => void openWallet()}>
        {t('Connect a wallet')}
      </Button>
    </div>
  )
}
