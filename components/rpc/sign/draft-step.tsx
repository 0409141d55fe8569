'use client'

import { useEffect, useRef, useState } from 'react'
import { creditsBefore, priceText } from '@/components/rpc/price'
import { PREPARING, readChain } from '@/components/rpc/sign/ask-chain'
import { Fault, Field } from '@/components/rpc/sign/field'
import { SignerChoice } from '@/components/rpc/sign/signer-choice'
import { type ChainState, type Draft, type Faults, type Intent, readDraft } from '@/components/rpc/sign/transaction'
import { useSigners } from '@/components/rpc/sign/use-signer'
import { Button } from '@/components/ui/button'
import { Sentence } from '@/components/ui/sentence'
import { failureOf } from '@/lib/browser/failure'
import { maySpend } from '@/lib/browser/spending'
import type { WalletPort } from '@/lib/browser/wallet-port'
import { ApiError } from '@/lib/contract/errors'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import { t } from '@/lib/i18n/t'

type DraftStepProps = {
  network: RpcNetwork
  isLocal: boolean
  usdPerCredit: number | undefined
  draft: Draft
  onChange: (draft: Draft) => void
  onReady: (ready: { port: WalletPort; intent: Intent; chain: ChainState }) => void
}

/** Who signs, and what is to happen. The rest is read from the chain. */
export function DraftStep({ network, isLocal, usdPerCredit, draft, onChange, onReady }: DraftStepProps) {
  const { signers, signer, choose } = useSigners(network, isLocal)
  const [faults, setFaults] = useState<Faults>({})
  const [trouble, setTrouble] = useState<string>()
  const [isReading, setIsReading] = useState(false)
  const gone = useRef<AbortController>(undefined)
  useEffect(() => () => gone.current?.abort(), [])
  const change = (part: Partial<Draft>) => {
    setFaults({})
    onChange({ ...draft, ...part })
  }
  const prepare = async () => {
    const intent = readDraft(draft)
    if ('faults' in intent) return setFaults(intent.faults)
    if (!signer || signer.problem !== undefined) return
    const controller = new AbortController()
    gone.current = controller
    setIsReading(true)
    setTrouble(undefined)
    try {
      if (!(await maySpend(t('To read the account')))) return setTrouble(t('Nothing was sent. Sign in first.'))
      const { port } = signer
      const chain = await readChain(network, port.address as `0x${string}`, intent, controller.signal)
      onReady({ port, intent, chain })
    } catch (error) {
      if (!controller.signal.aborted) setTrouble(wordsOf(error))
    } finally {
      setIsReading(false)
    }
  }
  const credits = creditsBefore(network, PREPARING)
  return (
    <form
      className="mt-4 space-y-4"
      onSubmit={(event) => {
        event.preventDefault()
        void prepare()
      }}
    >
      <SignerChoice network={network} isLocal={isLocal} signers={signers} signer={signer} onChoose={choose} />
      <Field label={t('To')} value={draft.to} fault={faults.to} placeholder="0x…" onChange={(to) => change({ to })} />
      <Field
        label={t('Amount')}
        value={draft.value}
        unit={network.currency}
        inputMode="decimal"
        fault={faults.value}
        onChange={(value) => change({ value })}
      />
      <Field
        label={t('Data')}
        value={draft.data}
        fault={faults.data}
        placeholder={t('0x for a plain transfer')}
        onChange={(data) => change({ data })}
      />
      <div className="pt-1">
        <Button
          kind="primary"
          type="submit"
          disabled={isReading || !signer || signer.problem !== undefined}
          className="w-full"
        >
          {isReading ? t('Loading nonce and fees…') : t('Next')}
        </Button>
        <p className="mt-2 text-13 text-ink-3">
          <Sentence
            text="Nonce, balance and fees are loaded first: {count} calls, <price/>. Nothing is signed yet."
            parts={{ price: () => <span className="font-mono text-12">{priceText(credits, usdPerCredit)}</span> }}
            values={{ count: PREPARING.length }}
          />
        </p>
      </div>
      <Fault text={trouble} />
    </form>
  )
}

/** Errors of the service and of nodes say what is wrong; what else there is means that no answer came. */
function wordsOf(error: unknown): string {
  const isOurs = error instanceof Error && error.constructor === Error
  return isOurs && !(error instanceof ApiError) ? error.message : failureOf(error).message
}
