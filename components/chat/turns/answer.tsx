'use client'

import { queryOptions, useQuery } from '@tanstack/react-query'
import { Ear, Eye, Film, Globe, type LucideIcon, TriangleAlert, Wrench } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useEffect, useState } from 'react'
import { type MessageProps, modelName } from '@/components/chat/chat-actions'
import { useNext } from '@/components/chat/next/next-store'
import { Ending } from '@/components/chat/turns/ending'
import { AnswerActions, Versions } from '@/components/chat/turns/message-actions'
import { Receipt } from '@/components/chat/turns/receipt'
import { Slot } from '@/components/common/slots'
import { Markdown } from '@/components/markdown/markdown'
import { announce } from '@/components/ui/announcer'
import { Disclosure } from '@/components/ui/disclosure'
import { fetchJson } from '@/lib/browser/api'
import type { ModelCard } from '@/lib/browser/models'
import { usePreference } from '@/lib/browser/preferences'
import type { Step } from '@/lib/browser/storage/records'
import type { Turn } from '@/lib/browser/storage/thread'
import type { QueuePositionReply } from '@/lib/contract/models'
import { plural, t } from '@/lib/i18n/t'

const MessageFiles = dynamic(
  () => import('@/components/chat/turns/message-files').then((module) => module.MessageFiles),
  { ssr: false },
)

const AnswerSources = dynamic(
  () => import('@/components/chat/turns/answer-sources').then((module) => module.AnswerSources),
  { ssr: false },
)

const NextQuestions = dynamic(
  () => import('@/components/chat/next/next-questions').then((module) => module.NextQuestions),
  { ssr: false },
)

const ModelNotice = dynamic(() => import('@/components/chat/turns/model-notice').then((module) => module.ModelNotice), {
  ssr: false,
})

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
        <AnswerText turn={turn} models={models} />
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
      {turn.receipt && <Receipt receipt={turn.receipt} modelName={modelName(models, turn.receipt.model)} />}
      {next && isLast && !isBusy && <NextQuestions chatId={actions.chatId} next={next} />}
    </article>
  )
}

export function AnswerText({ turn, models }: { turn: Turn; models: ModelCard[] }) {
  const isStreaming = turn.status === 'streaming'
  const hasSteps = (turn.steps?.length ?? 0) > 0
  return (
    <>
      {turn.character && <Slot part="CharacterByline" character={turn.character} />}
      {turn.reasoning && <Reasoning turn={turn} />}
      {hasSteps && <Steps steps={turn.steps ?? []} models={models} />}
      {turn.attachments && <MessageFiles attachments={turn.attachments} side="start" />}
      {turn.text && <Markdown text={turn.text} isStreaming={isStreaming} citations={turn.citations} />}
      {isStreaming && !turn.text && !turn.reasoning && (
        <Waiting name={modelName(models, turn.modelId)} requestName={turn.unpriced?.at(-1)?.id} />
      )}
      {!isStreaming && turn.citations && turn.citations.length > 0 && (
        <AnswerSources text={turn.text} citations={turn.citations} />
      )}
    </>
  )
}

const COUNTED_FROM_S = 2
const SLOW_FROM_S = 6

const QUEUED_EVERY_MS = 2_000
const UNQUEUED_EVERY_MS = 5_000

const queuePositionQuery = (requestName = '') =>
  queryOptions({
    queryKey: ['queue-position', requestName],
    queryFn: async ({ signal }) =>
      (await fetchJson<QueuePositionReply>(`/api/queue-positions/${encodeURIComponent(requestName)}`, { signal }))
        .position,
    // What cannot be told is not asked for again; the answer itself says what is wrong.
    refetchInterval: ({ state }) => !state.error && (state.data === null ? UNQUEUED_EVERY_MS : QUEUED_EVERY_MS),
    retry: false,
    staleTime: 0,
    gcTime: 0,
  })

function Waiting({ name, requestName }: { name: string; requestName: string | undefined }) {
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    const startedAt = Date.now()
    const timer = setInterval(() => setSeconds(Math.floor((Date.now() - startedAt) / 1000)), 1000)
    return () => clearInterval(timer)
  }, [])
  const isAsked = requestName !== undefined && seconds >= COUNTED_FROM_S
  const position = useQuery({ ...queuePositionQuery(requestName), enabled: isAsked }).data
  const inQueue = position ? t('Waiting for {name}: number {position} in line', { name, position }) : undefined
  useEffect(() => {
    if (inQueue !== undefined) announce(inQueue)
  }, [inQueue])
  return (
    <p className="text-14 text-ink-3 tabular-nums">
      {inQueue ??
        (seconds >= SLOW_FROM_S
          ? t('Waiting for {name}. Models that have been idle take longer to load.', { name })
          : t('Waiting for {name}', { name }))}
      {seconds >= COUNTED_FROM_S && ` · ${t('{seconds} s', { seconds })}`}
      <span className="caret" />
    </p>
  )
}

