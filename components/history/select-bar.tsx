'use client'

import { useLiveQuery } from 'dexie-react-hooks'
import { Archive, Download, FolderInput, Trash2, X } from 'lucide-react'
import { useState } from 'react'
import { archiveChats, moveChats, removeChats } from '@/components/history/actions'
import { saveChatsFile } from '@/components/history/archive/save-chat'
import { FloatingMenu } from '@/components/history/floating-menu'
import { choose, stopSelecting } from '@/components/history/selection'
import { Button, IconButton } from '@/components/ui/button'
import { FolderItems } from '@/components/ui/menu-parts'
import { showToast } from '@/components/ui/toast'
import { listConversations } from '@/lib/browser/storage/chats'
import { listFolders, makeFolder } from '@/lib/browser/storage/folders-and-tags'
import { plural, t } from '@/lib/i18n/t'

export function SelectBar({ chosen }: { chosen: ReadonlySet<string> }) {
  const folders = useLiveQuery(listFolders) ?? []
  const [anchor, setAnchor] = useState<HTMLElement>()
  const ids = [...chosen]
  const act = (action: (ids: readonly string[]) => Promise<void>) => {
    stopSelecting()
    void action(ids)
  }
  const moveToNew = async () => {
    try {
      const folder = await makeFolder(t('New folder'))
      act((all) => moveChats(all, folder))
    } catch (error) {
      showToast({ text: error instanceof Error ? error.message : t('The folder couldn’t be created. Try again.') })
    }
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
