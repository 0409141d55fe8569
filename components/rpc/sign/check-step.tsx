'use client'

import { type ComponentProps, useId, useState } from 'react'
import { type Hex, keccak256 } from 'viem'
import { creditsBefore, formatPrice } from '@/components/rpc/price'
import { runCall, useRpcRun } from '@/components/rpc/run'
import { sendByWallet, signRaw } from '@/components/rpc/sign/signer'
import {
  type ChainState,
  describeIntent,
  type Intent,
  inCoins,
  inGwei,
  readTerms,
  startTerms,
  type Terms,
} from '@/components/rpc/sign/transaction'
import { Button } from '@/components/ui/button'
import { Sentence } from '@/components/ui/sentence'
import { WalletError, type WalletPort } from '@/lib/browser/wallet-port'
import type { RpcNetwork } from '@/lib/contract/rpc'
import { t } from '@/lib/i18n/t'

type CheckStepProps = {
  network: RpcNetwork
  isLocal: boolean
  usdPerCredit: number | undefined
  port: WalletPort
  intent: Intent
  chain: ChainState
  onBack: () => void
  onSigned: (raw: Hex) => void
  onSent: (sent: { hash: Hex; raw?: Hex }) => void
}

const BROADCAST = 'eth_sendRawTransaction'

export function CheckStep({ network, isLocal, usdPerCredit, port, intent, chain, ...on }: CheckStepProps) {
  const [terms, setTerms] = useState(() => startTerms(chain))
  const [phase, setPhase] = useState<'idle' | 'signing'>('idle')
  const [trouble, setTrouble] = useState<WalletError>()
  const isBusy = useRpcRun().phase !== 'idle' || phase === 'signing'
  const ready = readTerms(intent, terms, network)
  const faults = 'faults' in ready ? ready.faults : {}
  const canSign = !isBusy && !('faults' in ready) && !isTooMuch(ready, intent, chain)
  const change = (part: Partial<Terms>) => setTerms({ ...terms, ...part })
  const act = async (deed: () => Promise<void>) => {
    setPhase('signing')
    setTrouble(undefined)
    try {
      await deed()
    } catch (error) {
      setTrouble(
        error instanceof WalletError ? error : new WalletError('failed', t('Signing failed. Try again.'), error),
      )
      setPhase('idle')
    }
  }
  const sign = () =>
    act(async () => {
      if ('faults' in ready) return
      const raw = await signRaw(port, ready.transaction)
      on.onSigned(raw)
      on.onSent({ hash: keccak256(raw), raw })
      await runCall({ network, calls: [{ method: BROADCAST, params: [raw] }], isBatch: false })
    })
  const sendByItself = () =>
    act(async () => {
      if ('faults' in ready) return
      on.onSent({ hash: await sendByWallet(port, ready.transaction) })
    })
  const credits = creditsBefore(network, [BROADCAST])
  return (
    <div className="mt-4 space-y-4">
      <p className="text-16">{describeIntent(intent, network)}</p>
      <Figures network={network} chain={chain} intent={intent} ready={'faults' in ready ? undefined : ready} />
      {'fault' in chain.gas && (
        <p className="rounded-control border border-line bg-sunken px-3 py-2 text-13 wrap-anywhere">
          <span className="font-medium">{t('The node expects this transaction to fail.')}</span> {chain.gas.fault}{' '}
          {t('To send it anyway, enter a gas limit.')}
        </p>
      )}
      <details open={'fault' in chain.gas} className="group">
        <summary className="text-13 font-medium text-accent">{t('Nonce, gas and fees')}</summary>
        <div className="mt-3 grid grid-cols-2 gap-3">
          <Field label={t('Nonce')} value={terms.nonce} fault={faults.nonce} onChange={(nonce) => change({ nonce })} />
          <Field label={t('Gas limit')} value={terms.gas} fault={faults.gas} onChange={(gas) => change({ gas })} />
          <Field
            label={chain.baseFee === undefined ? t('Gas price') : t('Max fee')}
            unit="gwei"
            value={terms.maxFee}
            fault={faults.maxFee}
            onChange={(maxFee) => change({ maxFee })}
          />
          {chain.baseFee !== undefined && (
            <Field
              label={t('Priority fee')}
              unit="gwei"
              value={terms.priorityFee}
              fault={faults.priorityFee}
              onChange={(priorityFee) => change({ priorityFee })}
            />
          )}
        </div>
      </details>
      <div className="flex gap-2">
        <Button kind="plain" disabled={isBusy} onClick={on.onBack}>
          {t('Back')}
        </Button>
        <Button kind="primary" disabled={!canSign} onClick={() => void sign()} className="flex-1">
          {phase === 'signing' ? t('Waiting for {wallet}…', { wallet: port.name }) : t('Sign and send')}
        </Button>
      </div>
      <p className="text-13 text-ink-3">
        <Sentence
          text="Sent through this service: <price/>."
          parts={{ price: () => <span className="font-mono text-12">{formatPrice(credits, usdPerCredit)}</span> }}
        />
      </p>
      <Fault text={trouble?.reason === 'unsupported' ? undefined : trouble?.message} />
      {trouble?.reason === 'unsupported' && (
        <Unsupported name={port.name} isLocal={isLocal} isBusy={isBusy} onSend={() => void sendByItself()} />
      )}
    </div>
  )
}

