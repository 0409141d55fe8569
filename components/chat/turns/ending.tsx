'use client'

import dynamic from 'next/dynamic'
import type { MessageProps } from '@/components/chat/chat-actions'
import { FailureNotice } from '@/components/chat/turns/failure-notice'
import { isPause } from '@/components/common/pause-messages'
import { Button } from '@/components/ui/button'
import type { Turn } from '@/lib/browser/storage/thread'
import { t } from '@/lib/i18n/t'

/** Fetched when an answer is paused. */
const PauseNotice = dynamic(() => import('@/components/chat/turns/pause-notice').then((module) => module.PauseNotice), {
  ssr: false,
  loading: () => <div className="h-26 rounded-card border border-line bg-surface" />,
})

/** How an answer ended, where it did not simply finish. */
export function Ending({ turn, models, actions, isBusy }: Omit<MessageProps, 'isLast'>) {
  if (turn.failure && isPause(turn.failure))
    return <PauseNotice turn={turn} failure={turn.failure} models={models} actions={actions} isBusy={isBusy} />
  if (turn.failure)
    return <FailureNotice turn={turn} failure={turn.failure} models={models} actions={actions} isBusy={isBusy} />
  const reason = endingOf(turn)
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

function endingOf(turn: Turn): string | undefined {
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
