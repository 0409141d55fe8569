'use client'

import { useQuery } from '@tanstack/react-query'
import { ChevronRight } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { Sentence } from '@/components/ui/sentence'
import {
  type Challenge,
  fetchChallenge,
  type SignInProblem,
  signInFields,
  signInProblem,
} from '@/components/wallet/connect/sign-in'
import { CHALLENGE_KEY } from '@/components/wallet/connect/use-wallet-steps'
import { type Fact, Facts, Problem } from '@/components/wallet/parts'
import { CHAIN_NAME, shortAddress } from '@/lib/browser/format/address'
import type { WalletPort } from '@/lib/browser/wallet-port'
import { signInText } from '@/lib/contract/sign-in-format'
import { plural, t } from '@/lib/i18n/t'

const MIN_REFETCH_MS = 1_000
const SESSION_HOURS = 24

type VerifyProps = {
  port: WalletPort
  isSigning: boolean
  problem?: SignInProblem
  /** The account was changed in the wallet while this step was open. */
  isSwitched?: boolean
  onSign: (challenge: Challenge) => void
  onCancel: () => void
  onBack: () => void
}

export function Verify({ port, isSigning, problem, isSwitched, onSign, onCancel, onBack }: VerifyProps) {
  const challenge = useQuery({
    queryKey: CHALLENGE_KEY,
    queryFn: ({ signal }) => fetchChallenge(signal),
    gcTime: 0,
    // Without a connection it fails at once and says so, instead of waiting in silence.
    networkMode: 'always',
    refetchOnWindowFocus: false,
    // A code that runs out is replaced unasked, but not while the wallet shows it.
    refetchInterval: ({ state }) =>
      isSigning || !state.data ? false : Math.max(MIN_REFETCH_MS, state.data.staleAt - performance.now()),
  })
  const shown = problem ?? (challenge.isError ? signInProblem(challenge.error) : undefined)
  return (
    <>
      <p className="mt-1 text-ink-2">
        {port.isTest
          ? t(
              'The test wallet signs a short message. Signing is free and moves no funds. The signature proves that the address is yours.',
            )
          : t(
              '{wallet} shows a short message to sign. Signing is free and moves no funds. The signature proves that the address is yours.',
              { wallet: port.name },
            )}
      </p>
      {isSwitched && (
        <p className="mt-3 text-13 text-ink-2">
          <Sentence
            text="{wallet} switched to another account. You will sign in as <address/>."
            values={{ wallet: port.name }}
            parts={{
              address: () => <span className="font-mono text-12 whitespace-nowrap">{shortAddress(port.address)}</span>,
            }}
          />
        </p>
      )}
      <Facts facts={factsOf(port, challenge.data)} />
      {challenge.data && !port.signIn && <ExactText text={signInText(signInFields(challenge.data, port))} />}
      {shown && !isSigning && <Problem problem={shown} />}
      {isSigning ? (
        <div className="mt-5 flex items-center justify-between gap-3">
          <p>
            <span className="font-medium">{t('Waiting for {name}', { name: port.name })}</span>
            <span className="caret" />
            <span className="block text-13 text-ink-3">{t('Read the message in your wallet, then sign it.')}</span>
          </p>
          <Button onClick={onCancel}>{t('Cancel')}</Button>
        </div>
      ) : (
        <div className="mt-5 flex flex-wrap gap-2">
          {shown?.isFinal || (
            <Action
              challenge={challenge.data}
              onSign={onSign}
              onRetry={challenge.isError ? challenge.refetch : undefined}
            />
          )}
          <Button kind="plain" onClick={onBack}>
            {t('Use another wallet')}
          </Button>
        </div>
      )}
    </>
  )
}

type ActionProps = {
  challenge: Challenge | undefined
  onSign: VerifyProps['onSign']
  onRetry: (() => unknown) | undefined
}

function Action({ challenge, onSign, onRetry }: ActionProps) {
  if (!challenge && onRetry) {
    return (
      <Button kind="primary" onClick={() => void onRetry()}>
        {t('Try again')}
      </Button>
    )
  }
  return (
    <Button kind="primary" disabled={!challenge} onClick={() => challenge && onSign(challenge)}>
      {t('Sign message')}
    </Button>
  )
}

function factsOf({ address, family }: WalletPort, challenge: Challenge | undefined): Fact[] {
  const waiting = <span className="skeleton inline-block h-3 w-24" />
  return [
    {
      name: t('Address'),
      value: (
        <span title={address}>
          {t('{address} on {chain}', { address: shortAddress(address), chain: CHAIN_NAME[family] })}
        </span>
      ),
    },
    { name: t('Site'), value: challenge?.domain ?? waiting },
    { name: t('Session length'), value: plural(SESSION_HOURS, { one: '{count} hour', other: '{count} hours' }) },
    {
      name: t('Code'),
      value: challenge ? <span title={challenge.nonce}>{`${challenge.nonce.slice(0, 8)}…`}</span> : waiting,
    },
  ]
}

function ExactText({ text }: { text: string }) {
  return (
    <details className="group mt-2">
      <summary className="-ms-1 inline-flex min-h-9 list-none items-center gap-1 rounded-control pe-2 text-13 text-ink-3 hover:text-ink pointer-coarse:min-h-11 [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden="true"
          className="size-4 transition-transform group-open:rotate-90 rtl:-scale-x-100 rtl:group-open:-rotate-90"
          strokeWidth={1.5}
        />
        {t('Full message')}
      </summary>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
        tabIndex={0}
        aria-label={t('Full message')}
        className="thin-scroll mt-1 max-h-56 overflow-auto rounded-card border border-line bg-sunken p-3"
      >
        <pre dir="ltr" className="font-mono text-12 whitespace-pre-wrap wrap-anywhere">
          {text}
        </pre>
      </section>
    </details>
  )
}
