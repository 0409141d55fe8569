'use client'

import { useLiveQuery } from 'dexie-react-hooks'
import { useEffect, useMemo, useRef, useState } from 'react'
import { LedgerFoot, LedgerLine } from '@/components/chat/ledger-foot'
import { MessageList } from '@/components/chat/message-list'
import { type Run, settleAbandoned } from '@/components/chat/runs'
import type { Chat } from '@/components/chat/use-chat'
import { newChat } from '@/components/shell/shortcuts'
import { Button } from '@/components/ui/button'
import { db, loadThread, type StoredThread, type Unfinished } from '@/lib/client/history'
import type { ModelCard } from '@/lib/client/models'
import { keepUnchanged, shownTurns, type Turn, totalCost } from '@/lib/client/thread'

/** How often an answer that another tab writes is checked for being abandoned. */
const ABANDONED_CHECK_MS = 2_000

type ThreadProps = { chatId: string; chat: Chat; models: ModelCard[] }

/** What a turn can be asked to do. Stable, so that turns which did not change are not drawn again. */
export type TurnActions = Pick<Chat, 'regenerate' | 'resume' | 'replay' | 'edit' | 'showVersion'>

/** The words of one chat. */
export function Thread({ chatId, chat, models }: ThreadProps) {
  const stored = useLiveQuery(async () => (await loadThread(chatId)) ?? null, [chatId])
  const actions = useStable(chat)
  const turns = useTurns(stored ?? undefined, chat.run)
  if (stored === undefined) return <ThreadSkeleton />
  if (stored === null) return <MissingChat />
  const total = totalCost(stored.receipts)
  return (
    <>
      <div
        aria-hidden="true"
        className="ledger pointer-events-none absolute inset-y-0 end-0 hidden w-[8.5rem] border-s border-line lg:block"
      />
      <MessageList chatId={chatId} turns={turns} models={models} actions={actions} isBusy={chat.isBusy}>
        <LedgerLine total={total} />
      </MessageList>
      <LedgerFoot total={total} />
    </>
  )
}

/** The stored branch, with the answer that is being written laid over it. */
function useTurns(stored: StoredThread | undefined, run: Run | undefined): Turn[] {
  const before = useRef<Turn[]>([])
  const kept = useMemo(() => {
    before.current = stored ? keepUnchanged(before.current, shownTurns(stored)) : []
    return before.current
  }, [stored])
  const open = kept.find((turn) => turn.status === 'streaming')
  const isOurs = open !== undefined && open.id === run?.messageId
  const foreign = useForeignAnswer(isOurs ? undefined : open?.id)
  return useMemo(() => {
    if (!open) return kept
    const live =
      isOurs && run
        ? overlay(open, run)
        : foreign
          ? { ...open, text: foreign.text, reasoning: foreign.reasoning }
          : open
    return kept.map((turn) => (turn === open ? live : turn))
  }, [kept, open, isOurs, run, foreign])
}

function overlay(turn: Turn, { answer }: Run): Turn {
  const { status, text, reasoning, failure, notice, finishReason, thinkingMs, phase, thinkingSince } = answer
  return {
    ...turn,
    status,
    text,
    reasoning,
    phase,
    thinkingMs,
    ...(thinkingSince !== undefined && { thinkingSince }),
    ...(failure && { failure }),
    ...(notice && { notice }),
    ...(finishReason && { finishReason }),
  }
}

/** An answer that this page does not write: followed while another tab does, ended when no tab does. */
function useForeignAnswer(messageId: string | undefined): Unfinished | undefined {
  const unfinished = useLiveQuery(() => (messageId ? db.unfinished.get(messageId) : undefined), [messageId])
  useEffect(() => {
    if (!messageId) return
    const settle = () => void settleAbandoned(messageId)
    settle()
    const timer = setInterval(settle, ABANDONED_CHECK_MS)
    return () => clearInterval(timer)
  }, [messageId])
  return unfinished
}

function useStable(chat: Chat): TurnActions {
  const latest = useRef(chat)
  useEffect(() => {
    latest.current = chat
  })
  const [actions] = useState<TurnActions>(() => ({
    regenerate: (turn, model) => latest.current.regenerate(turn, model),
    resume: (turn) => latest.current.resume(turn),
    replay: (turn, failure, options) => latest.current.replay(turn, failure, options),
    edit: (turn, text) => latest.current.edit(turn, text),
    showVersion: (turn, id) => latest.current.showVersion(turn, id),
  }))
  return actions
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

function MissingChat() {
  return (
    <div className="flex flex-1 flex-col items-center justify-center gap-4 px-6 text-center">
      <h2 className="font-serif text-24">This chat is not on this device.</h2>
      <p className="max-w-90 text-14 text-ink-2">
        Chats are kept in the browser they were written in. It may have been deleted, or belong to another browser.
      </p>
      <Button kind="primary" onClick={newChat}>
        New chat
      </Button>
    </div>
  )
}
