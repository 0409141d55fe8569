'use client'

import { Download, GitCompareArrows, MessageCircleQuestion, Search, WrapText } from 'lucide-react'
import { Tabs } from 'radix-ui'
import { type RefObject, useEffect, useRef, useState } from 'react'
import type { RpcAnswer } from '@/components/rpc/client'
import { formatCredits } from '@/components/rpc/networks'
import { Mono, Note, SkeletonLines } from '@/components/rpc/notices'
import { BatchList, FailureCard, HeadLine } from '@/components/rpc/response/answer-head'
import type { Use } from '@/components/rpc/response/decode/decoded'
import { DecodedView } from '@/components/rpc/response/decoded-view'
import { failureMessage, refusalMessage } from '@/components/rpc/response/failure-messages'
import { useNow, visibleText } from '@/components/rpc/response/format'
import { type OpenedReply, useReply } from '@/components/rpc/response/response-worker'
import type { TextHandle } from '@/components/rpc/response/text-editor'
import { TextView, warmEditor } from '@/components/rpc/response/text-view'
import { announce } from '@/components/ui/announcer'
import { IconButton } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { Sentence } from '@/components/ui/sentence'
import type { Failure } from '@/lib/browser/failure'
import { formatLatency, formatSize } from '@/lib/browser/format/numbers'
import { usePreference } from '@/lib/browser/preferences'
import { saveFile } from '@/lib/browser/save-file'
import { formatNumber, msg, t } from '@/lib/i18n/t'

type ResponsePanelProps = {
  answer: RpcAnswer | undefined
  isRunning: boolean
  failure: Failure | undefined
  onOpenChat: (answer: RpcAnswer) => void
  onCompare: (answer: RpcAnswer) => void
  onUse: (use: Use) => void
  onRun: () => void
}

// A call that ended longer ago is one of the history.
const FRESH_MS = 5_000
const VIEW_NAMES: Record<View, string> = {
  pretty: msg('Pretty'),
  raw: msg('Raw'),
  decoded: msg('Decoded'),
  headers: msg('Headers'),
}

export function ResponsePanel({ answer, isRunning, failure, onRun, ...actions }: ResponsePanelProps) {
  // From the start, so that the first answer waits for no code.
  const state = useReply(answer)
  useEffect(() => {
    // Tried again when there is something to show.
    warmEditor().catch(() => undefined)
  }, [])
  useEffect(() => {
    if (answer && Date.now() - (answer.at + answer.ms) < FRESH_MS) announce(announcementOf(answer))
  }, [answer])
  return (
    <div aria-busy={isRunning} className="flex min-h-0 min-w-0 flex-1 flex-col">
      {isRunning && <Running isOverAnswer={answer !== undefined} />}
      {failure && !isRunning && <FailureCard message={failureMessage(failure)} onRun={onRun} isBusy={isRunning} />}
      {answer && failure && !isRunning && (
        <p className="border-y border-line bg-sunken px-4 py-1.5 text-12 text-ink-3">{t('Previous response:')}</p>
      )}
      {answer ? (
        <Answered answer={answer} state={state} isRunning={isRunning} onRun={onRun} {...actions} />
      ) : (
        !isRunning && !failure && <NothingYet />
      )}
    </div>
  )
}

type AnsweredProps = Omit<ResponsePanelProps, 'answer' | 'failure'> & { answer: RpcAnswer; state: OpenedReply }

