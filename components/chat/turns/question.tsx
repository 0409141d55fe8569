'use client'

import dynamic from 'next/dynamic'
import type { MessageProps } from '@/components/chat/chat-actions'
import { QuestionActions } from '@/components/chat/turns/message-actions'
import { QuestionEditor, useEditing } from '@/components/chat/turns/question-editor'
import { formatDate, t } from '@/lib/i18n/t'

/** Fetched with the first question that brings files along. */
const MessageFiles = dynamic(
  () => import('@/components/chat/media/message-files').then((module) => module.MessageFiles),
  { ssr: false, loading: () => <div className="skeleton h-16 w-40" /> },
)

/** The ring of a turn lies around its words: the turn is as wide as the page, with the ledger. */
const RING = 'outline-offset-2 outline-accent group-focus-visible:outline-2'

/** What a person asked, with the files that came along. */
export function Question({ turn, actions, isBusy }: MessageProps) {
  const editing = useEditing()
  const { attachments = [] } = turn
  return (
    <article
      aria-label={t('You')}
      data-turn={turn.id}
      tabIndex={-1}
      className="turn sheet-grid group pt-4 outline-none!"
    >
      <div className={`sheet-words flex flex-col items-end gap-2 ${turn.text ? '' : `rounded-control ${RING}`}`}>
        {attachments.length > 0 && !editing.isOpen && <MessageFiles attachments={attachments} side="end" />}
        <div className="flex w-full flex-col items-end gap-1 md:flex-row-reverse md:items-center">
          {editing.isOpen ? (
            <QuestionEditor
              text={turn.text}
              attachments={attachments}
              onCancel={editing.close}
              onSend={async (outgoing) => {
                if (await actions.edit(turn, outgoing)) editing.close()
              }}
            />
          ) : (
            turn.text && (
              <p
                dir="auto"
                className={`max-w-[85%] rounded-[18px] rounded-ee-control bg-bubble px-4 py-2.5 text-16 wrap-anywhere whitespace-pre-wrap ${RING}`}
              >
                {turn.text}
              </p>
            )
          )}
          {!editing.isOpen && <QuestionActions turn={turn} actions={actions} isBusy={isBusy} onEdit={editing.open} />}
        </div>
      </div>
      <Time at={turn.createdAt} />
    </article>
  )
}

function Time({ at }: { at: number }) {
  const date = new Date(at)
  return (
    <time
      dateTime={date.toISOString()}
      title={formatDate(date, { dateStyle: 'medium', timeStyle: 'medium' })}
      className="ledger hidden px-4 pt-3 text-end font-mono text-12 text-ink-3 [grid-area:1/4] lg:block"
    >
      {formatDate(date, { hour: '2-digit', minute: '2-digit' })}
    </time>
  )
}
