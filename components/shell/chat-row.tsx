'use client'

import { Ellipsis } from 'lucide-react'
import Link from 'next/link'
import { DropdownMenu } from 'radix-ui'
import { type MouseEvent, useState } from 'react'
import { chatHref, isOnChatScreen, openChat } from '@/components/shell/navigation'
import { MENU, MENU_ITEM } from '@/components/ui/menu'
import { showToast } from '@/components/ui/toast'
import {
  type Conversation,
  deleteConversation,
  purgeDeleted,
  renameConversation,
  restoreConversation,
} from '@/lib/client/history'
import { UNDO_MS } from '@/lib/client/undo'

const MAX_TITLE_CHARS = 120

type ChatRowProps = { chat: Conversation; isOpen: boolean; onDone?: () => void }

/** One chat in the sidebar: open, rename, delete. */
export function ChatRow({ chat, isOpen, onDone }: ChatRowProps) {
  const [isRenaming, setIsRenaming] = useState(false)
  if (isRenaming) return <TitleField chat={chat} onDone={() => setIsRenaming(false)} />

  const open = (event: MouseEvent) => {
    const isPlain = !event.metaKey && !event.ctrlKey && !event.shiftKey && event.button === 0
    if (isPlain && isOnChatScreen()) {
      event.preventDefault()
      openChat(chat.id)
    }
    if (isPlain) onDone?.()
  }
  return (
    <li
      className={`group relative flex items-center rounded-control ${isOpen ? 'bg-accent-soft' : 'hover:bg-hover focus-within:bg-hover'}`}
    >
      <Link
        href={chatHref(chat.id)}
        prefetch={false}
        onClick={open}
        aria-current={isOpen ? 'page' : undefined}
        title={chat.title}
        className="min-w-0 flex-1 truncate py-2 ps-2 pe-1 text-14 pointer-coarse:py-3"
      >
        {chat.title}
      </Link>
      <DropdownMenu.Root>
        <DropdownMenu.Trigger
          aria-label={`More for ${chat.title}`}
          className="inline-flex size-9 shrink-0 items-center justify-center rounded-control text-ink-3 opacity-0 group-hover:opacity-100 focus-visible:opacity-100 data-[state=open]:opacity-100 hover:text-ink pointer-coarse:size-11 pointer-coarse:opacity-100"
        >
          <Ellipsis aria-hidden="true" className="size-4" strokeWidth={1.5} />
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content
            align="start"
            sideOffset={2}
            className={MENU}
            onCloseAutoFocus={(event) => event.preventDefault()}
          >
            <DropdownMenu.Item className={MENU_ITEM} onSelect={() => setIsRenaming(true)}>
              Rename
            </DropdownMenu.Item>
            <DropdownMenu.Item className={`${MENU_ITEM} text-danger`} onSelect={() => void remove(chat, isOpen)}>
              Delete
            </DropdownMenu.Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
    </li>
  )
}

/** Deletes at once and offers to take it back; what is left then is removed for good. */
export async function remove(chat: Conversation, isOpen: boolean): Promise<void> {
  // What answers is on the page only where something was asked.
  const { stopRun } = await import('@/components/chat/runs')
  stopRun(chat.id)
  await deleteConversation(chat.id)
  if (isOpen) openChat(null)
  setTimeout(() => void purgeDeleted(Date.now() - UNDO_MS), UNDO_MS + 500)
  showToast({
    text: 'Chat deleted',
    lastsMs: UNDO_MS,
    action: {
      label: 'Undo',
      run: () => {
        void restoreConversation(chat.id)
        if (isOpen) openChat(chat.id)
      },
    },
  })
}

function TitleField({ chat, onDone }: { chat: Conversation; onDone: () => void }) {
  const [title, setTitle] = useState(chat.title)
  const save = () => {
    const trimmed = title.trim()
    if (trimmed && trimmed !== chat.title) void renameConversation(chat.id, trimmed)
    onDone()
  }
  return (
    <li>
      <input
        // biome-ignore lint/a11y/noAutofocus: the person just asked to rename this chat
        autoFocus
        aria-label="Title of the chat"
        value={title}
        maxLength={MAX_TITLE_CHARS}
        onChange={(event) => setTitle(event.target.value)}
        onFocus={(event) => event.target.select()}
        onBlur={save}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.nativeEvent.isComposing) save()
          if (event.key === 'Escape') {
            event.preventDefault()
            onDone()
          }
        }}
        className="min-h-9 w-full rounded-control border border-control bg-surface px-2 text-14 pointer-coarse:min-h-11 pointer-coarse:text-16"
      />
    </li>
  )
}
