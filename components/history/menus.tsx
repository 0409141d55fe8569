'use client'

import { useLiveQuery } from 'dexie-react-hooks'
import { Archive, Download, FolderInput, Trash2, X } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { type FocusEvent, type ReactNode, useRef, useState } from 'react'
import {
  archiveChats,
  moveChats,
  newFolder,
  pinChats,
  removeChats,
  removeFolder,
  unarchiveChats,
} from '@/components/history/actions'
import { choose, startSelecting, stopSelecting } from '@/components/history/selection'
import { Button, IconButton } from '@/components/ui/button'
import { MENU } from '@/components/ui/menu'
import { FolderItems, Item, Separator, Submenu } from '@/components/ui/menu-parts'
import { showToast } from '@/components/ui/toast'
import { openHistorySheet } from '@/lib/browser/dialogs'
import { saveFile } from '@/lib/browser/save-file'
import { listConversations } from '@/lib/browser/storage/chats'
import { listFolders } from '@/lib/browser/storage/folders-and-tags'
import type { Conversation, Folder } from '@/lib/browser/storage/records'
import { msg, plural, t } from '@/lib/i18n/t'

type RowMenuProps = {
  chat: Conversation
  anchor: HTMLElement
  onClose: () => void
  onRename: () => void
  onNewFolder: (ids: readonly string[]) => void
}

export function RowMenu({ chat, anchor, onClose, onRename, onNewFolder }: RowMenuProps) {
  const folders = useLiveQuery(listFolders) ?? []
  const ids = [chat.id]
  return (
    <FloatingMenu label={t('More for {title}', { title: chat.title })} anchor={anchor} onClose={onClose}>
      <Item onPick={onRename}>{t('Rename')}</Item>
      <Item onPick={() => void pinChats(ids, !chat.isPinned)}>{chat.isPinned ? t('Unpin') : t('Pin')}</Item>
      <Submenu label={t('Move to folder')}>
        <FolderItems
          folders={folders}
          current={chat.folderId}
          onPick={(folder) => void moveChats(ids, folder)}
          onNew={() => onNewFolder(ids)}
        />
      </Submenu>
      <Item onPick={() => openHistorySheet({ kind: 'tags', chatId: chat.id })}>{t('Tags')}</Item>
      {chat.isArchived ? (
        <Item onPick={() => void unarchiveChats(ids)}>{t('Unarchive')}</Item>
      ) : (
        <Item onPick={() => void archiveChats(ids)}>{t('Archive')}</Item>
      )}
      <Item onPick={() => startSelecting(ids)}>{t('Select')}</Item>
      <Separator />
      <Item onPick={() => openHistorySheet({ kind: 'share', chatId: chat.id })}>{t('Share by link')}</Item>
      <Submenu label={t('Export')}>
        <Item onPick={() => void saveChatFile(chat.id, 'markdown')}>Markdown</Item>
        <Item onPick={() => void saveChatFile(chat.id, 'json')}>JSON</Item>
        <Item onPick={() => void saveChatFile(chat.id, 'print')}>{t('Print or save as PDF')}</Item>
      </Submenu>
      <Separator />
      <Item isDanger onPick={() => void removeChats(ids)}>
        {t('Delete')}
      </Item>
    </FloatingMenu>
  )
}

type FolderMenuProps = { folder: Folder; anchor: HTMLElement; onClose: () => void; onRename: () => void }

export function FolderMenu({ folder, anchor, onClose, onRename }: FolderMenuProps) {
  return (
    <FloatingMenu
      label={t('More actions for folder {folder}', { folder: folder.name })}
      anchor={anchor}
      onClose={onClose}
    >
      <Item onPick={onRename}>{t('Rename')}</Item>
      <Item isDanger onPick={() => void removeFolder(folder)}>
        {t('Delete folder')}
      </Item>
    </FloatingMenu>
  )
}

type ListMenuProps = {
  anchor: HTMLElement
  isArchive: boolean
  onClose: () => void
  onNewFolder: () => void
  onArchive: (isShown: boolean) => void
}

export function ListMenu({ anchor, isArchive, onClose, onNewFolder, onArchive }: ListMenuProps) {
  return (
    <FloatingMenu label={t('All chats')} anchor={anchor} onClose={onClose}>
      <Item onPick={onNewFolder}>{t('New folder')}</Item>
      <Item onPick={() => startSelecting()}>{t('Select')}</Item>
      <Item onPick={() => onArchive(!isArchive)}>{isArchive ? t('Back to chats') : t('Archived chats')}</Item>
      <Separator />
      <Item onPick={() => openHistorySheet({ kind: 'archive' })}>{t('Import and export')}</Item>
      <Item onPick={() => openHistorySheet({ kind: 'shares' })}>{t('Shared links')}</Item>
    </FloatingMenu>
  )
}

type FloatingMenuProps = { label: string; anchor: HTMLElement; onClose: () => void; children: ReactNode }

/**
 * Shows one menu for all rows of a list, at the button that was pressed. Opened by key, its first item has the focus.
 */