type Cost = { gas: bigint; maxFee: bigint }

const isTooMuch = ({ gas, maxFee }: Cost, { value }: Intent, { balance }: ChainState): boolean =>
  value + gas * maxFee > balance

type FiguresProps = {
  network: RpcNetwork
  chain: ChainState
  intent: Intent
  ready: (Cost & { nonce: number }) | undefined
}

function Figures({ network, chain, intent, ready }: FiguresProps) {
  const fee = ready && ready.gas * ready.maxFee
  const isShort = ready !== undefined && isTooMuch(ready, intent, chain)
  return (
    <>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5 text-13 *:even:text-end *:even:font-mono *:even:wrap-anywhere *:odd:text-ink-2">
        {intent.to !== undefined && (
          <>
            <dt>{t('To')}</dt>
            <dd>
              <bdi dir="ltr">{intent.to}</bdi>
            </dd>
          </>
        )}
        <dt>{t('Chain ID')}</dt>
        <dd>{Number(network.chainId)}</dd>
        <dt>{t('Nonce')}</dt>
        <dd>{ready?.nonce ?? '–'}</dd>
        <dt>{t('Amount')}</dt>
        <dd>
          <bdi>{inCoins(intent.value, network)}</bdi>
        </dd>
        <dt>{t('Max fee')}</dt>
        <dd>
          <bdi>{fee === undefined ? '–' : inCoins(fee, network)}</bdi>
        </dd>
        {chain.baseFee !== undefined && (
          <>
            <dt>{t('Current base fee')}</dt>
            <dd>
              <bdi>{inGwei(chain.baseFee)}</bdi>
            </dd>
          </>
        )}
        <dt>{t('Balance')}</dt>
        <dd className={isShort ? 'text-danger' : ''}>
          <bdi>{inCoins(chain.balance, network)}</bdi>
        </dd>
      </dl>
      {isShort && <p className="text-13 text-danger">{t('The balance is too low for the amount and the fee.')}</p>}
    </>
  )
}

type UnsupportedProps = { name: string; isLocal: boolean; isBusy: boolean; onSend: () => void }

function Unsupported({ name, isLocal, isBusy, onSend }: UnsupportedProps) {
  return (
    <div role="alert" className="rounded-card border border-line bg-surface p-3">
      <p className="text-14">{t('{wallet} can only sign transactions that it sends itself.', { wallet: name })}</p>
      {isLocal ? (
        <p className="mt-1 text-13 text-ink-2">
          {t('The wallet would send to the real network, not to this local chain. Use the test wallet.')}
        </p>
      ) : (
        <>
          <p className="mt-1 mb-3 text-13 text-ink-2">
            {t('The wallet can send this transaction through its own node. The receipt then appears here.')}
          </p>
          <Button disabled={isBusy} onClick={onSend}>
            {t('Send with {wallet}', { wallet: name })}
          </Button>
        </>
      )}
    </div>
  )
}

type FieldProps = Omit<ComponentProps<'input'>, 'onChange'> & {
  label: string
  hint?: string
  fault?: string | undefined
  unit?: string
  onChange: (value: string) => void
}

export function Field({ label, hint, fault, unit, onChange, ...props }: FieldProps) {
  const id = useId()
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-1 block text-13 font-medium">
        {label}
      </label>
      <div className="flex items-center rounded-control border border-control bg-surface focus-within:border-accent has-aria-invalid:border-danger">
        <input
          id={id}
          dir="auto"
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="off"
          aria-invalid={fault !== undefined || undefined}
          aria-describedby={`${id}-note`}
          onChange={(event) => onChange(event.target.value)}
          className="h-10 min-w-0 flex-1 bg-transparent px-3 font-mono text-13 outline-none pointer-coarse:h-11 pointer-coarse:text-16"
          {...props}
        />
        {unit && <span className="shrink-0 pe-3 text-13 text-ink-3">{unit}</span>}
      </div>
      <p id={`${id}-note`} className={`mt-1 text-13 empty:hidden ${fault ? 'text-danger' : 'text-ink-3'}`}>
        {fault ?? hint}
      </p>
    </div>
  )
}

export function Fault({ text }: { text: string | undefined }) {
  return (
    <p role="alert" className="mt-3 text-13 wrap-anywhere text-danger empty:hidden">
      {text}
    </p>
  )
}
