'use client'

import { useQuery } from '@tanstack/react-query'
import { getWallets } from '@wallet-standard/app'
import { KeyRound, Smartphone } from 'lucide-react'
import { useEffect, useState } from 'react'
import { create } from 'zustand'
import { Button } from '@/components/ui/button'
import {
  type FoundWallet,
  TEST_WALLET,
  type WalletOffer,
  walletOffers,
  wayOf,
} from '@/components/wallet/connect/offers'
import { type SignInProblem, signInProblem } from '@/components/wallet/connect/sign-in'
import type { Chosen } from '@/components/wallet/connect/use-wallet-steps'
import { Problem, WalletIcon } from '@/components/wallet/parts'
import type { WalletRequest } from '@/lib/browser/dialogs'
import { CHAIN_NAME, shortAddress } from '@/lib/browser/format/address'
import { readPreference, usePreference } from '@/lib/browser/preferences'
import { serviceQuery } from '@/lib/browser/session'
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

const ASIDE = '-mx-3'

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

type FoundProps = { onChoose: ChooseProps['onChoose']; isSandbox: boolean; family: Family | undefined }

function Found({ onChoose, isSandbox, family }: FoundProps) {
  const { wallets, isLooking, hasFailed } = useDiscovery()
  const [recent] = usePreference('wallet')
  const fitting = family ? wallets.filter((wallet) => wallet.family === family) : wallets
  const offers = walletOffers(fitting, recent)
  if (offers.length === 0 && isLooking) return <WalletRowsSkeleton />
  if (offers.length === 0) return hasFailed ? <RefreshWallets /> : <NoWallets />
  return (
    <section aria-labelledby="found-wallets" className="mt-5">
      <h3 id="found-wallets" className="pb-2 text-12 font-medium text-ink-3">
        {t('Detected in this browser')}
      </h3>
      <WalletRows offers={offers} onChoose={onChoose} />
      {hasFailed && <RefreshWallets />}
      {isSandbox && (
        <p className="mt-2 text-13 text-ink-3">
          {t('Use a throwaway wallet here. Signatures for these local chains are also valid on the real networks.')}
        </p>
      )}
    </section>
  )
}