const choices = new Map<string, boolean>()

/**
 * Shows the thoughts of a model, folded into one line. Opening them while the model thinks is remembered; they fold
 * when the answer starts.
 */
function Reasoning({ turn }: { turn: Turn }) {
  const [whileThinking, setWhileThinking] = usePreference('thoughts')
  const [choice, setChoice] = useState(() => choices.get(turn.id))
  const isThinking = turn.status === 'streaming' && turn.thinkingSince !== undefined
  const isOpen = isThinking ? whileThinking === 'open' : choice === true
  const toggle = () => {
    if (isThinking) return setWhileThinking(isOpen ? 'folded' : 'open')
    choices.set(turn.id, !isOpen)
    setChoice(!isOpen)
  }
  return (
    <div className="mb-3">
      <Disclosure
        label={
          isThinking ? (
            <ThinkingFor turn={turn} />
          ) : (
            t('Thought for {time}', { time: durationText(turn.thinkingMs ?? 0) })
          )
        }
        isOpen={isOpen}
        onToggle={toggle}
        className="min-h-8 text-14 text-ink-3"
        contentClassName="mt-1 border-s border-line ps-4 text-ink-2 [&_.prose]:text-14 [&_.prose]:leading-[1.375rem]"
      >
        <Markdown text={turn.reasoning} isStreaming={isThinking} citations={undefined} />
      </Disclosure>
    </div>
  )
}

function ThinkingFor({ turn }: { turn: Turn }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  const elapsedMs = (turn.thinkingMs ?? 0) + Math.max(0, now - (turn.thinkingSince ?? now))
  return (
    <>
      {t('Thinking for {time}', { time: durationText(elapsedMs) })}
      <span className="caret" />
    </>
  )
}

function durationText(ms: number): string {
  if (ms < 60_000) return t('{seconds} s', { seconds: Math.max(1, Math.round(ms / 1000)) })
  const [minutes, seconds] = [Math.floor(ms / 60_000), Math.round((ms % 60_000) / 1000)]
  return t('{minutes} min {seconds} s', { minutes, seconds })
}

type StepsProps = { steps: Step[]; models: ModelCard[] }

function Steps({ steps, models }: StepsProps) {
  if (steps.length === 0) return null
  return (
    <ul aria-label={t('Steps')} className="mb-3 space-y-1 text-14 text-ink-2">
      {steps.map((step, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: steps are only ever added at the end
        <li key={at} className="flex items-start gap-2">
          <StepIcon step={step} />
          <StepText step={step} models={models} />
        </li>
      ))}
    </ul>
  )
}

function StepIcon({ step }: { step: Step }) {
  const hasFailed = step.type === 'search' && step.outcome === 'failed'
  const Icon: LucideIcon =
    step.type === 'search' ? (hasFailed ? TriangleAlert : Globe) : step.type === 'tool' ? Wrench : READER[step.reads]
  const tone = hasFailed ? 'text-brass' : 'text-ink-3'
  return <Icon aria-hidden="true" className={`mt-0.5 size-4 shrink-0 ${tone}`} strokeWidth={1.5} />
}

const READER = { image_url: Eye, input_audio: Ear, video_url: Film } as const

function StepText({ step, models }: { step: Step; models: ModelCard[] }) {
  if (step.type === 'search')
    return <span className={step.outcome === 'failed' ? 'text-brass' : ''}>{searchText(step)}</span>
  if (step.type === 'assist') {
    const name = models.find(({ id }) => id === step.model)?.name ?? step.model
    return <span>{assistText(step.reads, name)}</span>
  }
  return (
    <details className="min-w-0 flex-1">
      <summary className="w-fit wrap-anywhere">{t('Called {name}', { name: step.name })}</summary>
      {step.input && (
        <pre
          dir="ltr"
          className="thin-scroll mt-1 max-h-48 overflow-auto rounded-control bg-sunken p-2 font-mono text-12 whitespace-pre-wrap"
        >
          {step.input}
        </pre>
      )}
    </details>
  )
}

type SearchStep = Extract<Step, { type: 'search' }>

/** A search step of an older chat has no outcome. */
function searchText({ sources, outcome = sources > 0 ? 'found' : 'nothing_found' }: SearchStep): string {
  switch (outcome) {
    case 'found':
      return sources === 0
        ? t('Searched the web')
        : plural(sources, { one: 'Searched the web: {count} source', other: 'Searched the web: {count} sources' })
    case 'nothing_found':
      return t('Searched the web: no results found')
    case 'failed':
      return t('Web search failed. This answer does not use the web.')
    case 'not_needed':
      return t('Web search not needed')
  }
}

function assistText(reads: keyof typeof READER, name: string): string {
  if (reads === 'image_url') return t('Image read by {name}', { name })
  return reads === 'input_audio' ? t('Audio transcribed by {name}', { name }) : t('Video read by {name}', { name })
}
