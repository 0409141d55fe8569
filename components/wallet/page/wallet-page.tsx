'use client'

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Monitor } from 'lucide-react'
import { useState } from 'react'
import { AccountPage, NeedsWallet } from '@/components/common/account-page'
import { CapFields } from '@/components/common/spending-cap-fields'
import { announce } from '@/components/ui/announcer'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { Lines, RetryLine, Section, When } from '@/components/ui/section'
import { Sentence } from '@/components/ui/sentence'
import { Pending, TopUps } from '@/components/wallet/page/top-ups'
import { revokeSession, sessionsQuery, Transactions, walletQuery } from '@/components/wallet/page/transactions'
import { TestMoney } from '@/components/wallet/parts'
import { openTopUp, openWallet } from '@/lib/browser/dialogs'
import { failureOf } from '@/lib/browser/failure'
import { CHAIN_NAME, shortAddress } from '@/lib/browser/format/address'
import { roundCount } from '@/lib/browser/format/amounts'
import { formatMoney, formatUnitless, moneyOf } from '@/lib/browser/format/cost'
import { signOut, useService } from '@/lib/browser/session'
import type { WalletSummary } from '@/lib/contract/billing'
import type { BrowserSession, Session } from '@/lib/contract/session'
import { formatDate, formatNumber, plural, t } from '@/lib/i18n/t'

export function WalletPage() {
  return (
    <AccountPage
      title={t('Wallet')}
      width="max-w-180"
      loading={() => <PageSkeleton />}
      failed={t('Your wallet could not be loaded.')}
      signedOut={
        <NeedsWallet
          title={t('Your wallet is your account.')}
          text={t(
            'Connect a wallet to add credit with USDC and see every charge. No email, no password; signing in is free.',
          )}
        />
      }
    >
      {(session) => <Everything session={session} />}
    </AccountPage>
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

// Only wallets of the EVM chain can stake.
function Staking({ session }: { session: Session }) {
  const { data } = useQuery(walletQuery(session.id))
  const allowance = session.family === 'evm' ? data?.allowance : undefined
  // Unknown is worth saying to whoever may have staked; nothing staked is no news to anybody.
  const isAnnounced = allowance && (allowance.staked === null || allowance.staked > 0 || allowance.granted > 0)
  return isAnnounced ? <DailyCredit allowance={allowance} /> : null
}

function DailyCredit({ allowance }: { allowance: NonNullable<WalletSummary['allowance']> }) {
  const { staked, granted, left, refreshesAt } = allowance
  return (
    <section aria-label={t('Daily credit')} className="mt-6 rounded-card border border-line bg-surface p-4">
      <div className="flex items-baseline justify-between gap-4">
        <h2 className="text-14 font-medium">{t('Daily credit from staking')}</h2>
        {granted > 0 && (
          <p className="font-mono text-14 text-brass tabular-nums">
            <Sentence
              text="{left} <small>of {granted} DIEM left</small>"
              values={{ left: plain(left), granted: plain(granted) }}
              parts={{ small: (text) => <span className="text-12 text-ink-3">{text}</span> }}
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
          { time: clock(refreshesAt) },
        )}
      </p>
    </section>
  )
}

const plain = (dollars: number) => formatUnitless(moneyOf(dollars))

function Balance({ session }: { session: Session }) {
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
          <span>{diemLabel(formatUnitless(moneyOf(session.balanceDiem)), allowance?.refreshesAt)}</span>
        )}
        {wallet.data && wallet.data.balance.held > 0 && (
          <span>
            {t('{amount} on hold for running requests', { amount: formatMoney(moneyOf(wallet.data.balance.held)) })}
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

function diemLabel(amount: string, refreshesAt: string | undefined): string {
  if (!refreshesAt) return t('+ {amount} DIEM today, used first', { amount })
  return t('+ {amount} DIEM today, used first; renews at {time}', { amount, time: clock(refreshesAt) })
}

const clock = (at: string) => formatDate(new Date(at), { hour: '2-digit', minute: '2-digit' })

function Sessions({ session }: { session: Session }) {
  const sessions = useQuery(sessionsQuery(session.id))
  return (
    <Section title={t('Active sessions')}>
      {sessions.isPending && <Lines count={1} query={sessions} />}
      {sessions.isError && (
        <RetryLine text={t('Your sessions could not be loaded.')} onRetry={() => void sessions.refetch()} />
      )}
      {sessions.isSuccess && (
        <ul className="divide-y divide-line">
          {sessions.data.map((one) => (
            <SessionRow key={one.id} row={one} />
          ))}
        </ul>
      )}
    </Section>
  )
}

function SessionRow({ row }: { row: BrowserSession }) {
  const [isAsking, setIsAsking] = useState(false)
  const client = useQueryClient()
  const browser = browserLabel(row.browser)
  const ending = useMutation({
    mutationFn: () => (row.isCurrent ? signOut(client) : revokeSession(row.id)),
    onSuccess: async () => {
      announce(t('Signed out'))
      if (!row.isCurrent) await client.invalidateQueries({ queryKey: ['wallet', 'sessions'] })
    },
  })
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 py-2.5 text-14">
      <Monitor aria-hidden="true" className="size-[18px] shrink-0 text-ink-3" strokeWidth={1.5} />
      <span className="min-w-0 flex-1">
        {browser}
        {row.isCurrent && <span className="ps-2 text-12 font-medium text-accent">{t('this browser')}</span>}
        <span className="block text-13 text-ink-3 tabular-nums">
          <Sentence
            text="signed in <since/> · expires <until/>"
            parts={{ since: () => <When at={row.createdAt} />, until: () => <When at={row.expiresAt} /> }}
          />
        </span>
        {ending.isError && <span className="block text-13 text-danger">{failureOf(ending.error).message}</span>}
      </span>
      {isAsking ? (
        <fieldset aria-label={t('Sign out {browser}?', { browser })} className="flex gap-2">
          <Button kind="plain" disabled={ending.isPending} onClick={() => setIsAsking(false)}>
            {t('Cancel')}
          </Button>
          <Button className="text-danger" autoFocus disabled={ending.isPending} onClick={() => ending.mutate()}>
            {ending.isPending ? t('Signing out…') : t('Sign out now')}
          </Button>
        </fieldset>
      ) : (
        <Button kind="plain" aria-label={t('Sign out {browser}', { browser })} onClick={() => setIsAsking(true)}>
          {t('Sign out')}
        </Button>
      )}
    </li>
  )
}

// The service keeps it in English: `Chrome on Linux`, or `Unknown browser`.
function browserLabel(label: string): string {
  const [, browser, system] = /^(.+) on (.+)$/.exec(label) ?? []
  if (browser && system) return t('{browser} on {system}', { browser: browserName(browser), system })
  return browserName(label)
}

const browserName = (name: string): string => (name === 'Unknown browser' ? t('Unknown browser') : name)
