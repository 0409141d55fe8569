'use client'

import { useMutation } from '@tanstack/react-query'
import { type ComponentProps, Fragment, useId, useState } from 'react'
import { type Hex, keccak256 } from 'viem'
import { creditsBefore, formatPrice } from '@/components/rpc/networks'
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
  type Target,
  type Terms,
} from '@/components/rpc/sign/transaction'
import { Button } from '@/components/ui/button'
import { Sentence } from '@/components/ui/sentence'
import { WalletError, type WalletPort } from '@/lib/browser/wallet-port'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import { t } from '@/lib/i18n/t'

type CheckStepProps = Target & {
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
  const ready = readTerms(intent, terms, network)
  const signing = useMutation({
    mutationFn: async (sender: 'service' | 'wallet') => {
      if ('faults' in ready) return
      if (sender === 'wallet') return on.onSent({ hash: await sendByWallet(port, ready.transaction) })
      const raw = await signRaw(port, ready.transaction)
      on.onSigned(raw)
      on.onSent({ hash: keccak256(raw), raw })
      await runCall({ network, calls: [{ method: BROADCAST, params: [raw] }], isBatch: false })
    },
    networkMode: 'always',
  })
  const { error } = signing
  const isBusy = useRpcRun().phase !== 'idle' || signing.isPending
  const isUnsupported = error instanceof WalletError && error.reason === 'unsupported'
  const faults = 'faults' in ready ? ready.faults : {}
  const canSign = !isBusy && !('faults' in ready) && !isTooMuch(ready, intent, chain)
  const change = (part: Partial<Terms>) => setTerms({ ...terms, ...part })
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
        <Button kind="primary" disabled={!canSign} onClick={() => signing.mutate('service')} className="flex-1">
          {signing.isPending ? t('Waiting for {wallet}…', { wallet: port.name }) : t('Sign and send')}
        </Button>
      </div>
      <p className="text-13 text-ink-3">
        <Sentence
          text="Sending through this service: <price/>."
          parts={{ price: () => <CallPrice {...{ network, usdPerCredit }} methods={[BROADCAST]} /> }}
        />
      </p>
      {isUnsupported ? (
        <Unsupported name={port.name} isLocal={isLocal} isBusy={isBusy} onSend={() => signing.mutate('wallet')} />
      ) : (
        <Fault text={error ? (error instanceof WalletError ? error.message : t('Signing failed. Try again.')) : ''} />
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
      <Facts
        facts={[
          [t('To'), intent.to],
          [t('Chain ID'), Number(network.chainId)],
          [t('Nonce'), ready?.nonce ?? '–'],
          [t('Amount'), inCoins(intent.value, network)],
          [t('Max fee'), fee === undefined ? '–' : inCoins(fee, network)],
          [t('Current base fee'), chain.baseFee === undefined ? undefined : inGwei(chain.baseFee)],
          [t('Balance'), inCoins(chain.balance, network), isShort ? 'text-danger' : ''],
        ]}
      />
      {isShort && <p className="text-13 text-danger">{t('The balance is too low for the amount and the fee.')}</p>}
    </>
  )
}

type UnsupportedProps = { name: string; isLocal: boolean; isBusy: boolean; onSend: () => void }

const Unsupported = ({ name, isLocal, isBusy, onSend }: UnsupportedProps) => (
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

type FieldProps = Omit<ComponentProps<'input'>, 'onChange'> & {
  label: string
  fault?: string | undefined
  unit?: string
  onChange: (value: string) => void
}

export function Field({ label, fault, unit, onChange, ...props }: FieldProps) {
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
          aria-describedby={`${id}-fault`}
          onChange={(event) => onChange(event.target.value)}
          className="h-10 min-w-0 flex-1 bg-transparent px-3 font-mono text-13 outline-none pointer-coarse:h-11 pointer-coarse:text-16"
          {...props}
        />
        {unit && <span className="shrink-0 pe-3 text-13 text-ink-3">{unit}</span>}
      </div>
      <p id={`${id}-fault`} className="mt-1 text-13 text-danger empty:hidden">
        {fault}
      </p>
    </div>
  )
}

export const Fault = ({ text }: { text: string | undefined }) => (
  <p role="alert" className="mt-3 text-13 wrap-anywhere text-danger empty:hidden">
    {text}
  </p>
)

export const CallPrice = ({
  network,
  usdPerCredit,
  methods,
}: Omit<Target, 'isLocal'> & { methods: readonly string[] }) => (
  <span className="font-mono text-12">{formatPrice(creditsBefore(network, methods), usdPerCredit)}</span>
)

type FactsProps = {
  facts: readonly (readonly [name: string, value: string | number | undefined, className?: string])[]
}

export const Facts = ({ facts }: FactsProps) => (
  <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5 text-13 *:even:text-end *:even:font-mono *:even:wrap-anywhere *:odd:text-ink-2">
    {facts.map(
      ([name, value, className]) =>
        value !== undefined && (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd className={className}>
              <bdi>{value}</bdi>
            </dd>
          </Fragment>
        ),
    )}
  </dl>
)
