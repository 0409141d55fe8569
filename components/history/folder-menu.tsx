'use client'

import { removeFolder } from '@/components/history/actions'
import { FloatingMenu } from '@/components/history/floating-menu'
import { Item } from '@/components/ui/menu-parts'
import type { Folder } from '@/lib/browser/storage/records'
import { t } from '@/lib/i18n/t'

type FolderMenuProps = { folder: Folder; anchor: HTMLElement; onClose: () => void; onRename: () => void }

/** What can be done with a folder. */
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
