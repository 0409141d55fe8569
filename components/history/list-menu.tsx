'use client'

import { FloatingMenu } from '@/components/history/floating-menu'
import { startSelecting } from '@/components/history/selection'
import { Item, Separator } from '@/components/ui/menu-parts'
import { openSheet } from '@/lib/browser/history-sheet'
import { t } from '@/lib/i18n/t'

type ListMenuProps = {
  anchor: HTMLElement
  isArchive: boolean
  onClose: () => void
  onNewFolder: () => void
  onArchive: (isShown: boolean) => void
}

/** What can be done with all chats. */
export function ListMenu({ anchor, isArchive, onClose, onNewFolder, onArchive }: ListMenuProps) {
  return (
    <FloatingMenu label={t('All chats')} anchor={anchor} onClose={onClose}>
      <Item onPick={onNewFolder}>{t('New folder')}</Item>
      <Item onPick={() => startSelecting()}>{t('Select')}</Item>
      <Item onPick={() => onArchive(!isArchive)}>{isArchive ? t('Back to chats') : t('Archived chats')}</Item>
      <Separator />
      <Item onPick={() => openSheet({ kind: 'archive' })}>{t('Import and export')}</Item>
      <Item onPick={() => openSheet({ kind: 'shares' })}>{t('Shared links')}</Item>
    </FloatingMenu>
  )
}
