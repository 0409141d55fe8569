'use client'

import { useQuery } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Caps } from '@/components/common/spending-cap-fields'
import { announce } from '@/components/ui/announcer'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { Sheet } from '@/components/ui/modal'
import { Sentence } from '@/components/ui/sentence'
import { useCountdown } from '@/components/ui/use-countdown'
import { TestMoney } from '@/components/wallet/parts'
import { problemMessage, waitMessage } from '@/components/wallet/top-up/messages'
import { PayForm } from '@/components/wallet/top-up/pay-form'
import { topUp, useTopUp, watchTopUp } from '@/components/wallet/top-up/store'
import { isUnderWay, type Credited as Receipt, type TopUp } from '@/components/wallet/top-up/top-up'
import { answerTopUp, closeTopUp, openWallet, type TopUpRequest } from '@/lib/browser/dialogs'
import { CHAIN_NAME } from '@/lib/browser/format/address'
import { formatUnits } from '@/lib/browser/format/amounts'
import { formatMoney, formatUnitless, moneyOf } from '@/lib/browser/format/cost'
import { sessionQuery } from '@/lib/browser/queries'
import { useService } from '@/lib/browser/session'
import type { Service, Session } from '@/lib/contract/session'
import { msg, t } from '@/lib/i18n/t'

const STEPS = [msg('Sign'), msg('Sent'), msg('Confirming'), msg('Credited')]
// Index of the current step.
const AT: Record<TopUp['step'], number> = { choosing: 0, asking: 0, signing: 0, sending: 1, confirming: 2, credited: 4 }

const MAX_SHOWN_CHARS = 16

export function TopUpSheet({ request }: { request: TopUpRequest }) {
  const state = useTopUp()
  useReset()
  useAnswer(state)
  useAnnouncement(state)
  const close = () => {
    // Nothing is signed any more for someone who has left; what was sent goes on by itself.
    topUp().cancel()
    closeTopUp()
  }
  return (
    <Sheet
      isOpen
      onClose={close}
      isHeld={state.step !== 'choosing' && state.step !== 'credited'}
      title={state.step === 'credited' ? t('Credit added') : t('Add credit')}
      lead={state.step === 'choosing' ? undefined : <Progress state={state} />}
    >
      <Step state={state} request={request} onClose={close} />
    </Sheet>
  )
}

type StepProps = { state: TopUp; request: TopUpRequest; onClose: () => void }

function Step({ state, request, onClose }: StepProps) {
  const session = useQuery(sessionQuery())
  const service = useService()
  if (state.step === 'credited') return <Credited receipt={state.receipt} onDone={onClose} />
  if (isUnderWay(state)) return <Sending state={state} onClose={onClose} />
  if (session.isError) {
    return (
      <div className="mt-4">
        <p className="text-ink-2">{t('Your balance could not be loaded, so payments are unavailable.')}</p>
        <Button kind="primary" className="mt-4" onClick={() => void session.refetch()}>
          {t('Try again')}
        </Button>
      </div>
    )
  }
  if (session.isPending || !service) return <FormSkeleton />
  const { data } = session
  if (data?.kind !== 'wallet') return <ConnectFirst session={data} service={service} />
  return (
    <>
      <PayForm state={state} session={data} service={service} request={request} />
      {state.step === 'choosing' && <Caps />}
    </>
  )
}

function useReset() {
  useEffect(() => {
    topUp().reset()
    watchTopUp(true)
    return () => watchTopUp(false)
  }, [])
}

function useAnswer({ step }: TopUp) {
  useEffect(() => {
    if (step === 'credited') answerTopUp()
  }, [step])
}

function useAnnouncement(state: TopUp) {
  const message = announcement(state)
  useEffect(() => {
    if (message) announce(message)
  }, [message])
}

function announcement(state: TopUp): string | undefined {
  switch (state.step) {
    case 'choosing':
      return state.problem && Object.values(problemMessage(state.problem)).join(' ')
    case 'signing':
      return t('Waiting for your wallet')
    case 'sending':
      return t('Payment sent')
    case 'confirming':
      return waitMessage(state).title
    case 'credited':
      return t('Credit added')
    default:
      return undefined
  }
}

function FormSkeleton() {
  return (
    <div aria-hidden="true" className="mt-5 space-y-4">
      <div className="skeleton h-11 w-full" />
      <div className="skeleton h-14 w-full" />
      <div className="skeleton h-11 w-full" />
    </div>
  )
}

type ConnectFirstProps = { session: Session | null; service: Service }

function ConnectFirst({ session, service }: ConnectFirstProps) {
  if (service.rails.length === 0) {
    return (
      <p className="mt-3 text-ink-2">{t('Payments are unavailable right now. The operator can add credit for you.')}</p>
    )
  }
  return (
    <div className="mt-3 space-y-4">
      {service.sandbox && <TestMoney />}
      <p className="text-ink-2">
        {session?.kind === 'account'
          ? t(
              'You are signed in with an account. To add credit yourself, connect a wallet. Credit belongs to the wallet that pays.',
            )
          : t('Credit belongs to a wallet: no account, no email. Connect your wallet first. Connecting is free.')}
      </p>
      <Button kind="primary" className="w-full" onClick={() => void openWallet({ why: t('To add credit') })}>
        {t('Connect a wallet')}
      </Button>
    </div>
  )
}