function FloatingMenu({ label, anchor, onClose, children }: FloatingMenuProps) {
  const { left, top, width, height } = anchor.getBoundingClientRect()
  // Asked of the button and not of the menu, which is not there yet when the key is pressed.
  const isByKeys = useRef(anchor.matches(':focus-visible'))
  const enter = ({ target, currentTarget }: FocusEvent) => {
    if (target !== currentTarget || !isByKeys.current) return
    isByKeys.current = false
    currentTarget.querySelector<HTMLElement>('[role^="menuitem"]:not([data-disabled])')?.focus()
  }
  return (
    <DropdownMenu.Root open onOpenChange={(open) => !open && onClose()}>
      <DropdownMenu.Trigger asChild>
        {/* Stands where the button is, for the menu to hang from. */}
        <span aria-hidden="true" className="pointer-events-none fixed" style={{ left, top, width, height }} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="start"
          sideOffset={2}
          collisionPadding={8}
          aria-label={label}
          aria-labelledby={undefined}
          className={`${MENU} thin-scroll max-h-(--radix-dropdown-menu-content-available-height) overflow-y-auto`}
          onFocus={enter}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            // What was picked may have put the focus somewhere already: a field, a sheet.
            const hasFocus = document.activeElement !== null && document.activeElement !== document.body
            if (!hasFocus && anchor.isConnected) anchor.focus()
          }}
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

export function SelectBar({ chosen }: { chosen: ReadonlySet<string> }) {
  const folders = useLiveQuery(listFolders) ?? []
  const [anchor, setAnchor] = useState<HTMLElement>()
  const ids = [...chosen]
  const act = (action: (ids: readonly string[]) => Promise<void>) => {
    stopSelecting()
    void action(ids)
  }
  const moveToNew = async () => {
    if (await newFolder(ids)) stopSelecting()
  }
  const isNone = ids.length === 0
  return (
    <section aria-label={t('Selected chats')} className="enter shrink-0 border-t border-line p-2">
      <div className="flex items-center justify-between gap-1 ps-2">
        <span role="status" className="text-13 text-ink-2">
          {plural(ids.length, { one: '{count} selected', other: '{count} selected' })}
        </span>
        <span className="flex items-center">
          <Button kind="plain" className="text-13" onClick={() => void chooseAll()}>
            {t('All')}
          </Button>
          <IconButton label={t('Cancel selection')} onClick={stopSelecting}>
            <X aria-hidden="true" />
          </IconButton>
        </span>
      </div>
      <div className="flex items-center justify-between">
        <IconButton label={t('Archive selected chats')} disabled={isNone} onClick={() => act(archiveChats)}>
          <Archive aria-hidden="true" />
        </IconButton>
        <IconButton
          label={t('Move selected chats')}
          aria-haspopup="menu"
          disabled={isNone}
          onClick={(event) => setAnchor(event.currentTarget)}
        >
          <FolderInput aria-hidden="true" />
        </IconButton>
        <IconButton label={t('Export selected chats')} disabled={isNone} onClick={() => act(saveChatsFile)}>
          <Download aria-hidden="true" />
        </IconButton>
        <IconButton
          label={t('Delete selected chats')}
          disabled={isNone}
          onClick={() => act(removeChats)}
          className="hover:text-danger"
        >
          <Trash2 aria-hidden="true" />
        </IconButton>
      </div>
      {anchor && (
        <FloatingMenu label={t('Move to folder')} anchor={anchor} onClose={() => setAnchor(undefined)}>
          <FolderItems
            folders={folders}
            current=""
            onPick={(folder) => act((all) => moveChats(all, folder))}
            onNew={() => void moveToNew()}
          />
        </FloatingMenu>
      )}
    </section>
  )
}

async function chooseAll(): Promise<void> {
  const all = await listConversations()
  choose(all.filter(({ isArchived }) => !isArchived).map(({ id }) => id))
}

const FAILED = msg('The chat couldn’t be saved. Try again.')

async function saveChatFile(chatId: string, kind: 'markdown' | 'json' | 'print'): Promise<void> {
  try {
    const { loadThread } = await import('@/lib/browser/storage/chats')
    const { chatsAsJson, fileName, threadAsMarkdown } = await import('@/components/history/archive/chat-files')
    const thread = await loadThread(chatId)
    if (!thread) return
    const { title } = thread.conversation
    if (kind === 'markdown') {
      saveFile(fileName(title, 'md'), new Blob([threadAsMarkdown(thread)], { type: 'text/markdown' }))
    } else if (kind === 'json') {
      saveFile(fileName(title, 'json'), new Blob([await chatsAsJson([chatId])], { type: 'application/json' }))
    } else {
      const { printThread } = await import('@/components/history/read-only-thread')
      await printThread(thread)
    }
  } catch {
    showToast({ text: t(FAILED) })
  }
}

async function saveChatsFile(ids: readonly string[]): Promise<void> {
  try {
    const { chatsAsJson } = await import('@/components/history/archive/chat-files')
    const day = new Date().toISOString().slice(0, 10)
    saveFile(`chats-${day}.json`, new Blob([await chatsAsJson(ids)], { type: 'application/json' }))
  } catch {
    showToast({ text: t(FAILED) })
  }
}
