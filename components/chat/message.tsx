'use client'

import dynamic from 'next/dynamic'
import { memo, useEffect, useState } from 'react'
import { FailureNotice } from '@/components/chat/failure-notice'
import { Markdown } from '@/components/chat/markdown'
import { AnswerActions, QuestionActions } from '@/components/chat/message-actions'
import { isPause } from '@/components/chat/pause-words'
import { QuestionEditor, useEditing } from '@/components/chat/question-editor'
import { Reasoning } from '@/components/chat/reasoning'
import { Receipt } from '@/components/chat/receipt'
import type { TurnActions } from '@/components/chat/thread'
import { Button } from '@/components/ui/button'
import type { ModelCard } from '@/lib/client/models'
import type { Turn } from '@/lib/client/thread'

/** Fetched when an answer is paused. */
const PauseNotice = dynamic(() => import('@/components/chat/pause-notice').then((module) => module.PauseNotice), {
  ssr: false,
  loading: () => <div className="h-26 rounded-card border border-line bg-surface" />,
})

type MessageProps = { turn: Turn; models: ModelCard[]; actions: TurnActions; isLast: boolean; isBusy: boolean }

/** One turn: what a person asked, or what a model answered. */
export const Message = memo(function Message(props: MessageProps) {
  return props.turn.role === 'user' ? <Question {...props} /> : <Answer {...props} />
})

function Question({ turn, actions, isBusy }: MessageProps) {
  const editing = useEditing()
  return (
    <article aria-label="You" className="turn sheet-grid group pt-4">
      <div className="sheet-words flex flex-col items-end gap-1 md:flex-row-reverse md:items-center">
        {editing.isOpen ? (
          <QuestionEditor
            text={turn.text}
            onCancel={editing.close}
            onSend={async (text) => {
              if (await actions.edit(turn, text)) editing.close()
            }}
          />
        ) : (
          <p className="max-w-[85%] rounded-[18px] rounded-ee-control bg-bubble px-4 py-2.5 text-16 wrap-anywhere whitespace-pre-wrap">
            {turn.text}
          </p>
        )}
        {!editing.isOpen && <QuestionActions turn={turn} actions={actions} isBusy={isBusy} onEdit={editing.open} />}
      </div>
      <Time at={turn.createdAt} />
    </article>
  )
}

function Answer({ turn, models, actions, isLast, isBusy }: MessageProps) {
  const isStreaming = turn.status === 'streaming'
  const hasEnded = !isStreaming
  return (
    <article aria-label="Assistant" aria-busy={isStreaming} className="turn sheet-grid group pt-5">
      <div className="sheet-words min-w-0">
        {turn.notice && <p className="mb-3 border-s-2 border-control ps-3 text-13 text-ink-2">{turn.notice}</p>}
        {turn.reasoning && <Reasoning turn={turn} />}
        {turn.text && <Markdown text={turn.text} isStreaming={isStreaming} />}
        {isStreaming && !turn.text && !turn.reasoning && <Waiting name={nameOf(models, turn.modelId)} />}
        {hasEnded && <Ending turn={turn} models={models} actions={actions} isBusy={isBusy} />}
      </div>
      {hasEnded && turn.text && (
        <AnswerActions turn={turn} models={models} actions={actions} isLast={isLast} isBusy={isBusy} />
      )}
      {turn.receipt && <Receipt receipt={turn.receipt} modelName={nameOf(models, turn.receipt.model)} />}
    </article>
  )
}

/** How an answer ended, where it did not simply finish. */
function Ending({ turn, models, actions, isBusy }: Omit<MessageProps, 'isLast'>) {
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
        {turn.text ? 'Continue' : 'Ask again'}
      </Button>
    </div>
  )
}

function endingOf(turn: Turn): string | undefined {
  if (turn.status === 'stopped')
    return turn.text
      ? 'You stopped this answer. What was written is paid from your credit.'
      : 'Stopped before the first word.'
  if (turn.status === 'interrupted')
    return turn.text ? 'The connection was lost here.' : 'The connection was lost before the first word.'
  if (turn.finishReason === 'length') return 'The answer reached its length limit.'
  if (turn.status === 'done' && !turn.text) return 'The model gave no answer.'
  return undefined
}

/** How long nothing may happen before the person is told why. */
const SLOW_MS = 6_000

function Waiting({ name }: { name: string }) {
  const [isSlow, setIsSlow] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsSlow(true), SLOW_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <p className="text-14 text-ink-3">
      {isSlow ? `Still waiting for ${name}. A model that was not used for a while is loaded first.` : `Asking ${name}`}
      <span className="caret" />
    </p>
  )
}

function Time({ at }: { at: number }) {
  const date = new Date(at)
  return (
    <time
      dateTime={date.toISOString()}
      title={date.toLocaleString()}
      className="ledger hidden px-4 pt-3 text-end font-mono text-12 text-ink-3 [grid-area:1/4] lg:block"
    >
      {date.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })}
    </time>
  )
}

function nameOf(models: ModelCard[], id: string | undefined): string {
  return models.find((model) => model.id === id)?.name ?? id ?? 'the model'
}
