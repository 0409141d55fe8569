'use client'

import { useLiveQuery } from 'dexie-react-hooks'
import dynamic from 'next/dynamic'
import { type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { type Run, useRuns } from '@/components/chat/asking/answer-store'
import { learnPrices, settleAbandoned } from '@/components/chat/asking/run'
import type { ChatActions, TurnActions } from '@/components/chat/chat-actions'
import { MessageList } from '@/components/chat/turns/message-list'
import { requestReadAloud, useReadAloudRequest } from '@/components/chat/voice/read-aloud-store'
import { Button } from '@/components/ui/button'
import { Sentence } from '@/components/ui/sentence'
import { newChat, useCommand } from '@/lib/browser/commands'
import { formatExactMoney, formatMoney } from '@/lib/browser/format/cost'
import { dayOf } from '@/lib/browser/format/day'
import type { ModelCard } from '@/lib/browser/models'
import { usePreference } from '@/lib/browser/preferences'
import { isDaySpent, parseCap } from '@/lib/browser/spending-cap'
import { loadUnfinished } from '@/lib/browser/storage/answers'
import type { Unfinished } from '@/lib/browser/storage/records'
import { spentOn } from '@/lib/browser/storage/spending'
import { keepUnchanged, type SideCosts, sideCosts, type Turn, totalCost } from '@/lib/browser/storage/thread'
import { type ThreadRead, useThread } from '@/lib/browser/storage/use-thread'
import { type Usd, ZERO } from '@/lib/contract/money'
import { t } from '@/lib/i18n/t'

const Comparison = dynamic(() => import('@/components/chat/turns/comparison').then((module) => module.Comparison), {
  ssr: false,
})

type ThreadProps = {
  chatId: string
  chat: ChatActions & { isBusy: boolean }
  models: ModelCard[]
  onPickModel: (id: string) => void
}

export function Thread({ chatId, chat, models, onPickModel }: ThreadProps) {
  const thread = useThread(chatId)
  const actions = useStable(chatId, chat, onPickModel)
  const turns = useTurns(chatId, thread ?? undefined, useRuns(chatId))
  const section = useTurnKeys(turns, actions, chat.isBusy)
  const receipts = thread?.stored.receipts
  const costs = useMemo(
    () => ({ total: totalCost(receipts ?? []), side: sideCosts(receipts ?? [], thread?.turns ?? []) }),
    [receipts, thread],
  )
  if (thread === undefined) return <ThreadSkeleton />
  if (thread === null) return <MissingChat />
  const last = turns.at(-1)
  const compared = last?.compared
  const listed = compared ? turns.slice(0, -1) : turns
  return (
    <>
      <div
        aria-hidden="true"
        className="ledger pointer-events-none absolute inset-y-0 end-0 hidden w-[8.5rem] border-s border-line lg:block"
      />
      <div ref={section} className="flex min-h-0 flex-1 flex-col">
        <MessageList chatId={chatId} turns={listed} models={models} actions={actions} isBusy={chat.isBusy}>
          {compared && <Comparison turns={compared} models={models} actions={actions} isBusy={chat.isBusy} />}
          {last?.role === 'user' && (
            <Unanswered
              isBusy={chat.isBusy}
              onAsk={() => void actions.regenerate(last)}
              onRemove={() => actions.remove(last)}
            />
          )}
          <LedgerLine {...costs} />
        </MessageList>
      </div>
      <LedgerFoot {...costs} />
      <ReadAloud />
    </>
  )
}

function useStable(chatId: string, chat: ChatActions, onPickModel: (id: string) => void): TurnActions {
  const latest = useRef({ chat, onPickModel })
  useEffect(() => {
    latest.current = { chat, onPickModel }
  })
  const [actions] = useState<TurnActions>(() => ({
    chatId,
    regenerate: (turn, model) => latest.current.chat.regenerate(turn, model),
    resume: (turn) => latest.current.chat.resume(turn),
    replay: (turn, failure, options) => latest.current.chat.replay(turn, failure, options),
    edit: (turn, outgoing) => latest.current.chat.edit(turn, outgoing),
    showVersion: (turn, id) => latest.current.chat.showVersion(turn, id),
    keep: (turn) => latest.current.chat.keep(turn),
    fork: (turn, extent) => latest.current.chat.fork(turn, extent),
    remove: (turn) => latest.current.chat.remove(turn),
    pickModel: (id) => latest.current.onPickModel(id),
  }))
  return actions
}

type UnansweredProps = { isBusy: boolean; onAsk: () => void; onRemove: () => void }

function Unanswered({ isBusy, onAsk, onRemove }: UnansweredProps) {
  return (
    <div className="sheet-grid pt-4">
      <div className="sheet-words flex flex-wrap items-center gap-3">
        <p className="text-13 text-ink-3">{t('No answer yet.')}</p>
        <Button disabled={isBusy} onClick={onAsk}>
          {t('Send now')}
        </Button>
        <Button kind="plain" disabled={isBusy} onClick={onRemove}>
          {t('Delete message')}
        </Button>
      </div>
    </div>
  )
}

function ThreadSkeleton() {
  return (
    <div aria-hidden="true" className="sheet-grid flex-1 content-start pt-10">
      <div className="sheet-words space-y-4">
        <div className="skeleton ms-auto h-11 w-2/5 rounded-[18px]" />
        <div className="skeleton h-4 w-full" />
        <div className="skeleton h-4 w-11/12" />
        <div className="skeleton h-4 w-3/5" />
      </div>
    </div>
  )
}

const MissingChat = () => (
  <NoChat
    heading="h2"
    title={t('This chat is not on this device.')}
    about={t(
      'Chats live only in the browser they were written in. This chat may have been deleted or be in another browser.',
    )}
  />
)

export const GoneChat = () => (
  <NoChat
    heading="h1"
    title={t('This temporary chat has been deleted.')}
    about={t('Temporary chats are never saved on this device. Charges are listed in your wallet’s billing history.')}
  />
)

type NoChatProps = { heading: 'h1' | 'h2'; title: string; about: string }

function NoChat({ heading: Heading, title, about }: NoChatProps) {
  return (
    <div className="flex flex-1 flex-col items-center justify-center gap-4 px-6 text-center">
      <Heading className="font-serif text-24">{title}</Heading>
      <p className="max-w-90 text-14 text-ink-2">{about}</p>
      <Button kind="primary" onClick={newChat}>
        {t('New chat')}
      </Button>
    </div>
  )
}

type LedgerProps = { total: Usd; side: SideCosts }

function LedgerFoot({ total, side }: LedgerProps) {
  const { spent, cap } = useToday()
  return (
    <div className="ledger pointer-events-none absolute end-0 bottom-0 hidden w-[8.5rem] bg-paper px-4 pt-2 pb-5 text-end font-mono text-12 text-ink-3 tabular-nums lg:block">
      {sideLines(side).map(({ name, cost }) => (
        <p key={name} className="pb-1.5">
          {name}
          <span className="block text-ink-2">{formatExactMoney(cost)}</span>
        </p>
      ))}
      <p className="border-t-3 border-double border-line pt-2">{t('This chat')}</p>
      <p className="text-ink-2">{formatExactMoney(total)}</p>
      <p className={isDaySpent(spent, cap) ? 'mt-1 text-brass' : 'mt-1'}>{todayText(spent)}</p>
      {cap !== undefined && <p>{capText(cap)}</p>}
    </div>
  )
}

function LedgerLine({ total, side }: LedgerProps) {
  const { spent, cap } = useToday()
  return (
    <p className="ledger sheet-grid pt-3 text-end font-mono text-12 text-ink-3 tabular-nums lg:hidden">
      <span className="sheet-words">
        {sideLines(side).map(({ name, cost }) => `${name} ${formatExactMoney(cost)} · `)}
        <Sentence
          text={t('This chat <cost/>')}
          parts={{ cost: () => <span className="text-ink-2">{formatExactMoney(total)}</span> }}
        />
        {' · '}
        <span className={isDaySpent(spent, cap) ? 'text-brass' : ''}>{todayText(spent)}</span>
        {cap !== undefined && ` · ${capText(cap)}`}
      </span>
    </p>
  )
}

/** Lists all side costs: without them the ledger would not add up. */
function sideLines({ title, suggestions, others }: SideCosts): { name: string; cost: Usd }[] {
  const lines = [
    { name: t('Title'), cost: title },
    { name: t('Suggestions'), cost: suggestions },
    { name: t('Other versions'), cost: others },
  ]
  return lines.filter(({ cost }) => cost > 0n)
}

const todayText = (spent: Usd): string => t('today {cost}', { cost: formatMoney(spent) })

const capText = (cap: Usd): string => t('cap {amount}', { amount: formatExactMoney(cap) })

function useToday(): { spent: Usd; cap: Usd | undefined } {
  const [stored] = usePreference('capPerDay')
  const spent = useLiveQuery(() => spentOn(dayOf(Date.now())), [])
  return { spent: spent ?? ZERO, cap: parseCap(stored) }
}

/** Handles the keys for turns and versions. Without versions the keys stay the browser's way back. */
function useTurnKeys(turns: Turn[], actions: TurnActions, isBusy: boolean): RefObject<HTMLDivElement | null> {
  const section = useRef<HTMLDivElement>(null)
  const articles = () => [...(section.current?.querySelectorAll<HTMLElement>('article[data-turn]') ?? [])]
  const focusedAt = (all: HTMLElement[]) => all.findIndex((article) => article.contains(document.activeElement))
  const show = (step: 1 | -1) => {
    const all = articles()
    const at = focusedAt(all)
    const next = step === -1 ? (at === -1 ? all.length - 1 : at - 1) : at + 1
    all[next]?.focus()
  }
  const showVersion = (step: 1 | -1) => {
    const all = articles()
    const isRightToLeft = document.documentElement.dir === 'rtl'
    const turn = versioned(turns, all[focusedAt(all)]?.dataset.turn)
    const version = turn && neighbour(turn, isRightToLeft ? -step : step)
    if (version) actions.showVersion(turn, version)
  }
  const hasVersions = { isEnabled: !isBusy && turns.some(({ versions }) => versions.length > 1) }
  useCommand('previous-turn', () => show(-1))
  useCommand('next-turn', () => show(1))
  useCommand('previous-version', () => showVersion(-1), hasVersions)
  useCommand('next-version', () => showVersion(1), hasVersions)
  return section
}

export function versioned(turns: Turn[], focusedId: string | undefined): Turn | undefined {
  const hasVersions = ({ versions }: Turn) => versions.length > 1
  return turns.find((turn) => turn.id === focusedId && hasVersions(turn)) ?? turns.findLast(hasVersions)
}

export function neighbour({ id, versions }: Turn, step: number): string | undefined {
  return versions[versions.indexOf(id) + step]
}

const ABANDONED_CHECK_MS = 2_000

const NONE: ReadonlyMap<string, Unfinished> = new Map()

function useTurns(conversationId: string, thread: ThreadRead | undefined, runs: readonly Run[]): Turn[] {
  const before = useRef<Turn[]>([])
  const stored = useMemo(() => {
    before.current = thread ? keepUnchanged(before.current, thread.turns) : []
    return before.current
  }, [thread])
  const foreign = useForeignAnswers(conversationId, foreignIds(stored, runs))
  usePrices(conversationId, thread)
  return useMemo(() => withLiveText(stored, runs, foreign), [stored, runs, foreign])
}

function withLiveText(turns: Turn[], runs: readonly Run[], foreign: ReadonlyMap<string, Unfinished>): Turn[] {
  const live = (turn: Turn): Turn => {
    if (turn.status !== 'streaming') return turn
    const run = runs.find(({ messageId }) => messageId === turn.id)
    if (run) return overlay(turn, run)
    const left = foreign.get(turn.id)
    if (!left) return turn
    const { text, reasoning, citations, steps } = left
    return { ...turn, text, reasoning, ...(citations && { citations }), ...(steps && { steps }) }
  }
  return turns.map((turn) => {
    const one = live(turn)
    if (!turn.compared) return one
    const compared = turn.compared.map(live)
    const isSame = one === turn && compared.every((other, at) => other === turn.compared?.[at])
    return isSame ? turn : { ...one, compared }
  })
}

function overlay(turn: Turn, { answer }: Run): Turn {
  const { failure, notice, finishReason, thinkingSince, citations, steps } = answer
  const { status, text, reasoning, phase, thinkingMs } = answer
  return {
    ...turn,
    ...{ status, text, reasoning, phase, thinkingMs },
    ...(thinkingSince !== undefined && { thinkingSince }),
    ...(failure && { failure }),
    ...(notice && { notice }),
    ...(finishReason && { finishReason }),
    ...(citations && { citations }),
    ...(steps && { steps }),
  }
}

function foreignIds(turns: Turn[], runs: readonly Run[]): string {
  const shown = turns.flatMap((turn) => turn.compared ?? [turn])
  const open = shown.filter(
    ({ id, status }) => status === 'streaming' && !runs.some(({ messageId }) => messageId === id),
  )
  return open.map(({ id }) => id).join(' ')
}

/** Follows answers that another tab writes, and ends those that no tab writes. */
function useForeignAnswers(conversationId: string, ids: string): ReadonlyMap<string, Unfinished> {
  const unfinished = useLiveQuery(async () => {
    const found = await Promise.all(split(ids).map((id) => loadUnfinished({ id, conversationId })))
    return new Map(found.flatMap((left) => (left ? [[left.messageId, left]] : [])))
  }, [conversationId, ids])
  useEffect(() => {
    if (ids === '') return
    const settle = () => {
      for (const id of split(ids)) void settleAbandoned({ id, conversationId })
    }
    settle()
    const timer = setInterval(settle, ABANDONED_CHECK_MS)
    return () => clearInterval(timer)
  }, [conversationId, ids])
  return unfinished ?? NONE
}

const split = (ids: string): string[] => (ids === '' ? [] : ids.split(' '))

function usePrices(conversationId: string, thread: ThreadRead | undefined): void {
  const isLoaded = thread !== undefined
  useEffect(() => {
    if (isLoaded) void learnPrices(conversationId)
  }, [conversationId, isLoaded])
}

const ReadAloudBar = dynamic(() => import('@/components/chat/voice/read-aloud-bar').then((m) => m.ReadAloudBar), {
  ssr: false,
})

function ReadAloud() {
  const wanted = useReadAloudRequest()
  useEffect(() => () => requestReadAloud(undefined), [])
  return wanted && <ReadAloudBar key={wanted.turnId} wanted={wanted} />
}
