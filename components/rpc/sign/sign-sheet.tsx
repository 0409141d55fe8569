'use client'

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { fullName, overviewQuery } from '@/components/rpc/overview'
import { CheckStep } from '@/components/rpc/sign/check-step'
import { DraftStep } from '@/components/rpc/sign/draft-step'
import { SentStep } from '@/components/rpc/sign/sent-step'
import type { ChainState, Draft, Intent } from '@/components/rpc/sign/transaction'
import { Sheet } from '@/components/ui/sheet'
import type { WalletPort } from '@/lib/browser/wallet-port'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import { msg, t } from '@/lib/i18n/t'

type SignSheetProps = { network: RpcNetwork; onSigned: (raw: `0x${string}`) => void; onClose: () => void }

/** Where the person is: writing, checking what will be signed, or looking on after it was sent. */
type Step =
  | { name: 'draft' }
  | { name: 'check'; port: WalletPort; intent: Intent; chain: ChainState }
  /** `raw` is left out where the wallet sent it by its own node. */
  | { name: 'sent'; hash: `0x${string}`; raw?: `0x${string}` }

const TITLES: Record<Step['name'], string> = {
  draft: msg('Sign transaction'),
  check: msg('Review and sign'),
  sent: msg('Transaction'),
}

export function SignSheet({ network, onSigned, onClose }: SignSheetProps) {
  const [draft, setDraft] = useState<Draft>({ to: '', value: '0', data: '' })
  const [step, setStep] = useState<Step>({ name: 'draft' })
  const overview = useQuery(overviewQuery())
  const isLocal = overview.data?.stateOf.get(network.slug)?.isLocal ?? false
  const usdPerCredit = overview.data?.usdPerCredit
  return (
    <Sheet
      isOpen
      onClose={onClose}
      title={t(TITLES[step.name])}
      isHeld={step.name !== 'draft'}
      lead={
        <p className="truncate text-13 text-ink-3">
          {fullName(network)}
          {isLocal && ` · ${t('local test chain')}`}
        </p>
      }
    >
      {step.name === 'draft' && (
        <DraftStep
          network={network}
          isLocal={isLocal}
          usdPerCredit={usdPerCredit}
          draft={draft}
          onChange={setDraft}
          onReady={(ready) => setStep({ name: 'check', ...ready })}
        />
      )}
      {step.name === 'check' && (
        <CheckStep
          network={network}
          isLocal={isLocal}
          usdPerCredit={usdPerCredit}
          port={step.port}
          intent={step.intent}
          chain={step.chain}
          onBack={() => setStep({ name: 'draft' })}
          onSigned={onSigned}
          onSent={(sent) => setStep({ name: 'sent', ...sent })}
        />
      )}
      {step.name === 'sent' && (
        <SentStep
          network={network}
          isLocal={isLocal}
          usdPerCredit={usdPerCredit}
          hash={step.hash}
          raw={step.raw}
          onAgain={() => setStep({ name: 'draft' })}
          onClose={onClose}
        />
      )}
    </Sheet>
  )
}
