'use client'

import { useQuery } from '@tanstack/react-query'
import { ChevronDown, Pause as PauseIcon } from 'lucide-react'
import type { TurnActions } from '@/components/chat/chat-actions'
import { OtherModel } from '@/components/chat/turns/message-actions'
import { cheaperModels, neededFor, type Pause, pauseMessage, pauseOf } from '@/components/common/credit-messages'
import { RaiseCap } from '@/components/common/raise-cap'
import { Button } from '@/components/ui/button'
import { RequestId } from '@/components/ui/copy-button'
import { openTopUp, openWallet } from '@/lib/browser/dialogs'
import type { Failure } from '@/lib/browser/failure'
import { moneyOf } from '@/lib/browser/format/cost'
import type { ModelCard } from '@/lib/browser/models'
import { sessionQuery } from '@/lib/browser/queries'
import type { Turn } from '@/lib/browser/storage/thread'
import { nano, type Usd } from '@/lib/contract/money'
import { ADMISSION_MINIMUM } from '@/lib/contract/prices'
import { t } from '@/lib/i18n/t'

type PauseNoticeProps = { turn: Turn; failure: Failure; models: ModelCard[]; actions: TurnActions; isBusy: boolean }

export function PauseNotice({ turn, failure, models, actions, isBusy }: PauseNoticeProps) {
  const balance = useBalance()
  const pause = pauseOf(failure)
  if (!pause) return null
  return (
    <section
      aria-label={t('Paused')}
      className={`rounded-card border border-line bg-surface p-4 ${turn.text ? 'mt-4' : ''}`}
    >
      <p className="flex gap-2 text-14">
        <PauseIcon aria-hidden="true" className="mt-px size-[18px] shrink-0 text-brass" strokeWidth={1.5} />
        <span className="wrap-anywhere tabular-nums">{pauseMessage(failure, pause, balance)}</span>
      </p>
      <div className="mt-3 flex flex-wrap items-center gap-2 ps-[26px]">
        <PauseAction {...{ turn, failure, actions, isBusy, pause, balance }} />
        {pause !== 'sign-in' && pause !== 'cap-per-day' && (
          <Cheaper {...{ turn, models, actions, isBusy }} balance={pause === 'credit' ? balance : undefined} />
        )}
        {failure.requestId && <RequestId id={failure.requestId} />}
      </div>
    </section>
  )
}

type PauseActionProps = Omit<PauseNoticeProps, 'models'> & { pause: Pause; balance: Usd | undefined }

function PauseAction({ turn, failure, actions, isBusy, pause, balance }: PauseActionProps) {
  const replay = (options?: { isDayWaived?: boolean }) => void actions.replay(turn, failure, options)
  const addCredit = async () => {
    const why = t('Your message is sent once you add credit.')
    if (await openTopUp({ needed: neededFor(failure, balance), why })) replay()
  }
  const signIn = async () => {
    if (await openWallet({ why: t('To send this message') })) replay()
  }
  switch (pause) {
    case 'credit':
      return balance !== undefined && balance >= (failure.credit?.minimum ?? ADMISSION_MINIMUM) ? (
        <Button kind="primary" disabled={isBusy} onClick={() => replay()}>
          {t('Send now')}
        </Button>
      ) : (
        <Button kind="primary" disabled={isBusy} onClick={() => void addCredit()}>
          {t('Add credit')}
        </Button>
      )
    case 'sign-in':
      return (
        <Button kind="primary" disabled={isBusy} onClick={() => void signIn()}>
          {t('Sign in again')}
        </Button>
      )
    case 'cap-per-message':
      return <RaiseCap name="capPerMessage" isBusy={isBusy} onRaised={() => replay()} />
    case 'cap-per-day':
      return (
        <>
          <RaiseCap name="capPerDay" isBusy={isBusy} onRaised={() => replay()} />
          <Button disabled={isBusy} onClick={() => replay({ isDayWaived: true })}>
            {t('Send anyway, just once')}
          </Button>
        </>
      )
  }
}

type CheaperProps = Pick<PauseNoticeProps, 'turn' | 'models' | 'actions' | 'isBusy'> & { balance: Usd | undefined }

function Cheaper({ turn, models, actions, isBusy, balance }: CheaperProps) {
  // Without a word on the balance, what is missing is not the least credit.
  const cheaper = cheaperModels(models, turn.modelId, balance ?? ADMISSION_MINIMUM)
  return (
    <OtherModel models={cheaper} turn={turn} actions={actions}>
      <Button disabled={isBusy}>
        {t('Use a cheaper model')}
        <ChevronDown aria-hidden="true" className="size-4 text-ink-3" strokeWidth={1.5} />
      </Button>
    </OtherModel>
  )
}

function useBalance(): Usd | undefined {
  const { data } = useQuery(sessionQuery())
  return data ? nano(moneyOf(data.balanceUsd) + moneyOf(data.balanceDiem)) : undefined
}
