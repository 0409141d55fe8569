'use client'

import { Ellipsis } from 'lucide-react'
import Link from 'next/link'
import type { DragEvent, MouseEvent, PointerEvent } from 'react'
import { chooseUpTo, startSelecting, toggleChosen } from '@/components/history/selection'
import { NameField } from '@/components/ui/name-field'
import { chatHref, isOnChatScreen, openChat } from '@/lib/browser/navigation'
import { renameConversation } from '@/lib/browser/storage/chats'
import type { Conversation } from '@/lib/browser/storage/records'
import { t } from '@/lib/i18n/t'

const MAX_TITLE_CHARS = 120

export type RowContext = {
  openId: string | null
  shownIds: () => string[]
  chosen: ReadonlySet<string> | undefined
  renamingId: string | undefined
  onRenamed: () => void
  onMenu: (chat: Conversation, anchor: HTMLElement) => void
  onDone: (() => void) | undefined
}

type ChatRowProps = { chat: Conversation; context: RowContext }

export function ChatRow({ chat, context }: ChatRowProps) {
  const { openId, shownIds, chosen, renamingId, onRenamed, onMenu, onDone } = context
  if (renamingId === chat.id) {
    const rename = (title?: string) => {
      if (title) void renameConversation(chat.id, title)
      onRenamed()
    }
    return <NameField label={t('Chat title')} name={chat.title} maxChars={MAX_TITLE_CHARS} onDone={rename} />
  }
  const isOpen = chat.id === openId
  const isChosen = chosen?.has(chat.id) === true
  const pick = (event: MouseEvent) => {
    if (event.button !== 0) return
    if (event.shiftKey) {
      event.preventDefault()
      return chooseUpTo(chat.id, shownIds(), openId)
    }
    if (chosen || event.metaKey || event.ctrlKey) {
      event.preventDefault()
      return chosen ? toggleChosen(chat.id) : startSelecting([chat.id])
    }
    if (isOnChatScreen()) {
      event.preventDefault()
      openChat(chat.id)
    }
    onDone?.()
  }
  const carry = (event: DragEvent) => carryChats(event, isChosen && chosen ? [...chosen] : [chat.id])
  const look = isChosen || (isOpen && !chosen) ? 'bg-accent-soft' : 'hover:bg-hover focus-within:bg-hover'
  return (
    <div className={`group relative flex items-center rounded-control ${look}`}>
      {chosen && (
        <input
          type="checkbox"
          aria-label={t('Select {title}', { title: chat.title })}
          checked={isChosen}
          onChange={() => toggleChosen(chat.id)}
          className="ms-2 size-4 shrink-0"
        />
      )}
      <Link
        href={chatHref(chat.id)}
        prefetch={false}
        draggable
        data-chat={chat.id}
        {...readingAhead(chat.id)}
        onClick={pick}
        onDragStart={carry}
        aria-current={isOpen ? 'page' : undefined}
        title={chat.title}
        className="flex min-w-0 flex-1 items-center py-2 ps-2 pe-1 text-14 pointer-coarse:py-3"
      >
        <span dir="auto" className={`min-w-0 truncate ${chat.isUnread ? 'font-medium' : ''}`}>
          {chat.title}
        </span>
        {chat.isUnread && !isOpen && (
          <span className="ms-2 size-2 shrink-0 rounded-chip bg-accent">
            <span className="sr-only">{t(', new answer')}</span>
          </span>
        )}
      </Link>
      {!chosen && (
        <MenuOpener label={t('More for {title}', { title: chat.title })} onMenu={(anchor) => onMenu(chat, anchor)} />
      )}
    </div>
  )
}

const REST_MS = 80
const KEEP_MS = 10_000

let ahead: { chatId: string; stop: Promise<() => void>; end?: ReturnType<typeof setTimeout> } | undefined
let rest: ReturnType<typeof setTimeout> | undefined

/**
 * Reads a chat that is about to be opened: a pointer rests on its name, or presses it. Not a finger, which presses
 * names to scroll past them.
 */
const readingAhead = (chatId: string) => ({
  onPointerMove: ({ pointerType }: PointerEvent) => {
    clearTimeout(rest)
    if (pointerType === 'touch') return
    if (ahead?.chatId === chatId) begin(chatId)
    else rest = setTimeout(() => begin(chatId), REST_MS)
  },
  onPointerDown: ({ pointerType }: PointerEvent) => {
    if (pointerType !== 'touch') begin(chatId)
  },
  onPointerLeave: () => clearTimeout(rest),
})

function begin(chatId: string): void {
  clearTimeout(rest)
  if (ahead?.chatId !== chatId) {
    drop()
    ahead = { chatId, stop: read(chatId) }
  }
  clearTimeout(ahead.end)
  ahead.end = setTimeout(drop, KEEP_MS)
}

function drop(): void {
  clearTimeout(ahead?.end)
  void ahead?.stop.then((stop) => stop())
  ahead = undefined
}

async function read(chatId: string): Promise<() => void> {
  try {
    return (await import('@/lib/browser/storage/use-thread')).readAhead(chatId)
  } catch {
    // Without a connection it is read when it is opened, if it can be.
    return () => undefined
  }
}

type MenuOpenerProps = { label: string; onMenu: (anchor: HTMLElement) => void }

export const MenuOpener = ({ label, onMenu }: MenuOpenerProps) => (
  <button
    type="button"
    aria-label={label}
    aria-haspopup="menu"
    onClick={(event) => onMenu(event.currentTarget)}
    className="inline-flex size-9 shrink-0 items-center justify-center rounded-control text-ink-3 opacity-0 group-hover:opacity-100 focus-visible:opacity-100 hover:text-ink pointer-coarse:size-11 pointer-coarse:opacity-100"
  >
    <Ellipsis aria-hidden="true" className="size-4" strokeWidth={1.5} />
  </button>
)

/** The payload is ids of chats of this device, one a line. Text fields and other programs do not know the type. */
const TYPE = 'application/x-lagoon-chats'
const MAX_IDS = 10_000

function carryChats(event: DragEvent, ids: readonly string[]): void {
  event.dataTransfer.setData(TYPE, ids.join('\n'))
  event.dataTransfer.effectAllowed = 'all'
}

export const isCarryingChats = (event: DragEvent): boolean => event.dataTransfer.types.includes(TYPE)

export function carriedChats(event: DragEvent): string[] {
  return event.dataTransfer.getData(TYPE).split('\n').filter(Boolean).slice(0, MAX_IDS)
}