function Credited({ receipt, onDone }: { receipt: Receipt; onDone: () => void }) {
  const done = useRef<HTMLButtonElement>(null)
  useEffect(() => done.current?.focus(), [])
  const { amountUsd, newBalanceUsd, family, transaction, paymentId } = receipt
  return (
    <div className="mt-3">
      <dl aria-label={t('Receipt')} className="space-y-1 text-14">
        <Row name={t('Paid')} value={`${formatUnitless(moneyOf(amountUsd))} USDC`} />
        <Row name={t('Network')} value={CHAIN_NAME[family]} />
        {transaction && (
          <Row name={t('Transaction')} value={short(transaction)} copies={transaction} label={t('Copy transaction')} />
        )}
        {paymentId && (
          <Row name={t('Payment')} value={short(paymentId)} copies={paymentId} label={t('Copy payment ID')} />
        )}
        <div className="flex min-h-9 items-center justify-between gap-4 border-t-3 border-double border-line pt-2">
          <dt>{t('New balance')}</dt>
          <dd className="font-mono text-18 text-brass tabular-nums">{formatMoney(moneyOf(newBalanceUsd))}</dd>
        </div>
      </dl>
      <Button ref={done} kind="primary" className="mt-5 min-h-11 w-full" onClick={onDone}>
        {t('Done')}
      </Button>
    </div>
  )
}

type RowProps = { name: string; value: string; copies?: string; label?: string }

function Row({ name, value, copies, label = '' }: RowProps) {
  return (
    <div className="flex min-h-9 items-center justify-between gap-4">
      <dt className="text-ink-2">{name}</dt>
      <dd className="flex items-center font-mono text-13 tabular-nums">
        {value}
        {copies && <CopyButton text={copies} label={label} className="-me-2" />}
      </dd>
    </div>
  )
}

function short(name: string): string {
  return name.length <= MAX_SHOWN_CHARS + 4 ? name : `${name.slice(0, 10)}…${name.slice(-6)}`
}

function Progress({ state }: { state: TopUp }) {
  const at = AT[state.step]
  return (
    <ol aria-label={t('Payment progress')} className="flex items-center gap-1.5 text-12 text-ink-3 sm:gap-2">
      {STEPS.map((step, index) => {
        const isDone = index < at
        const isCurrent = index === at
        return (
          <li
            key={step}
            aria-current={isCurrent ? 'step' : undefined}
            className={`flex items-center gap-1 not-first:before:me-0.5 not-first:before:h-px not-first:before:w-2 not-first:before:bg-line sm:not-first:before:w-3 ${isCurrent ? 'font-medium text-ink' : isDone ? 'text-ink-2' : ''}`}
          >
            {t(step)}
            {isDone && <Check aria-hidden="true" className="size-3.5 text-ok" strokeWidth={2} />}
            {isDone && <span className="sr-only">{t('done')}</span>}
            {isCurrent && (
              <span
                aria-hidden="true"
                className="size-1.5 animate-[breathe_1.6s_ease-in-out_infinite] rounded-chip bg-accent"
              />
            )}
          </li>
        )
      })}
    </ol>
  )
}

type SendingProps = { state: Extract<TopUp, { step: 'sending' | 'confirming' }>; onClose: () => void }

function Sending({ state, onClose }: SendingProps) {
  const { payment } = state
  const isFirst = state.step === 'sending' && state.checks === 0
  const { title, text } = state.step === 'confirming' ? waitMessage(state) : sentMessage(isFirst)
  return (
    <div className="mt-3">
      <p className="font-mono text-24 tabular-nums">
        <Sentence
          text="{amount} <small>USDC on {chain}</small>"
          values={{ amount: formatUnits(payment.units), chain: CHAIN_NAME[payment.family] }}
          parts={{ small: (text) => <span className="text-14 text-ink-3">{text}</span> }}
        />
      </p>
      <p className="mt-4 font-medium">
        {title}
        {state.step === 'sending' && <span className="caret" />}
      </p>
      <p className="mt-1 text-ink-2">{text}</p>
      {payment.paymentId && (
        <p className="mt-4 flex min-h-9 items-center justify-between gap-2 border-t border-line pt-2 text-13 text-ink-3">
          <span>
            <Sentence
              text="Payment <id/>"
              parts={{
                id: () => <span className="font-mono text-12 wrap-anywhere text-ink-2">{payment.paymentId}</span>,
              }}
            />
          </span>
          <CopyButton text={payment.paymentId} label={t('Copy payment ID')} />
        </p>
      )}
      <div className="mt-5 flex flex-wrap items-center gap-2">
        <Button kind="primary" disabled={state.step === 'sending'} onClick={() => void topUp().check()}>
          {t('Check again')}
        </Button>
        <Button kind="plain" onClick={onClose}>
          {t('Close')}
        </Button>
        {state.step === 'confirming' && state.retryAt !== undefined && <NextCheck at={state.retryAt} />}
      </div>
    </div>
  )
}

const sentMessage = (isFirst: boolean) => ({
  title: isFirst ? t('Sent.') : t('Checking.'),
  text: t('The service verifies the payment and submits it to the network. Verification takes a few seconds.'),
})

function NextCheck({ at }: { at: number }) {
  const seconds = useCountdown(at)
  return <span className="ms-auto text-13 text-ink-3 tabular-nums">{t('next check in {seconds} s', { seconds })}</span>
}
