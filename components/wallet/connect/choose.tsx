'use client'

import { useQuery } from '@tanstack/react-query'
import { KeyRound, Smartphone } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { Button } from '@/components/ui/button'
import { discovery, lookAgain, onDiscovery } from '@/components/wallet/connect/discovery'
import { TEST_WALLET, walletOffers, wayOf } from '@/components/wallet/connect/offers'
import { isReachableFromPhone } from '@/components/wallet/connect/phone-help'
import { Problem } from '@/components/wallet/connect/problem'
import { type SignInProblem, signInProblem } from '@/components/wallet/connect/sign-in-messages'
import { TestWalletCard } from '@/components/wallet/connect/test-wallet-card'
import type { Chosen } from '@/components/wallet/connect/use-wallet-steps'
import { WalletRows, WalletRowsSkeleton } from '@/components/wallet/connect/wallet-rows'
import { shortAddress } from '@/lib/browser/format/address'
import { usePreference } from '@/lib/browser/preferences'
import { serviceQuery } from '@/lib/browser/session'
import type { WalletRequest } from '@/lib/browser/wallet-dialog'
import type { Family } from '@/lib/contract/chains'
import { msg, t } from '@/lib/i18n/t'

const LISTS = [
  { words: msg('Wallets for Base'), href: 'https://ethereum.org/wallets/find-wallet/' },
  { words: msg('Wallets for Solana'), href: 'https://solana.com/wallets' },
]

type ChooseProps = {
  request: WalletRequest
  failed: { chosen: Chosen; problem: SignInProblem } | undefined
  onChoose: (chosen: Chosen) => void
  onAside: (aside: 'phone' | 'key') => void
}

/** Its words stand in line with those above; the rest of it is a place to hit. */
const ASIDE = '-mx-3'

/** Step one: every wallet of this browser in one list, whatever its family. */
export function Choose({ request, failed, onChoose, onAside }: ChooseProps) {
  const known = useQuery(serviceQuery())
  const service = known.data
  const [recent] = usePreference('wallet')
  // A session's wallet is the test wallet or it is not; offering the other would lead nowhere.
  const isTestRecent = wayOf(recent)?.id === TEST_WALLET || service?.wallets === 'test'
  return (
    <>
      <p className="mt-1 text-ink-2">{introduction(request)}</p>
      {failed && (
        <Problem problem={failed.problem}>
          {!failed.problem.isFinal && (
            <Button kind="primary" onClick={() => onChoose(failed.chosen)}>
              {t('Try again')}
            </Button>
          )}
        </Problem>
      )}
      {known.isPending && <WalletRowsSkeleton />}
      {known.isError && (
        <Problem problem={signInProblem(known.error)}>
          <Button kind="primary" onClick={() => void known.refetch()}>
            {t('Try again')}
          </Button>
        </Problem>
      )}
      {service?.sandbox && (!request.session || isTestRecent) && (
        <TestWalletCard isAlone={service.wallets === 'test'} onChoose={onChoose} />
      )}
      {service?.wallets === 'any' && (
        <Found onChoose={onChoose} isSandbox={service.sandbox} family={request.session?.family ?? undefined} />
      )}
      <div className="mt-5 flex flex-wrap gap-x-4 border-t border-line pt-2">
        {service?.wallets === 'any' && isReachableFromPhone() && (
          <Button kind="plain" className={ASIDE} onClick={() => onAside('phone')}>
            <Smartphone aria-hidden="true" className="size-[18px]" strokeWidth={1.5} />
            {t('Use a phone wallet')}
          </Button>
        )}
        <Button kind="plain" className={ASIDE} onClick={() => onAside('key')}>
          <KeyRound aria-hidden="true" className="size-[18px]" strokeWidth={1.5} />
          {t('Use an API key')}
        </Button>
      </div>
    </>
  )
}

function introduction({ why, session }: WalletRequest): string {
  if (session?.address) {
    return t('You are signed in as {address}. Connect the wallet with this address. You stay signed in.', {
      address: shortAddress(session.address),
    })
  }
  return why
    ? t('{why}, sign in with a wallet. Your wallet is your account: no email, no password.', { why })
    : t('Sign in with a wallet. Your wallet is your account: no email, no password.')
}

type FoundProps = {
  onChoose: ChooseProps['onChoose']
  isSandbox: boolean
  /** Only wallets that speak this one. */
  family: Family | undefined
}

/** The wallets that announced themselves to this page. */
function Found({ onChoose, isSandbox, family }: FoundProps) {
  const { wallets, isLooking, hasFailed } = useSyncExternalStore(onDiscovery, discovery, discovery)
  const [recent] = usePreference('wallet')
  const fitting = family ? wallets.filter((wallet) => wallet.family === family) : wallets
  const offers = walletOffers(fitting, recent)
  if (offers.length === 0 && isLooking) return <WalletRowsSkeleton />
  if (offers.length === 0) return hasFailed ? <LookAgain /> : <NoWallets />
  return (
    <section aria-labelledby="found-wallets" className="mt-5">
      <h3 id="found-wallets" className="pb-2 text-12 font-medium text-ink-3">
        {t('Detected in this browser')}
      </h3>
      <WalletRows offers={offers} onChoose={onChoose} />
      {hasFailed && <LookAgain />}
      {isSandbox && (
        <p className="mt-2 text-13 text-ink-3">
          {t('Use a throwaway wallet here. Signatures for these local chains are also valid on the real networks.')}
        </p>
      )}
    </section>
  )
}

/** A part of the search was not loaded, so that no wallet is not the whole truth. */
function LookAgain() {
  return (
    <div className="mt-4 flex flex-wrap items-center justify-between gap-2 rounded-card border border-line bg-surface p-4">
      <p>{t('Some wallets could not be detected.')}</p>
      <Button onClick={lookAgain}>{t('Check again')}</Button>
    </div>
  )
}

/** Nothing announced itself: what a wallet is, and where to get one. */
function NoWallets() {
  return (
    <section aria-label={t('No wallet found')} className="mt-5 rounded-card border border-line bg-surface p-4">
      <p className="font-medium">{t('No wallet found in this browser.')}</p>
      <p className="mt-1 text-ink-2">
        {t(
          'A wallet is a browser extension or app that holds your keys and funds, and asks before using them. Install one, then come back:',
        )}
      </p>
      <ul className="mt-2 flex gap-4">
        {LISTS.map(({ words, href }) => (
          <li key={href}>
            <a
              href={href}
              target="_blank"
              rel="noreferrer"
              className="inline-flex min-h-9 items-center text-accent underline underline-offset-4 pointer-coarse:min-h-11"
            >
              {t(words)}
            </a>
          </li>
        ))}
      </ul>
      <Button className="mt-3" onClick={() => window.location.reload()}>
        {t('Reload page')}
      </Button>
    </section>
  )
}
