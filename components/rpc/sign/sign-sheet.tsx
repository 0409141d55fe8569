'use client'

import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { fullName, overviewQuery } from '@/components/rpc/networks'
import { Mono } from '@/components/rpc/notices'
import { CallPrice, CheckStep, Fault, Field } from '@/components/rpc/sign/check-step'
import { SentStep } from '@/components/rpc/sign/sent-step'
import { connectSigner, type Signer, useSigners } from '@/components/rpc/sign/signer'
import {
  type ChainState,
  type Draft,
  type Faults,
  type Intent,
  PREPARING,
  readChain,
  readDraft,
  type Target,
} from '@/components/rpc/sign/transaction'
import { Button } from '@/components/ui/button'
import { Sheet } from '@/components/ui/modal'
import { Sentence } from '@/components/ui/sentence'
import { showToast } from '@/components/ui/toast'
import { postJson } from '@/lib/browser/api'
import { failureOf } from '@/lib/browser/failure'
import { shortAddress } from '@/lib/browser/format/address'
import { maySpend } from '@/lib/browser/spending'
import type { WalletPort } from '@/lib/browser/wallet-port'
import { ApiError } from '@/lib/contract/errors'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import { msg, t } from '@/lib/i18n/t'

type SignSheetProps = { network: RpcNetwork; onSigned: (raw: `0x${string}`) => void; onClose: () => void }

type Step =
  | { name: 'draft' }
  | { name: 'check'; port: WalletPort; intent: Intent; chain: ChainState }
  // `raw` is left out where the wallet sent the transaction by its own node.
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
  const target = { network, isLocal, usdPerCredit: overview.data?.usdPerCredit }
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
          {...target}
          draft={draft}
          onChange={setDraft}
          onReady={(ready) => setStep({ name: 'check', ...ready })}
        />
      )}
      {step.name === 'check' && (
        <CheckStep
          {...target}
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
          {...target}
          hash={step.hash}
          raw={step.raw}
          onRetry={() => setStep({ name: 'draft' })}
          onClose={onClose}
        />
      )}
    </Sheet>
  )
}

type DraftStepProps = Target & {
  draft: Draft
  onChange: (draft: Draft) => void
  onReady: (ready: { port: WalletPort; intent: Intent; chain: ChainState }) => void
}

function DraftStep({ network, isLocal, usdPerCredit, draft, onChange, onReady }: DraftStepProps) {
  const { signers, signer, choose } = useSigners(network, isLocal)
  const [faults, setFaults] = useState<Faults>({})
  const chainRead = useRef<AbortController>(undefined)
  useEffect(() => () => chainRead.current?.abort(), [])
  const change = (part: Partial<Draft>) => {
    setFaults({})
    onChange({ ...draft, ...part })
  }
  const reading = useMutation({
    mutationFn: async ({ port, intent }: { port: WalletPort; intent: Intent }) => {
      const controller = new AbortController()
      chainRead.current = controller
      if (!(await maySpend(t('To load the nonce, balance and fees'))))
        throw new Error(t('Nothing was sent. Sign in first.'))
      const chain = await readChain(network, port.address as `0x${string}`, intent, controller.signal)
      onReady({ port, intent, chain })
    },
    networkMode: 'always',
  })
  const prepare = () => {
    const intent = readDraft(draft)
    if ('faults' in intent) setFaults(intent.faults)
    else if (signer && signer.problem === undefined) reading.mutate({ port: signer.port, intent })
  }
  return (
    <form
      className="mt-4 space-y-4"
      onSubmit={(event) => {
        event.preventDefault()
        prepare()
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
          disabled={reading.isPending || !signer || signer.problem !== undefined}
          className="w-full"
        >
          {reading.isPending ? t('Loading nonce and fees…') : t('Next')}
        </Button>
        <p className="mt-2 text-13 text-ink-3">
          <Sentence
            text="Nonce, balance and fees are loaded first: {count} calls, <price/>. Nothing is signed yet."
            parts={{ price: () => <CallPrice {...{ network, usdPerCredit }} methods={PREPARING} /> }}
            values={{ count: PREPARING.length }}
          />
        </p>
      </div>
      <Fault text={reading.error ? errorText(reading.error) : undefined} />
    </form>
  )
}

function errorText(error: unknown): string {
  const isOurs = error instanceof Error && error.constructor === Error
  return isOurs && !(error instanceof ApiError) ? error.message : failureOf(error).message
}

type SignerChoiceProps = {
  network: RpcNetwork
  isLocal: boolean
  signers: readonly Signer[]
  signer: Signer | undefined
  onChoose: (port: WalletPort) => void
}

function SignerChoice({ network, isLocal, signers, signer, onChoose }: SignerChoiceProps) {
  const connect = useMutation({ mutationFn: connectSigner })
  return (
    <fieldset className="rounded-card border border-line bg-surface p-3">
      <legend className="px-1 text-13 font-medium">{t('Signer')}</legend>
      {signers.map(({ port, problem }) => (
        <div key={port.address} className="py-1">
          <label className="flex min-h-8 items-center gap-2 pointer-coarse:min-h-11">
            <input
              type="radio"
              name="signer"
              checked={port.address === signer?.port.address}
              disabled={problem !== undefined}
              onChange={() => onChoose(port)}
              className="size-4"
            />
            <span className="min-w-0 flex-1 truncate">
              {port.name} <Mono className="text-13 text-ink-3">{shortAddress(port.address)}</Mono>
            </span>
          </label>
          {problem && <p className="ps-6 text-13 text-ink-3">{problem}</p>}
        </div>
      ))}
      {signers.length === 0 && <p className="py-1 text-13 text-ink-2">{t('No wallet connected.')}</p>}
      <div className="mt-1 flex flex-wrap gap-2">
        {signers.every(({ port }) => port.isTest) && !isLocal && (
          <Button disabled={connect.isPending} onClick={() => connect.mutate()}>
            {t('Connect a wallet')}
          </Button>
        )}
        {isLocal && signer && <TestEther network={network} address={signer.port.address} />}
      </div>
      {connect.error && <p className="mt-2 text-13 text-danger">{connect.error.message}</p>}
    </fieldset>
  )
}

function TestEther({ network, address }: { network: RpcNetwork; address: string }) {
  const request = useMutation({
    mutationFn: () => postJson('/api/sandbox/ether', { network: network.slug, address }),
    onSuccess: () =>
      showToast({
        text: t('10 test {currency} sent to {address}', { currency: network.currency, address: shortAddress(address) }),
      }),
  })
  return (
    <>
      <Button disabled={request.isPending} onClick={() => request.mutate()}>
        {request.isPending ? t('One moment…') : t('Get test {currency}', { currency: network.currency })}
      </Button>
      {request.error && <p className="w-full text-13 text-danger">{failureOf(request.error).message}</p>}
    </>
  )
}