function RefreshWallets() {
  return (
    <div className="mt-4 flex flex-wrap items-center justify-between gap-2 rounded-card border border-line bg-surface p-4">
      <p>{t('Some wallets could not be detected.')}</p>
      <Button onClick={search}>{t('Check again')}</Button>
    </div>
  )
}

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
        {LISTS.map(({ words: text, href }) => (
          <li key={href}>
            <a
              href={href}
              target="_blank"
              rel="noreferrer"
              className="inline-flex min-h-9 items-center text-accent underline underline-offset-4 pointer-coarse:min-h-11"
            >
              {t(text)}
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

const FRAME = 'divide-y divide-line overflow-hidden rounded-card border border-line bg-surface'
const ROW = 'flex min-h-14 w-full items-center gap-3 px-3 py-2 text-start'

type WalletRowsProps = { offers: WalletOffer[]; onChoose: (chosen: Chosen) => void }

function WalletRows({ offers, onChoose }: WalletRowsProps) {
  return (
    <ul className={FRAME}>
      {offers.map((offer) => (
        <li key={offer.name}>
          <Row offer={offer} onChoose={onChoose} />
        </li>
      ))}
    </ul>
  )
}

type RowProps = { offer: WalletOffer; onChoose: WalletRowsProps['onChoose'] }

function Row({ offer: { name, icon, ways, isRecent }, onChoose }: RowProps) {
  const [only, ...others] = ways
  if (!only) return null
  const label = (
    <>
      <WalletIcon icon={icon} />
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">{name}</span>
        {isRecent && (
          // The list is in this order anyway; in the name of a button it would only be in the way.
          <span aria-hidden="true" className="block text-12 text-ink-3">
            {t('Last used')}
          </span>
        )}
      </span>
    </>
  )
  if (others.length === 0) {
    return (
      <button
        type="button"
        onClick={() => onChoose({ name, icon, way: only })}
        className={`${ROW} transition-colors hover:bg-hover focus-visible:-outline-offset-2`}
      >
        <span className="sr-only">
          {t('Connect {wallet} on {chain}', { wallet: name, chain: CHAIN_NAME[only.family] })}
        </span>
        <span aria-hidden="true" className="contents">
          {label}
          <span className="text-13 text-ink-3">{CHAIN_NAME[only.family]}</span>
        </span>
      </button>
    )
  }
  return (
    <div className={ROW}>
      {label}
      {ways.map((way) => (
        <button
          key={way.family}
          type="button"
          aria-label={t('Connect {wallet} on {chain}', { wallet: name, chain: CHAIN_NAME[way.family] })}
          onClick={() => onChoose({ name, icon, way })}
          className="min-h-9 rounded-control border border-line px-3 text-13 transition-colors hover:border-control hover:bg-hover pointer-coarse:min-h-11"
        >
          {CHAIN_NAME[way.family]}
        </button>
      ))}
    </div>
  )
}

function WalletRowsSkeleton() {
  return (
    <div aria-busy="true" className="mt-5">
      <p className="pb-2 text-12 font-medium text-ink-3">{t('Detecting wallets')}</p>
      <div aria-hidden="true" className={FRAME}>
        {['w-24', 'w-32', 'w-20'].map((width) => (
          <div key={width} className={ROW}>
            <span className="skeleton size-9 shrink-0" />
            <span className={`skeleton h-4 ${width}`} />
          </div>
        ))}
      </div>
    </div>
  )
}

const FAMILIES: Family[] = ['evm', 'solana']

type TestWalletCardProps = { isAlone: boolean; onChoose: (chosen: Chosen) => void }

function TestWalletCard({ isAlone, onChoose }: TestWalletCardProps) {
  const [family, setFamily] = useState<Family>(lastFamily)
  return (
    <section aria-label={t('Test wallet')} className="mt-5 rounded-card border border-line bg-surface p-4">
      <div className="flex items-center gap-3">
        <WalletIcon isTest />
        <div className="min-w-0 flex-1">
          <p className="font-medium">{t('Test wallet')}</p>
          <p className="text-13 text-ink-3">{t('Created in this browser, funded with test money')}</p>
        </div>
      </div>
      <div className="mt-4 flex flex-wrap items-center justify-between gap-3">
        <fieldset className="flex rounded-control border border-line p-0.5">
          <legend className="sr-only">{t('Network')}</legend>
          {FAMILIES.map((each) => (
            <label
              key={each}
              className="inline-flex min-h-8 items-center rounded-[4px] px-3 text-13 text-ink-3 has-checked:bg-accent-soft has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-accent pointer-coarse:min-h-11"
            >
              <input
                type="radio"
                name="test-wallet-chain"
                checked={family === each}
                onChange={() => setFamily(each)}
                className="sr-only"
              />
              {CHAIN_NAME[each]}
            </label>
          ))}
        </fieldset>
        <Button kind="primary" onClick={() => onChoose({ name: t('Test wallet'), way: { family, id: TEST_WALLET } })}>
          {t('Use test wallet')}
        </Button>
      </div>
      {isAlone && (
        <p className="mt-4 border-t border-line pt-3 text-13 text-ink-3">
          {t(
            'For your safety, real wallets are off in this sandbox: a signature made here could be used on the real network.',
          )}
        </p>
      )}
    </section>
  )
}

function lastFamily(): Family {
  const way = wayOf(readPreference('wallet'))
  return way?.id === TEST_WALLET ? way.family : 'evm'
}

// A phone cannot open a page that only this computer serves.
function isReachableFromPhone(): boolean {
  const { hostname } = window.location
  return hostname !== 'localhost' && hostname !== '[::1]' && !/^127\./.test(hostname)
}

// Wallets that announce themselves later than this are listed, but no longer waited for.
const LATE_MS = 700

type Discovery = { evm: FoundWallet[]; solana: FoundWallet[]; isLooking: boolean; hasFailed: boolean }

const useStore = create<Discovery>(() => ({ evm: [], solana: [], isLooking: true, hasFailed: false }))

let isStarted = false

/** Returns the wallets of this browser. The first component that asks starts the search. */
function useDiscovery() {
  useEffect(() => {
    if (!isStarted) search()
  }, [])
  const { evm, solana, isLooking, hasFailed } = useStore()
  return { wallets: [...evm, ...solana], isLooking, hasFailed }
}

function search(): void {
  isStarted = true
  useStore.setState({ isLooking: true, hasFailed: false })
  const searches = [findEvm(), isAndroid() ? findPhoneWallets() : Promise.resolve(findSolana())]
  void Promise.allSettled(searches).then((outcomes) => {
    const hasFailed = outcomes.some(({ status }) => status === 'rejected')
    const { evm, solana } = useStore.getState()
    setTimeout(() => useStore.setState({ isLooking: false, hasFailed }), evm.length + solana.length > 0 ? 0 : LATE_MS)
  })
}

async function findEvm(): Promise<void> {
  const { evmWallets, onEvmWallets } = await import('@/components/wallet/connect/evm')
  const update = () => useStore.setState({ evm: evmWallets() })
  onEvmWallets(update)
  update()
}

// Reads names and icons from the registry; the adapters, which are large, are fetched when one is chosen.
function findSolana(): void {
  const registry = getWallets()
  const update = () => {
    const solana = registry
      .get()
      .filter(({ chains, features }) => 'standard:connect' in features && chains.some(isSolana))
      .map(({ name, icon }): FoundWallet => ({ family: 'solana', id: name, name, icon }))
    useStore.setState({ solana })
  }
  registry.on('register', update)
  registry.on('unregister', update)
  update()
}

// On Android other apps are wallets too, and only the adapters know them.
async function findPhoneWallets(): Promise<void> {
  const { solanaWallets, onSolanaWallets } = await import('@/components/wallet/connect/solana')
  const update = () => useStore.setState({ solana: solanaWallets() })
  onSolanaWallets(update)
  update()
}

const isSolana = (chain: string): boolean => chain.startsWith('solana:')
const isAndroid = (): boolean => /android/i.test(navigator.userAgent)
