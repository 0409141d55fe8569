'use client'

import { CircleAlert } from 'lucide-react'
import type { TurnActions } from '@/components/chat/chat-actions'
import { failureWords } from '@/components/chat/turns/failure-messages'
import { OtherModel } from '@/components/chat/turns/other-model'
import { RequestId } from '@/components/common/request-id'
import { Button } from '@/components/ui/button'
import { useCountdown } from '@/components/ui/use-countdown'
import type { Failure } from '@/lib/browser/failure'
import type { ModelCard } from '@/lib/browser/models'
import type { Turn } from '@/lib/browser/storage/thread'
import { t } from '@/lib/i18n/t'

type FailureNoticeProps = {
  turn: Turn
  failure: Failure
  models: ModelCard[]
  actions: TurnActions
  isBusy: boolean
}

/** Why there is no answer, or no more of it, in the place of the answer. */
export function FailureNotice({ turn, failure, models, actions, isBusy }: FailureNoticeProps) {
  const { title, advice, canRetry, canSwitch } = failureWords(failure, turn.text !== '')
  const waitSeconds = useCountdown(failure.retryAt)
  const retry = () => void (turn.text ? actions.resume(turn) : actions.regenerate(turn))
  return (
    <div className={`rounded-card border border-line bg-surface p-4 ${turn.text ? 'mt-4' : ''}`}>
      <p className="flex items-center gap-2 text-14 font-medium">
        <CircleAlert aria-hidden="true" className="size-[18px] shrink-0 text-danger" strokeWidth={1.5} />
        {title}
      </p>
      <p className="mt-1 ps-[26px] text-14 text-ink-2 wrap-anywhere">{advice ?? failure.message}</p>
      <div className="mt-3 flex flex-wrap items-center gap-2 ps-[26px]">
        {canRetry && (
          <Button kind={waitSeconds > 0 ? 'waiting' : 'primary'} disabled={isBusy || waitSeconds > 0} onClick={retry}>
            <RetryWords isContinued={turn.text !== ''} waitSeconds={waitSeconds} />
          </Button>
        )}
        {canSwitch && (
          <OtherModel models={models} turn={turn} actions={actions}>
            <Button disabled={isBusy}>{t('Switch model')}</Button>
          </OtherModel>
        )}
        {failure.requestId && <RequestId id={failure.requestId} />}
      </div>
    </div>
  )
}

function RetryWords({ isContinued, waitSeconds }: { isContinued: boolean; waitSeconds: number }) {
  if (waitSeconds === 0) return isContinued ? t('Continue') : t('Try again')
  return (
    <span className="tabular-nums">
      {isContinued
        ? t('Continue in {seconds} s', { seconds: waitSeconds })
        : t('Try again in {seconds} s', { seconds: waitSeconds })}
    </span>
  )
}
