'use client'

import { useLiveQuery } from 'dexie-react-hooks'
import {
  archiveChats,
  moveChats,
  pinChats,
  removeChats,
  removeFolder,
  unarchiveChats,
} from '@/components/history/actions'
import { saveChatFile } from '@/components/history/archive/save-chat'
import { FloatingMenu } from '@/components/history/floating-menu'
import { startSelecting } from '@/components/history/selection'
import { FolderItems, Item, Separator, Submenu } from '@/components/ui/menu-parts'
import { openHistorySheet } from '@/lib/browser/dialogs'
import { listFolders } from '@/lib/browser/storage/folders-and-tags'
import type { Conversation, Folder } from '@/lib/browser/storage/records'
import { t } from '@/lib/i18n/t'

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
