'use client'

import { ArrowLeft } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { Sentence } from '@/components/ui/sentence'
import { Sheet } from '@/components/ui/sheet'
import { Choose } from '@/components/wallet/connect/choose'
import { TEST_WALLET } from '@/components/wallet/connect/offers'
import { PhoneHelp } from '@/components/wallet/connect/phone-help'
import { Prove } from '@/components/wallet/connect/prove'
import { Ready } from '@/components/wallet/connect/ready'
import { type Chosen, type Step, useWalletSteps } from '@/components/wallet/connect/use-wallet-steps'
import { WalletIcon } from '@/components/wallet/connect/wallet-icon'
import { CHAIN_NAME, shortAddress } from '@/lib/browser/format/address'
import type { Session } from '@/lib/browser/session-type'
import { openTopUp } from '@/lib/browser/top-up-dialog'
import { settleWallet, type WalletRequest } from '@/lib/browser/wallet-dialog'
import type { WalletPort } from '@/lib/browser/wallet-port'
import { msg, t } from '@/lib/i18n/t'

const STEPS = [msg('Choose a wallet'), msg('Verify your wallet'), msg('Ready')]

const KEY_HEADER = 'Authorization: Bearer <API key>'
const KEY_PATH = '/api/v1/api_keys/generate_web3_key'

const TITLES = {
  choose: msg('Choose a wallet'),
  'other-account': msg('Account mismatch'),
  prove: msg('Verify your wallet'),
  ready: msg('You are signed in'),
  phone: msg('Use a phone wallet'),
  key: msg('API keys are for apps'),
}

function titleOf(step: Step, aside: 'phone' | 'key' | undefined, { session }: WalletRequest): string {
  if (aside) return t(TITLES[aside])
  if (session && step.name === 'choose') return t('Reconnect your wallet')
  return step.name === 'connecting' ? t('Connect {name}', { name: step.chosen.name }) : t(TITLES[step.name])
}

const PLACE: Record<Step['name'], number> = { choose: 1, connecting: 1, 'other-account': 1, prove: 2, ready: 3 }

/** Connects a wallet and signs in with it, in three steps. */
export function WalletDialog({ request }: { request: WalletRequest }) {
  const { step, connect, prove, cancel, chooseAgain, signInAs } = useWalletSteps(request)
  const [aside, setAside] = useState<'phone' | 'key'>()
  const session = step.name === 'ready' ? step.session : null
  const isWaiting = step.name === 'connecting' || (step.name === 'prove' && step.isSigning)
  return (
    <Sheet
      isOpen
      onClose={() => settleWallet(session)}
      title={titleOf(step, aside, request)}
      lead={!request.session && <Progress place={PLACE[step.name]} />}
      isHeld={isWaiting}
    >
      {aside === 'phone' && <PhoneHelp onBack={() => setAside(undefined)} />}
      {aside === 'key' && <KeyHelp onBack={() => setAside(undefined)} />}
      {!aside && step.name === 'choose' && (
        <Choose request={request} failed={step.failed} onChoose={(chosen) => void connect(chosen)} onAside={setAside} />
      )}
      {!aside && step.name === 'connecting' && <Connecting chosen={step.chosen} onCancel={cancel} />}
      {step.name === 'other-account' && request.session && (
        <OtherAccount
          port={step.port}
          session={request.session}
          onSignIn={() => signInAs(step.port)}
          onBack={chooseAgain}
        />
      )}
      {step.name === 'prove' && (
        <Prove
          {...step}
          onSign={(challenge) => void prove(step.port, challenge)}
          onCancel={cancel}
          onBack={chooseAgain}
        />
      )}
      {step.name === 'ready' && (
        <Ready
          port={step.port}
          session={step.session}
          onAddCredit={() => {
            settleWallet(step.session)
            void openTopUp()
          }}
          onDone={() => settleWallet(step.session)}
        />
      )}
    </Sheet>
  )
}

type ConnectingProps = { chosen: Chosen; onCancel: () => void }

