'use client'

import dynamic from 'next/dynamic'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useRuns } from '@/components/chat/asking/runs'
import type { ChatActions, TurnActions } from '@/components/chat/chat-actions'
import { LedgerFoot, LedgerLine } from '@/components/chat/turns/ledger-foot'
import { MessageList } from '@/components/chat/turns/message-list'
import { useTurnKeys } from '@/components/chat/turns/turn-keys'
import { useTurns } from '@/components/chat/turns/use-turns'
import { ReadAloud } from '@/components/chat/voice/read-aloud'
import { Button } from '@/components/ui/button'
import type { ModelCard } from '@/lib/browser/models'
import { newChat } from '@/lib/browser/shortcut-handlers'
import { sideCosts, totalCost } from '@/lib/browser/storage/thread'
import { useThread } from '@/lib/browser/storage/use-thread'
import { t } from '@/lib/i18n/t'

/** Fetched when two models answer beside each other. */
const Comparison = dynamic(() => import('@/components/chat/compare/comparison').then((module) => module.Comparison), {
  ssr: false,
})

type ThreadProps = {
  chatId: string
  chat: ChatActions & { isBusy: boolean }
  models: ModelCard[]
  onPickModel: (id: string) => void
}

/** The words of one chat. */
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

/** A question at the end: its answer was deleted, or the chat was forked at it. */
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

function MissingChat() {
  return (
    <div className="flex flex-1 flex-col items-center justify-center gap-4 px-6 text-center">
      <h2 className="font-serif text-24">{t('This chat is not on this device.')}</h2>
      <p className="max-w-90 text-14 text-ink-2">
        {t(
          'Chats live only in the browser they were written in. This chat may have been deleted or be in another browser.',
        )}
      </p>
      <Button kind="primary" onClick={newChat}>
        {t('New chat')}
      </Button>
    </div>
  )
}
