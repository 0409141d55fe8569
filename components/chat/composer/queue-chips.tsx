'use client'

import { ArrowUp, Pencil, X } from 'lucide-react'
import type { RefObject } from 'react'
import type { Queued } from '@/components/chat/asking/queue'
import { IconButton } from '@/components/ui/button'
import { useFocusFallback } from '@/components/ui/use-focus-fallback'
import type { Outgoing } from '@/lib/browser/storage/records'
import { plural, t } from '@/lib/i18n/t'

type QueueChipsProps = {
  chat: { queued: readonly Queued[]; sendNow(id: string): void; dequeue(id: string): Outgoing | undefined }
  onEdit: (outgoing: Outgoing) => void
}

export function QueueChips({ chat, onEdit }: QueueChipsProps) {
  const edit = (id: string) => {
    const outgoing = chat.dequeue(id)
    if (outgoing) onEdit(outgoing)
  }
  return (
    <ul aria-label={t('Queued messages')} className="mb-2 space-y-1.5">
      {chat.queued.map(({ id, outgoing, isForOnline }) => (
        <li
          key={id}
          className="enter flex items-center gap-1 rounded-card border border-line bg-bubble py-0.5 ps-3.5 pe-1 text-14"
        >
          <span dir="auto" className="min-w-0 flex-1 truncate">
            {outgoing.text || outgoing.attachments[0]?.name}
          </span>
          {outgoing.attachments.length > 0 && (
            <span className="shrink-0 text-12 text-ink-2">
              {plural(outgoing.attachments.length, { one: '{count} file', other: '{count} files' })}
            </span>
          )}
          {isForOnline && <span className="shrink-0 text-12 text-ink-2">{t('sends when you’re online')}</span>}
          <IconButton
            label={isForOnline ? t('Send now') : t('Stop the answer and send now')}
            onClick={() => chat.sendNow(id)}
          >
            <ArrowUp aria-hidden="true" />
          </IconButton>
          <IconButton label={t('Edit queued message')} onClick={() => edit(id)}>
            <Pencil aria-hidden="true" />
          </IconButton>
          <IconButton label={t('Remove from queue')} onClick={() => void chat.dequeue(id)}>
            <X aria-hidden="true" />
          </IconButton>
        </li>
      ))}
    </ul>
  )
}

type QueueFocusProps = { root: RefObject<HTMLElement | null>; field: RefObject<HTMLElement | null> }

/** Gives the focus to the field when the focused part of the composer goes away. Loaded after the first load. */
export function QueueFocus({ root, field }: QueueFocusProps) {
  useFocusFallback(root, () => () => field.current)
  return null
}
