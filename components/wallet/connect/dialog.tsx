'use client'

import { useQuery } from '@tanstack/react-query'
import { ArrowLeft, FlaskConical } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { Sheet } from '@/components/ui/modal'
import { Sentence } from '@/components/ui/sentence'
import { Choose } from '@/components/wallet/connect/choose'
import { TEST_WALLET } from '@/components/wallet/connect/offers'
import { type Chosen, type Step, useWalletSteps } from '@/components/wallet/connect/use-wallet-steps'
import { Verify } from '@/components/wallet/connect/verify'
import { Facts, WalletIcon } from '@/components/wallet/parts'
import { QrCode } from '@/components/wallet/qr-code'
import { testFundsQuery } from '@/components/wallet/top-up/holdings'
import { openTopUp, settleWallet, type WalletRequest } from '@/lib/browser/dialogs'
import { CHAIN_NAME, shortAddress } from '@/lib/browser/format/address'
import { formatMoney, moneyOf } from '@/lib/browser/format/cost'
import { sessionQuery } from '@/lib/browser/queries'
import { useService } from '@/lib/browser/session'
import type { WalletPort } from '@/lib/browser/wallet-port'
import { NANO_PER_USDC_UNIT } from '@/lib/contract/chains'
import { formatUsd, nano } from '@/lib/contract/money'
import type { Session } from '@/lib/contract/session'
import { msg, t } from '@/lib/i18n/t'

const STEPS = [msg('Choose a wallet'), msg('Verify your wallet'), msg('Ready')]

const KEY_HEADER = 'Authorization: Bearer <API key>'
const KEY_PATH = '/api/v1/api_keys/generate_web3_key'

const TITLES = {
  choose: msg('Choose a wallet'),
  'other-account': msg('Account mismatch'),
  verify: msg('Verify your wallet'),
  ready: msg('You are signed in'),
  phone: msg('Use a phone wallet'),
  key: msg('API keys are for apps'),
}

function titleOf(step: Step, aside: 'phone' | 'key' | undefined, { session }: WalletRequest): string {
  if (aside) return t(TITLES[aside])
  if (session && step.name === 'choose') return t('Reconnect your wallet')
  return step.name === 'connecting' ? t('Connect {name}', { name: step.chosen.name }) : t(TITLES[step.name])
}

const PLACE: Record<Step['name'], number> = { choose: 1, connecting: 1, 'other-account': 1, verify: 2, ready: 3 }

export function WalletDialog({ request }: { request: WalletRequest }) {
  const { step, connect, verify, cancel, chooseAgain, signInAs } = useWalletSteps(request)
  const [aside, setAside] = useState<'phone' | 'key'>()
  const session = step.name === 'ready' ? step.session : null
  const isWaiting = step.name === 'connecting' || (step.name === 'verify' && step.isSigning)
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
      {step.name === 'verify' && (
        <Verify
          port={step.port}
          isSigning={step.isSigning}
          problem={step.problem}
          isSwitched={step.isSwitched}
          onSign={(challenge) => void verify(step.port, challenge)}
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

// Waits until the wallet answers or the person gives up; there is no timeout.
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
          text="Sign in to create keys under “API keys”. Apps can create one too: an app requests a message from <path/>, signs it with your wallet and receives a key that spends the wallet’s credit."
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

function OtherAccount({ port, session, onSignIn, onBack }: OtherAccountProps) {
  return (
    <>
      <p className="mt-1 text-ink-2">
        <Sentence
          text="{wallet} uses <other/>, but you are signed in as <own/>. Switch accounts in {wallet} and try again, or sign in with the wallet’s account."
          values={{ wallet: port.name }}
          parts={{ other: () => <Address of={port.address} />, own: () => <Address of={session.address ?? ''} /> }}
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

function PhoneHelp({ onBack }: { onBack: () => void }) {
  const url = window.location.origin
  return (
    <>
      <p className="mt-1 text-ink-2">
        {t(
          'Scan the code with your phone and open the link in your wallet app’s browser. You sign in on the phone; this computer keeps its own session.',
        )}
      </p>
      <QrCode
        text={url}
        label={t('QR code for {text}', { text: url })}
        className="mx-auto mt-4 size-52 rounded-card border border-line"
      />
      <p className="mt-3 flex items-center justify-center gap-1 font-mono text-12 text-ink-2 wrap-anywhere">
        {url}
        <CopyButton text={url} label={t('Copy address')} />
      </p>
      <Button kind="plain" className="-ms-3 mt-3" onClick={onBack}>
        <ArrowLeft aria-hidden="true" className="size-[18px] rtl:-scale-x-100" strokeWidth={1.5} />
        {t('Back')}
      </Button>
    </>
  )
}

type ReadyProps = { port: WalletPort; session: Session; onAddCredit: () => void; onDone: () => void }

function Ready({ port, session, onAddCredit, onDone }: ReadyProps) {
  const { balanceUsd } = useQuery(sessionQuery()).data ?? session
  return (
    <>
      <div className="mt-1 flex items-start justify-between gap-2">
        <p className="min-w-0 pt-2 font-mono text-12 text-ink-2 wrap-anywhere">{port.address}</p>
        <CopyButton text={port.address} label={t('Copy address')} />
      </div>
      <Facts
        facts={[
          { name: t('Wallet'), value: t('{wallet} on {chain}', { wallet: port.name, chain: CHAIN_NAME[port.family] }) },
          {
            name: t('Credit'),
            value: (
              <span className="text-14 font-medium text-brass tabular-nums">{formatMoney(moneyOf(balanceUsd))}</span>
            ),
          },
        ]}
      />
      {port.isTest ? <TestMoney port={port} /> : <SandboxNote />}
      <div className="mt-5 flex flex-wrap gap-2">
        <Button kind="primary" onClick={onAddCredit}>
          {t('Add credit')}
        </Button>
        <Button onClick={onDone}>{t('Start exploring')}</Button>
      </div>
    </>
  )
}

function TestMoney({ port }: { port: WalletPort }) {
  const funding = useQuery(testFundsQuery(port.family, port.address))
  return (
    <div className="mt-3 text-13 text-ink-3">
      {funding.isPending && <p>{t('Adding test USDC to your wallet…')}</p>}
      {funding.isSuccess && (
        <p>
          {t(
            'Your wallet holds {amount} test USDC, enough to try a top-up. The chains are local, and the money isn’t real.',
            { amount: formatUsd(nano(funding.data * NANO_PER_USDC_UNIT), 2) },
          )}
        </p>
      )}
      {funding.isError && (
        <p>
          {t('Could not add test USDC to your wallet.')}{' '}
          <button
            type="button"
            className="min-h-9 text-accent underline underline-offset-4 pointer-coarse:min-h-11"
            onClick={() => void funding.refetch()}
          >
            {t('Try again')}
          </button>
        </p>
      )}
    </div>
  )
}

function SandboxNote() {
  if (!useService()?.sandbox) return null
  return (
    <p className="mt-3 flex items-center gap-2 text-13 text-ink-3">
      <FlaskConical aria-hidden="true" className="size-4 shrink-0" strokeWidth={1.5} />
      {t('Test money on local chains. The funds aren’t real.')}
    </p>
  )
}
