'use client'

import { ChevronDown, Folder as FolderIcon } from 'lucide-react'
import { type DragEvent, useState } from 'react'
import { moveChats } from '@/components/history/actions'
import { carriedChats, isCarryingChats } from '@/components/history/carry'
import type { Group } from '@/components/history/groups'
import { MenuOpener } from '@/components/history/menu-opener'
import { NameField } from '@/components/ui/name-field'
import type { Folder } from '@/lib/browser/storage/records'
import { MAX_FOLDER_CHARS, renameFolder } from '@/lib/browser/storage/shelf'
import { formatNumber, t } from '@/lib/i18n/t'

type GroupHeadProps = {
  group: Group
  isClosed: boolean
  onToggle: () => void
  isRenaming: boolean
  onRenamed: () => void
  onMenu: (folder: Folder, anchor: HTMLElement) => void
}

/** The heading of a group; chats are dropped on it. A folder opens, closes and has a menu. */
export function GroupHead({ group, isClosed, onToggle, isRenaming, onRenamed, onMenu }: GroupHeadProps) {
  const { kind, title, folder, chats } = group
  const drop = useDrop(kind === 'folder' || kind === 'period' ? (ids) => void moveChats(ids, folder) : undefined)
  if (!folder) {
    return (
      <h2 {...drop.handlers} className={`rounded-control px-2 pt-4 pb-1 text-12 font-medium text-ink-3 ${drop.look}`}>
        {title}
      </h2>
    )
  }
  if (isRenaming) {
    const rename = (name?: string) => {
      if (name) void renameFolder(folder.id, name)
      onRenamed()
    }
    return (
      <div className="pt-2">
        <NameField label={t('Folder name')} name={folder.name} maxChars={MAX_FOLDER_CHARS} onDone={rename} />
      </div>
    )
  }
  return (
    <div {...drop.handlers} className={`group relative mt-2 flex items-center rounded-control ${drop.look}`}>
      <h2 className="min-w-0 flex-1">
        <button
          type="button"
          aria-expanded={!isClosed}
          onClick={onToggle}
          title={folder.name}
          className="flex min-h-9 w-full items-center gap-2 rounded-control px-2 text-start text-13 font-medium text-ink-2 hover:text-ink pointer-coarse:min-h-11"
        >
          <FolderIcon aria-hidden="true" className="size-4 shrink-0 text-ink-3" strokeWidth={1.5} />
          <span dir="auto" className="min-w-0 truncate">
            {folder.name}
          </span>
          <ChevronDown
            aria-hidden="true"
            className={`size-3.5 shrink-0 text-ink-3 transition-transform ${isClosed ? '-rotate-90 rtl:rotate-90' : ''}`}
            strokeWidth={1.5}
          />
          {isClosed && chats.length > 0 && (
            <span className="text-12 font-normal text-ink-3">{formatNumber(chats.length)}</span>
          )}
        </button>
      </h2>
      <MenuOpener
        label={t('More actions for folder {folder}', { folder: folder.name })}
        onMenu={(anchor) => onMenu(folder, anchor)}
      />
    </div>
  )
}

/** Lets chats be dropped on an element, and shows that they would be. */
function useDrop(onDrop: ((ids: string[]) => void) | undefined) {
  const [isOver, setIsOver] = useState(false)
  if (!onDrop) return { handlers: {}, look: '' }
  const handlers = {
    onDragOver: (event: DragEvent) => {
      if (!isCarryingChats(event)) return
      event.preventDefault()
      event.dataTransfer.dropEffect = 'move'
      setIsOver(true)
    },
    onDragLeave: () => setIsOver(false),
    onDrop: (event: DragEvent) => {
      if (!isCarryingChats(event)) return
      event.preventDefault()
      event.stopPropagation()
      setIsOver(false)
      onDrop(carriedChats(event))
    },
  }
  return { handlers, look: isOver ? 'bg-accent-soft outline-2 outline-accent' : '' }
}
