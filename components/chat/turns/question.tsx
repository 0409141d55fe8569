'use client'

import { X } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useEffect, useRef, useState } from 'react'
import type { MessageProps } from '@/components/chat/chat-actions'
import { QuestionActions } from '@/components/chat/turns/message-actions'
import { Button, IconButton } from '@/components/ui/button'
import type { Attachment, Outgoing } from '@/lib/browser/storage/records'
import { formatDate, t } from '@/lib/i18n/t'

const MessageFiles = dynamic(
  () => import('@/components/chat/turns/message-files').then((module) => module.MessageFiles),
  { ssr: false, loading: () => <div className="skeleton h-16 w-40" /> },
)

const RING = 'outline-offset-2 outline-accent group-focus-visible:outline-2'

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

function useEditing() {
  const [isOpen, setIsOpen] = useState(false)
  return { isOpen, open: () => setIsOpen(true), close: () => setIsOpen(false) }
}

type QuestionEditorProps = {
  text: string
  attachments: Attachment[]
  onSend: (outgoing: Outgoing) => void | Promise<void>
  onCancel: () => void
}

function QuestionEditor({ text, attachments, onSend, onCancel }: QuestionEditorProps) {
  const [draft, setDraft] = useState(text)
  const [files, setFiles] = useState(attachments)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => field.current?.setSelectionRange(field.current.value.length, field.current.value.length), [])
  const canSend = draft.trim() !== '' || files.length > 0
  const send = () => {
    if (canSend) void onSend({ text: draft.trim(), attachments: files })
  }
  return (
    <form
      className="w-full rounded-[18px] border border-control bg-surface p-2 focus-within:border-accent"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <textarea
        ref={field}
        // biome-ignore lint/a11y/noAutofocus: the person just asked to edit this question
        autoFocus
        aria-label={t('Edit message')}
        dir="auto"
        rows={Math.min(12, draft.split('\n').length + 1)}
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={(event) => {
          const isComposing = event.nativeEvent.isComposing || event.keyCode === 229
          if (event.key === 'Escape') {
            event.preventDefault()
            onCancel()
          } else if (event.key === 'Enter' && !event.shiftKey && !isComposing) {
            event.preventDefault()
            send()
          }
        }}
        className="w-full resize-none bg-transparent px-2 py-1 text-16 outline-none"
      />
      {files.length > 0 && (
        <ul aria-label={t('Attached files')} className="flex flex-wrap gap-2 px-1 pb-2">
          {files.map((file) => (
            <li key={file.id} className="flex max-w-60 items-center rounded-control border border-line ps-2.5 text-13">
              <span dir="auto" className="truncate">
                {file.name}
              </span>
              <IconButton
                label={t('Remove {name}', { name: file.name })}
                onClick={() => setFiles(files.filter(({ id }) => id !== file.id))}
              >
                <X aria-hidden="true" />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
      <div className="flex justify-end gap-2">
        <Button kind="plain" onClick={onCancel}>
          {t('Cancel')}
        </Button>
        <Button kind="primary" type="submit" disabled={!canSend}>
          {t('Send edited message')}
        </Button>
      </div>
    </form>
  )
}