/** While the wallet's own window is open. It ends when the wallet answers or the person gives up, and not by a clock. */
function Connecting({ chosen: { name, icon, way }, onCancel }: ConnectingProps) {
  return (
    <div className="flex flex-col items-center pt-8 text-center">
      <WalletIcon icon={icon} isTest={way.id === TEST_WALLET} size="large" />
      <p className="mt-4 font-medium">
        {t('Waiting for {name}', { name })}
        <span className="caret" />
      </p>
      <p className="mt-1 max-w-75 text-ink-2">
        {t('Approve the request in your wallet to share your {chain} address with this site.', {
          chain: CHAIN_NAME[way.family],
        })}
      </p>
      <p className="mt-3 max-w-75 text-13 text-ink-3">
        {t(
          'No window? It may be behind this one, or your wallet may be locked. Check the wallet icon in the browser toolbar.',
        )}
      </p>
      <Button className="mt-5" onClick={onCancel}>
        {t('Cancel')}
      </Button>
    </div>
  )
}

/** Where keys belong: not here. */
function KeyHelp({ onBack }: { onBack: () => void }) {
  return (
    <>
      <p className="mt-1 text-ink-2">
        {t(
          'Apps send an API key with every request. On this site your wallet is your key: there is no secret to paste or lose.',
        )}
      </p>
      <pre
        dir="ltr"
        className="thin-scroll mt-3 overflow-x-auto rounded-card border border-line bg-sunken px-4 py-3 font-mono text-12"
      >
        {KEY_HEADER}
      </pre>
      <p className="mt-3 text-ink-2">
        <Sentence
          text="Sign in to create keys under API keys. Apps can create one too: an app requests a message from <path/>, signs it with your wallet and receives a key that spends the wallet’s credit."
          parts={{
            path: () => (
              <code dir="ltr" className="font-mono text-12 wrap-anywhere">
                {KEY_PATH}
              </code>
            ),
          }}
        />
      </p>
      <Button kind="plain" className="-ms-3 mt-4" onClick={onBack}>
        <ArrowLeft aria-hidden="true" className="size-[18px] rtl:-scale-x-100" strokeWidth={1.5} />
        {t('Back')}
      </Button>
    </>
  )
}

type OtherAccountProps = { port: WalletPort; session: Session; onSignIn: () => void; onBack: () => void }

/** The wallet showed another account than the one that is signed in here. */
function OtherAccount({ port, session, onSignIn, onBack }: OtherAccountProps) {
  return (
    <>
      <p className="mt-1 text-ink-2">
        <Sentence
          text="{wallet} uses <other/>, but you are signed in as <own/>. Switch accounts in {wallet} and try again, or sign in with the wallet’s account."
          values={{ wallet: port.name }}
          parts={{
            other: () => <Address of={port.address} />,
            own: () => <Address of={session.address ?? ''} />,
          }}
        />
      </p>
      <div className="mt-5 flex flex-wrap gap-2">
        <Button kind="primary" onClick={onBack}>
          {t('Try again')}
        </Button>
        <Button onClick={onSignIn}>{t('Sign in as {address}', { address: shortAddress(port.address) })}</Button>
      </div>
    </>
  )
}

function Address({ of }: { of: string }) {
  return <span className="font-mono text-12 whitespace-nowrap text-ink">{shortAddress(of)}</span>
}

/** How far one has come: three dots, of which the present one is long. */
function Progress({ place }: { place: number }) {
  return (
    <ol aria-label={t('Step {place} of {count}', { place, count: STEPS.length })} className="flex items-center gap-1.5">
      {STEPS.map((name, index) => {
        const isNow = index + 1 === place
        return (
          <li
            key={name}
            aria-current={isNow ? 'step' : undefined}
            className={`h-1.5 rounded-chip transition-[width] ${isNow ? 'w-5 bg-accent' : 'w-1.5'} ${
              index + 1 < place ? 'bg-accent' : isNow ? '' : 'bg-control'
            }`}
          >
            <span className="sr-only">{t(name)}</span>
          </li>
        )
      })}
    </ol>
  )
}
