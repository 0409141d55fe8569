'use client'

import { useState } from 'react'
import { Sheet } from '@/components/ui/sheet'
import { Choose } from '@/components/wallet/connect/choose'
import { Connecting } from '@/components/wallet/connect/connecting'
import { KeyHelp } from '@/components/wallet/connect/key-help'
import { OtherAccount } from '@/components/wallet/connect/other-account'
import { PhoneHelp } from '@/components/wallet/connect/phone-help'
import { Progress } from '@/components/wallet/connect/progress'
import { Prove } from '@/components/wallet/connect/prove'
import { Ready } from '@/components/wallet/connect/ready'
import { type Step, useWalletSteps } from '@/components/wallet/connect/use-wallet-steps'
import { openTopUp } from '@/lib/browser/top-up-dialog'
import { settleWallet, type WalletRequest } from '@/lib/browser/wallet-dialog'
import { msg, t } from '@/lib/i18n/t'

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