function Answered({ answer, state, isRunning, onRun, onOpenChat, onCompare, onUse }: AnsweredProps) {
  const { opened, reply, known, isTooLarge, hasFailed } = state
  const [stored, setView] = useView(answer)
  const [wrap, setWrap] = usePreference('rpcWrap')
  const isWrapped = wrap !== 'off'
  const [pick, setPick] = useState<{ answer: RpcAnswer; item: number | undefined } | undefined>(undefined)
  const handle = useRef<TextHandle | null>(null)
  const refusal = refusalMessage(answer)
  // An error of the service has nothing of a chain in it.
  const views = refusal ? VIEWS.filter((one) => one !== 'decoded') : VIEWS
  const view = views.find((one) => one === stored) ?? 'pretty'
  const item = pick?.answer === answer ? pick.item : undefined
  // Known before the text is there, so that its tools do not push the line when it comes.
  const isText = (view === 'pretty' || view === 'raw') && !isTooLarge && !hasFailed
  return (
    <Tabs.Root
      value={view}
      onValueChange={(next) => setView(next as View)}
      className="flex min-h-0 min-w-0 flex-1 flex-col"
    >
      <HeadLine answer={answer} reply={isTooLarge || hasFailed ? 'unread' : reply}>
        <AnswerActions
          {...{ answer, onOpenChat, onCompare }}
          formatted={view === 'pretty' && opened && !reply?.fault ? handle : undefined}
        />
      </HeadLine>
      {refusal && <FailureCard message={refusal} onRun={onRun} isBusy={isRunning} />}
      {reply?.isBatch && (
        <BatchList answer={answer} reply={reply} picked={item} onPick={(next) => setPick({ answer, item: next })} />
      )}
      <div className="flex flex-wrap items-center border-b border-line px-2">
        <Tabs.List aria-label={t('Response views')} className="flex">
          {views.map((one) => (
            <Tabs.Trigger
              key={one}
              value={one}
              className="-mb-px min-h-10 border-b-2 border-transparent px-2.5 text-13 text-ink-2 transition-colors hover:text-ink data-[state=active]:border-accent data-[state=active]:font-medium data-[state=active]:text-ink pointer-coarse:min-h-11"
            >
              {t(VIEW_NAMES[one])}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        {isText && <TextTools isWrapped={isWrapped} onWrap={() => setWrap(isWrapped ? 'off' : 'on')} handle={handle} />}
      </div>
      <Tabs.Content
        value={view}
        tabIndex={-1}
        className="flex min-h-40 min-w-0 flex-1 flex-col max-md:max-h-[75dvh] md:min-h-0"
      >
        {view === 'headers' ? (
          <Scroll>
            <HeadersView headers={answer.headers} />
          </Scroll>
        ) : !opened ? (
          <TooLarge answer={answer} />
        ) : hasFailed ? (
          <Note text={t('Couldn’t read the response here. Download it instead.')} />
        ) : view !== 'decoded' ? (
          <TextView {...{ opened, reply, item, isWrapped, handle }} kind={view} />
        ) : known ? (
          <Scroll>
            <DecodedView
              key={known.answer.at}
              known={known}
              item={known.answer === answer ? item : undefined}
              onUse={onUse}
            />
          </Scroll>
        ) : (
          <div aria-hidden="true" className="skeleton m-4 h-24" />
        )}
      </Tabs.Content>
    </Tabs.Root>
  )
}

const Scroll = ({ children }: { children: React.ReactNode }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard
  <div tabIndex={0} className="thin-scroll min-h-0 flex-1 overflow-auto">
    {children}
  </div>
)

function announcementOf(answer: RpcAnswer): string {
  const refusal = refusalMessage(answer)
  if (refusal) return `${refusal.title} ${refusal.advice}`
  const time = formatLatency(answer.ms)
  return answer.credits === undefined
    ? t('Response in {time}', { time })
    : t('Response in {time}, {credits}', { time, credits: formatCredits(answer.credits) })
}

const MEANINGS: Readonly<Record<string, string>> = {
  'x-service-rpc-credits': msg('credits used by the call'),
  'x-service-rpc-cost-usd': msg('cost of the call in dollars'),
  'x-request-id': msg('ID of the call in the logs'),
  'idempotent-replayed': msg('response to an earlier call'),
  'x-balance-remaining': msg('balance after the call in dollars'),
  'x-retry-count': msg('nodes that failed before'),
  'x-ratelimit-reset': msg('reset time of the rate limit, in Unix seconds'),
}

function HeadersView({ headers }: Pick<RpcAnswer, 'headers'>) {
  if (headers.length === 0) return <Note text={t('The response has no headers.')} />
  const text = headers.map(([name, value]) => `${name}: ${value}`).join('\n')
  return (
    <div className="relative">
      <CopyButton text={text} label={t('Copy headers')} className="absolute end-2 top-2" />
      <dl className="divide-y divide-line px-4 py-2 text-13">
        {headers.map(([name, value]) => (
          <div key={name} className="grid gap-x-4 py-1.5 pe-10 sm:grid-cols-[minmax(9rem,2fr)_3fr]">
            <dt className="font-mono text-12 leading-5 text-ink-2 wrap-anywhere">{name}</dt>
            <dd className="min-w-0">
              <Mono className="text-12 leading-5 wrap-anywhere">{visibleText(value)}</Mono>
              {MEANINGS[name] && <span className="block text-12 text-ink-3">{t(MEANINGS[name])}</span>}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

const BODY_VIEWS = ['pretty', 'raw', 'decoded'] as const
const VIEWS = [...BODY_VIEWS, 'headers'] as const
type View = (typeof VIEWS)[number]

// The chosen view stays for the next response; headers are shown for one response only.
function useView(answer: RpcAnswer): [View, (view: View) => void] {
  const [stored, setStored] = usePreference('rpcView')
  const [headersOf, setHeadersOf] = useState<RpcAnswer>()
  const choose = (view: View) => {
    setHeadersOf(view === 'headers' ? answer : undefined)
    if (view !== 'headers') setStored(view)
  }
  if (headersOf === answer) return ['headers', choose]
  // What the browser stored may be of another version.
  return [BODY_VIEWS.find((view) => view === stored) ?? 'pretty', choose]
}

const SHOWN_AFTER_MS = 300
const TICK_MS = 100
const HEAD_CHARS = 8_000
const ONE_DIGIT = { minimumFractionDigits: 1, maximumFractionDigits: 1 }

const NothingYet = () => (
  <div className="flex flex-1 items-center justify-center p-8 text-center">
    <p className="max-w-72 text-14 text-ink-2">
      {t('Run the call to see the response.')}{' '}
      <span className="pointer-coarse:hidden">
        <Sentence
          text="Press <key/> anywhere on this page to run."
          parts={{ key: () => <kbd className="font-mono text-12 whitespace-nowrap text-ink-3">{t('Ctrl')} ⏎</kbd> }}
        />
      </span>
    </p>
  </div>
)

function Running({ isOverAnswer }: { isOverAnswer: boolean }) {
  const [startedAt] = useState(Date.now)
  const [isShown, setIsShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsShown(true), SHOWN_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  const now = useNow(TICK_MS)
  const seconds = formatNumber(Math.max(0, (now - startedAt) / 1000), ONE_DIGIT)
  if (!isShown) return isOverAnswer ? null : <div className="flex-1" />
  return (
    <div
      className={
        isOverAnswer ? 'border-b border-line bg-sunken px-4 py-1.5' : 'flex flex-1 flex-col justify-center p-8'
      }
    >
      <p className={`text-13 text-ink-2 tabular-nums ${isOverAnswer ? '' : 'text-center'}`}>
        {t('Waiting for the network, {seconds} s', { seconds })}
      </p>
      {!isOverAnswer && <SkeletonLines className="mx-auto mt-4 w-full max-w-80 space-y-3" />}
    </div>
  )
}

const TooLarge = ({ answer }: { answer: RpcAnswer }) => (
  <div className="min-h-0 flex-1 overflow-auto">
    <p className="border-b border-line bg-sunken px-4 py-2 text-13 text-ink-2">
      {t('{size} is too large to show here in full. Download the response for the rest.', {
        size: formatSize(answer.bytes),
      })}
    </p>
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard
      tabIndex={0}
      dir="ltr"
      className="p-4 font-mono text-13 leading-5 wrap-anywhere whitespace-pre-wrap"
    >
      {visibleText(answer.text.slice(0, HEAD_CHARS))}
    </pre>
  </div>
)

type TextToolsProps = { isWrapped: boolean; onWrap: () => void; handle: RefObject<TextHandle | null> }

const TextTools = ({ isWrapped, onWrap, handle }: TextToolsProps) => (
  <div className="ms-auto flex">
    <IconButton label={t('Find in the response (Ctrl F)')} onClick={() => handle.current?.find()}>
      <Search aria-hidden="true" />
    </IconButton>
    <IconButton label={t('Wrap lines')} aria-pressed={isWrapped} onClick={onWrap} className="aria-pressed:text-accent">
      <WrapText aria-hidden="true" />
    </IconButton>
  </div>
)

type AnswerActionsProps = Pick<AnsweredProps, 'answer' | 'onOpenChat' | 'onCompare'> & {
  formatted: RefObject<TextHandle | null> | undefined
}

const AnswerActions = ({ answer, formatted, onOpenChat, onCompare }: AnswerActionsProps) => (
  <div className="-my-1 -me-2 ms-auto flex">
    <CopyButton
      label={formatted ? t('Copy formatted response') : t('Copy response')}
      text={() => formatted?.current?.text() ?? answer.text}
    />
    <IconButton
      label={t('Download response')}
      onClick={() => saveFile(fileName(answer), new Blob([answer.text], { type: 'application/json' }))}
    >
      <Download aria-hidden="true" />
    </IconButton>
    <IconButton label={t('Compare with another response')} onClick={() => onCompare(answer)}>
      <GitCompareArrows aria-hidden="true" />
    </IconButton>
    <IconButton label={t('Ask about this response')} onClick={() => onOpenChat(answer)}>
      <MessageCircleQuestion aria-hidden="true" />
    </IconButton>
  </div>
)

const MAX_NAME_CHARS = 80

export function fileName({ calls, isBatch, network, at }: RpcAnswer): string {
  const method = isBatch ? 'batch' : (calls[0]?.method ?? 'response')
  const time = new Date(at).toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-')
  const safe = method.replace(/[^\w-]/g, '').slice(0, MAX_NAME_CHARS) || 'response'
  return `${safe}-${network}-${time}.json`
}
