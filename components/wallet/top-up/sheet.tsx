'use client'

import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Caps } from '@/components/common/spending-cap-fields'
import { announce } from '@/components/ui/announcer'
import { Button } from '@/components/ui/button'
import { Sheet } from '@/components/ui/sheet'
import { ConnectFirst } from '@/components/wallet/top-up/connect-first'
import { Credited } from '@/components/wallet/top-up/credited'
import { topUp, useTopUp, watchTopUp } from '@/components/wallet/top-up/machine'
import { problemWords, waitWords } from '@/components/wallet/top-up/messages'
import { PayForm } from '@/components/wallet/top-up/pay-form'
import { Progress } from '@/components/wallet/top-up/progress'
import { Sending } from '@/components/wallet/top-up/sending'
import { isUnderWay, type TopUp } from '@/components/wallet/top-up/top-up'
import { sessionQuery } from '@/lib/browser/queries'
import { useService } from '@/lib/browser/session'
import { answerTopUp, closeTopUp, type TopUpRequest } from '@/lib/browser/top-up-dialog'
import { t } from '@/lib/i18n/t'

/** Adds credit: choose, sign, wait, done. What goes wrong is said here, and the sheet stays open. */
export function TopUpSheet({ request }: { request: TopUpRequest }) {
  const state = useTopUp()
  useOpening()
  useAnswer(state)
  useSpoken(state)
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

/** A sheet that opens shows what is under way, or begins anew. Resuming what a reload left is part of it. */
function useOpening() {
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

/** Says each step to a screen reader, once. */
function useSpoken(state: TopUp) {
  const words = spoken(state)
  useEffect(() => {
    if (words) announce(words)
  }, [words])
}

function spoken(state: TopUp): string | undefined {
  switch (state.step) {
    case 'choosing':
      return state.problem && Object.values(problemWords(state.problem)).join(' ')
    case 'signing':
      return t('Waiting for your wallet')
    case 'sending':
      return t('Payment sent')
    case 'confirming':
      return waitWords(state).title
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
