'use client'

import { CircleAlert } from 'lucide-react'
import dynamic from 'next/dynamic'
import type { MessageProps, TurnActions } from '@/components/chat/chat-actions'
import { OtherModel } from '@/components/chat/turns/message-actions'
import { isPause } from '@/components/common/credit-messages'
import { Button } from '@/components/ui/button'
import { RequestId } from '@/components/ui/copy-button'
import { useCountdown } from '@/components/ui/use-countdown'
import type { Failure } from '@/lib/browser/failure'
import type { ModelCard } from '@/lib/browser/models'
import type { Turn } from '@/lib/browser/storage/thread'
import { msg, t } from '@/lib/i18n/t'

const PauseNotice = dynamic(() => import('@/components/chat/turns/pause-notice').then((module) => module.PauseNotice), {
  ssr: false,
  loading: () => <div className="h-26 rounded-card border border-line bg-surface" />,
})

export function Ending({ turn, models, actions, isBusy }: Omit<MessageProps, 'isLast'>) {
  if (turn.failure && isPause(turn.failure))
    return <PauseNotice turn={turn} failure={turn.failure} models={models} actions={actions} isBusy={isBusy} />
  if (turn.failure)
    return <FailureNotice turn={turn} failure={turn.failure} models={models} actions={actions} isBusy={isBusy} />
  const reason = describeEnding(turn)
  if (!reason) return null
  return (
    <div className="mt-3 flex flex-wrap items-center gap-x-4 gap-y-2">
      <p className="text-13 text-ink-3">{reason}</p>
      <Button disabled={isBusy} onClick={() => void (turn.text ? actions.resume(turn) : actions.regenerate(turn))}>
        {turn.text ? t('Continue') : t('Try again')}
      </Button>
    </div>
  )
}

function describeEnding(turn: Turn): string | undefined {
  if (turn.status === 'stopped')
    return turn.text ? t('Stopped. You paid for the text so far.') : t('Stopped. Nothing was written.')
  if (turn.wasLeft) return t('Stopped when the page was closed or reloaded.')
  if (turn.status === 'interrupted')
    return turn.text ? t('Connection lost here.') : t('Connection lost. Nothing was written.')
  if (turn.finishReason === 'length') return t('The answer reached its length limit.')
  const hasCalls = turn.steps?.some(({ type }) => type === 'tool') === true
  if (turn.status === 'done' && !turn.text) return hasCalls ? undefined : t('The model returned no answer.')
  return undefined
}

type FailureNoticeProps = { turn: Turn; failure: Failure; models: ModelCard[]; actions: TurnActions; isBusy: boolean }

function FailureNotice({ turn, failure, models, actions, isBusy }: FailureNoticeProps) {
  const { title, advice, canRetry, canSwitch } = describeFailure(failure, turn.text !== '')
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
            <RetryLabel isContinued={turn.text !== ''} waitSeconds={waitSeconds} />
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

function RetryLabel({ isContinued, waitSeconds }: { isContinued: boolean; waitSeconds: number }) {
  if (waitSeconds === 0) return isContinued ? t('Continue') : t('Try again')
  return (
    <span className="tabular-nums">
      {isContinued
        ? t('Continue in {seconds} s', { seconds: waitSeconds })
        : t('Try again in {seconds} s', { seconds: waitSeconds })}
    </span>
  )
}

type FailureDescription = { title: string; advice?: string; canRetry: boolean; canSwitch: boolean }

const BUSY: FailureDescription = { title: msg('At capacity right now.'), canRetry: true, canSwitch: true }
const FAILED: FailureDescription = { title: msg('The model failed.'), canRetry: true, canSwitch: true }
const GONE: FailureDescription = { title: msg('This model is not available.'), canRetry: false, canSwitch: true }
const REFUSED: FailureDescription = { title: msg('This message was rejected.'), canRetry: false, canSwitch: true }

const MESSAGES: { [C in Failure['code']]?: FailureDescription } = {
  OFFLINE: {
    title: msg('You’re offline.'),
    advice: msg('Your message is saved. Try again when you’re back online.'),
    canRetry: true,
    canSwitch: false,
  },
  CONNECTION_LOST: {
    title: msg('The connection was lost.'),
    advice: msg('The service couldn’t be reached. Your message is saved. Try again.'),
    canRetry: true,
    canSwitch: false,
  },
  PRO_ONLY_MODEL: { title: msg('This model requires a Pro account.'), canRetry: false, canSwitch: true },
  MODEL_NOT_FOUND: GONE,
  MODEL_RETIRED: GONE,
  MODEL_OFFLINE: {
    title: msg('This model is not available right now.'),
    advice: msg('Your message is saved. Try again later or switch models.'),
    canRetry: true,
    canSwitch: true,
  },
  REGION_RESTRICTED: GONE,
  context_length_exceeded: {
    title: msg('This chat is too long for the model.'),
    advice: msg('Select a model with a larger context or start a new chat.'),
    canRetry: false,
    canSwitch: true,
  },
  PAYLOAD_TOO_LARGE: { title: msg('This chat is too large to send.'), canRetry: false, canSwitch: false },
  CONTENT_POLICY_VIOLATION: { title: msg('The model declined this message.'), canRetry: false, canSwitch: true },
  RATE_LIMIT_EXCEEDED: { title: msg('Too many requests at once.'), canRetry: true, canSwitch: true },
  X402_CONCURRENCY_LIMIT: { title: msg('Too many requests at once.'), canRetry: true, canSwitch: false },
  MODEL_OVERLOADED: BUSY,
  MODEL_AT_CAPACITY: BUSY,
  SERVICE_UNAVAILABLE: BUSY,
  REQUEST_TIMEOUT: { title: msg('The model took too long.'), canRetry: true, canSwitch: true },
  INVALID_REQUEST: REFUSED,
  INVALID_MODEL: REFUSED,
}

function describeFailure({ code }: Failure, hasText = false): FailureDescription {
  const { title, advice, ...ways } = MESSAGES[code] ?? FAILED
  const isCut = code === 'CONNECTION_LOST' && hasText
  const message = isCut ? t('The answer was interrupted here. The text so far is saved.') : advice && t(advice)
  return { title: t(title), ...(message && { advice: message }), ...ways }
}
