'use client'

import dynamic from 'next/dynamic'
import { useEffect, useState } from 'react'
import { type MessageProps, nameOf } from '@/components/chat/chat-actions'
import { useNext } from '@/components/chat/next/next-store'
import { Ending } from '@/components/chat/turns/ending'
import { AnswerActions } from '@/components/chat/turns/message-actions'
import { Reasoning } from '@/components/chat/turns/reasoning'
import { Receipt } from '@/components/chat/turns/receipt'
import { Steps } from '@/components/chat/turns/steps'
import { Versions } from '@/components/chat/turns/versions'
import { Slot } from '@/components/common/slots'
import { Markdown } from '@/components/markdown/markdown'
import type { ModelCard } from '@/lib/browser/models'
import type { Turn } from '@/lib/browser/storage/thread'
import { t } from '@/lib/i18n/t'

/** Fetched with the first answer that brings pictures along: those of an imported chat. */
const MessageFiles = dynamic(
  () => import('@/components/chat/media/message-files').then((module) => module.MessageFiles),
  { ssr: false },
)

/** Fetched with the first answer that has sources. */
const AnswerSources = dynamic(
  () => import('@/components/chat/turns/answer-sources').then((module) => module.AnswerSources),
  {
    ssr: false,
  },
)

/** Fetched with the first questions that are suggested. */
const NextQuestions = dynamic(
  () => import('@/components/chat/next/next-questions').then((module) => module.NextQuestions),
  { ssr: false },
)

/** Fetched when the service has something to say about a model. */
const ModelNotice = dynamic(() => import('@/components/chat/turns/model-notice').then((module) => module.ModelNotice), {
  ssr: false,
})

/** What a model answered: what it did, thought and wrote, how it ended, and what it took. */
export function Answer(props: MessageProps) {
  const { turn, models, actions, isLast, isBusy } = props
  const isStreaming = turn.status === 'streaming'
  const next = useNext(turn.id)
  return (
    <article
      aria-label={t('Assistant')}
      aria-busy={isStreaming}
      data-turn={turn.id}
      tabIndex={-1}
      className="turn sheet-grid group pt-5 outline-none!"
    >
      <div className="sheet-words min-w-0 rounded-control outline-offset-8 outline-accent group-focus-visible:outline-2">
        <AnswerWords turn={turn} models={models} />
        {turn.notice && <ModelNotice turn={turn} models={models} actions={actions} />}
        {!isStreaming && <Ending turn={turn} models={models} actions={actions} isBusy={isBusy} />}
      </div>
      {!isStreaming && turn.text ? (
        <AnswerActions turn={turn} models={models} actions={actions} isLast={isLast} isBusy={isBusy} />
      ) : (
        <div className="sheet-foot -ms-2 flex empty:hidden">
          <Versions turn={turn} actions={actions} isBusy={isBusy} />
        </div>
      )}
      {turn.receipt && <Receipt receipt={turn.receipt} modelName={nameOf(models, turn.receipt.model)} />}
      {next && isLast && !isBusy && <NextQuestions chatId={actions.chatId} next={next} />}
    </article>
  )
}

/** The answer itself, as it also stands in a comparison. */
export function AnswerWords({ turn, models }: { turn: Turn; models: ModelCard[] }) {
  const isStreaming = turn.status === 'streaming'
  const hasSteps = (turn.steps?.length ?? 0) > 0
  return (
    <>
      {turn.character && <Slot part="CharacterByline" character={turn.character} />}
      {turn.reasoning && <Reasoning turn={turn} />}
      {hasSteps && <Steps steps={turn.steps ?? []} models={models} />}
      {turn.attachments && <MessageFiles attachments={turn.attachments} side="start" />}
      {turn.text && <Markdown text={turn.text} isStreaming={isStreaming} citations={turn.citations} />}
      {isStreaming && !turn.text && !turn.reasoning && <Waiting name={nameOf(models, turn.modelId)} />}
      {!isStreaming && turn.citations && turn.citations.length > 0 && (
        <AnswerSources text={turn.text} citations={turn.citations} />
      )}
    </>
  )
}

/** From here on the seconds are counted, and from there on the person is told why it may take long. */
const COUNTED_FROM_S = 2
const SLOW_FROM_S = 6

function Waiting({ name }: { name: string }) {
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    const startedAt = Date.now()
    const timer = setInterval(() => setSeconds(Math.floor((Date.now() - startedAt) / 1000)), 1000)
    return () => clearInterval(timer)
  }, [])
  return (
    <p className="text-14 text-ink-3 tabular-nums">
      {seconds >= SLOW_FROM_S
        ? t('Waiting for {name}. Models that have been idle take longer to load.', { name })
        : t('Waiting for {name}', { name })}
      {seconds >= COUNTED_FROM_S && ` · ${t('{seconds} s', { seconds })}`}
      <span className="caret" />
    </p>
  )
}
