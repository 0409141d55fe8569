'use client'

import { X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Button, IconButton } from '@/components/ui/button'
import type { Outgoing } from '@/lib/browser/storage/draft-message'
import type { Attachment } from '@/lib/browser/storage/records'
import { t } from '@/lib/i18n/t'

/** Whether a question is open for editing. */
export function useEditing() {
  const [isOpen, setIsOpen] = useState(false)
  return { isOpen, open: () => setIsOpen(true), close: () => setIsOpen(false) }
}

type QuestionEditorProps = {
  text: string
  attachments: Attachment[]
  onSend: (outgoing: Outgoing) => void | Promise<void>
  onCancel: () => void
}

/** A question, to be asked differently. The first version stays, with its files. */
export function QuestionEditor({ text, attachments, onSend, onCancel }: QuestionEditorProps) {
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
