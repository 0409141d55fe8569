'use client'

import { useLiveQuery } from 'dexie-react-hooks'
import { ArrowLeft, ChevronDown, Folder as FolderIcon } from 'lucide-react'
import dynamic from 'next/dynamic'
import { type DragEvent, type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { HistorySkeleton } from '@/components/common/placeholders'
import { moveChats, newFolder } from '@/components/history/actions'
import { ChatRow, carriedChats, isCarryingChats, MenuOpener, type RowContext } from '@/components/history/chat-row'
import { type Group, groupChats } from '@/components/history/groups'
import { useSelection } from '@/components/history/selection'
import { NameField } from '@/components/ui/name-field'
import { useFocusFallback } from '@/components/ui/use-focus-fallback'
import { useChatId } from '@/lib/browser/navigation'
import { tidy } from '@/lib/browser/storage/blobs'
import { listConversations } from '@/lib/browser/storage/chats'
import { listFolders, MAX_FOLDER_CHARS, renameFolder, tagsOf } from '@/lib/browser/storage/folders-and-tags'
import type { Conversation, Folder } from '@/lib/browser/storage/records'
import { formatNumber, t } from '@/lib/i18n/t'

const MAX_MOUNTED_ROWS = 200

const RowMenu = dynamic(() => import('@/components/history/menus').then((module) => module.RowMenu), { ssr: false })
const FolderMenu = dynamic(() => import('@/components/history/menus').then((module) => module.FolderMenu), {
  ssr: false,
})
const ListMenu = dynamic(() => import('@/components/history/menus').then((module) => module.ListMenu), { ssr: false })
const VirtualRows = dynamic(() => import('@/components/history/virtual-rows').then((module) => module.VirtualRows), {
  ssr: false,
})

type Menu = { anchor: HTMLElement } & ({ chat: Conversation } | { folder: Folder } | { all: true })

type ChatListProps = {
  scroller: RefObject<HTMLElement | null>
  menuAnchor: HTMLElement | undefined
  onMenuClosed: () => void
  onDone: (() => void) | undefined
}

export function ChatList({ scroller, menuAnchor, onMenuClosed, onDone }: ChatListProps) {
  // A database that is closed is no error to a live query, which would wait for it for ever.
  const chats = useLiveQuery(() => listConversations().catch(() => null))
  const folders = useLiveQuery(listFolders)
  const openId = useChatId()
  const selection = useSelection()
  const [isArchive, setIsArchive] = useState(false)
  const [tag, setTag] = useState<string>()
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  const [renamingId, setRenamingId] = useState<string>()
  const [picked, setPicked] = useState<Menu>()
  const list = useRef<HTMLDivElement>(null)
  useFocusFallback(list, (focused) => {
    const at = rowsIn(list.current).findIndex((row) => row.contains(focused))
    return () =>
      (rowsIn(list.current)[at] ?? rowsIn(list.current).at(-1))?.querySelector<HTMLElement>(
        'a, input:not([type=checkbox])',
      )
  })
  const menu: Menu | undefined = menuAnchor ? { anchor: menuAnchor, all: true } : picked
  useEffect(() => {
    // What was deleted in a tab that then closed is removed here.
    void tidy()
  }, [])
  if (chats === null) throw new Error('The chats of this browser cannot be read.')
  if (!chats || !folders) return <HistorySkeleton />

  const groups = groupChats(chats, folders, Date.now(), { isArchive, tag })
  const rowsOf = (group: Group) => (closed.has(group.key) ? [] : group.chats)
  const context: RowContext = {
    openId,
    shownIds: () => groups.flatMap((group) => rowsOf(group).map(({ id }) => id)),
    chosen: selection?.ids,
    renamingId,
    onRenamed: () => setRenamingId(undefined),
    onMenu: (chat, anchor) => setPicked({ chat, anchor }),
    onDone,
  }
  const toggle = (key: string) => {
    const next = new Set(closed)
    if (!next.delete(key)) next.add(key)
    setClosed(next)
  }
  const addFolder = async (ids: readonly string[] = []) => {
    const folder = await newFolder(ids)
    if (!folder) return
    setIsArchive(false)
    setRenamingId(folder.id)
  }
  const headOf = (group: Group) => (
    <GroupHead
      group={group}
      isClosed={closed.has(group.key)}
      onToggle={() => toggle(group.key)}
      isRenaming={group.folder !== undefined && renamingId === group.folder.id}
      onRenamed={() => setRenamingId(undefined)}
      onMenu={(folder, anchor) => setPicked({ folder, anchor })}
    />
  )
  const closeMenu = () => {
    setPicked(undefined)
    onMenuClosed()
  }
  const tags = tagsOf(chats)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys are a shortcut over what Tab reaches too
    <div ref={list} onKeyDown={moveFocus}>
      {isArchive && (
        <button
          type="button"
          onClick={() => setIsArchive(false)}
          className="mt-1 flex min-h-9 items-center gap-2 rounded-control px-2 text-13 text-ink-2 hover:bg-hover hover:text-ink pointer-coarse:min-h-11"
        >
          <ArrowLeft aria-hidden="true" className="size-4 rtl:-scale-x-100" strokeWidth={1.5} />
          {t('Back to chats')}
        </button>
      )}
      {tags.length > 0 && <TagChips tags={tags} tag={tag} onTag={setTag} />}
      {groups.length === 0 && <Nothing isArchive={isArchive} tag={tag} />}
      {chats.length > MAX_MOUNTED_ROWS ? (
        <VirtualRows scroller={scroller} groups={groups} rowsOf={rowsOf} headOf={headOf} context={context} />
      ) : (
        groups.map((group) => (
          <section key={group.key} aria-label={group.title}>
            {headOf(group)}
            <ul>
              {rowsOf(group).map((chat) => (
                <li key={chat.id} className={group.folder ? 'ps-3' : ''}>
                  <ChatRow chat={chat} context={context} />
                </li>
              ))}
            </ul>
            {group.folder && group.chats.length === 0 && !closed.has(group.key) && (
              <p className="ps-8 pb-1 text-13 text-ink-3">{t('No chats in this folder.')}</p>
            )}
          </section>
        ))
      )}
      {menu && 'chat' in menu && (
        <RowMenu
          chat={menu.chat}
          anchor={menu.anchor}
          onClose={closeMenu}
          onRename={() => setRenamingId(menu.chat.id)}
          onNewFolder={(ids) => void addFolder(ids)}
        />
      )}
      {menu && 'folder' in menu && (
        <FolderMenu
          folder={menu.folder}
          anchor={menu.anchor}
          onClose={closeMenu}
          onRename={() => setRenamingId(menu.folder.id)}
        />
      )}
      {menu && 'all' in menu && (
        <ListMenu
          anchor={menu.anchor}
          isArchive={isArchive}
          onClose={closeMenu}
          onNewFolder={() => void addFolder()}
          onArchive={setIsArchive}
        />
      )}
    </div>
  )
}

function Nothing({ isArchive, tag }: { isArchive: boolean; tag: string | undefined }) {
  const text = isArchive
    ? t('No archived chats. Chats you archive appear here.')
    : tag !== undefined
      ? t('No results.')
      : t('Your chats appear here and stay on this device.')
  return <p className="px-2 pt-6 text-14 text-ink-3">{text}</p>
}

const rowsIn = (list: HTMLElement | null): HTMLElement[] => [...(list?.querySelectorAll('li') ?? [])]

function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const isModified = event.metaKey || event.ctrlKey || event.altKey
  if (isModified || !(event.target instanceof HTMLElement) || !event.target.matches('a[data-chat]')) return
  const step =
    event.key === 'ArrowDown' || event.key === 'j' ? 1 : event.key === 'ArrowUp' || event.key === 'k' ? -1 : 0
  if (step === 0) return
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('a[data-chat]')]
  event.preventDefault()
  links[links.indexOf(event.target) + step]?.focus()
}

type TagChipsProps = { tags: readonly string[]; tag: string | undefined; onTag: (tag: string | undefined) => void }

function TagChips({ tags, tag, onTag }: TagChipsProps) {
  return (
    <fieldset className="thin-scroll flex gap-1 overflow-x-auto px-2 pt-2 pb-1">
      <legend className="sr-only">{t('Tags')}</legend>
      {tags.map((name) => (
        <button
          key={name}
          type="button"
          dir="auto"
          aria-pressed={tag === name}
          onClick={() => onTag(tag === name ? undefined : name)}
          className="min-h-7 shrink-0 rounded-chip border border-line px-2.5 text-12 text-ink-2 hover:border-control aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-ink pointer-coarse:min-h-11"
        >
          {name}
        </button>
      ))}
    </fieldset>
  )
}

type GroupHeadProps = {
  group: Group
  isClosed: boolean
  onToggle: () => void
  isRenaming: boolean
  onRenamed: () => void
  onMenu: (folder: Folder, anchor: HTMLElement) => void
}

function GroupHead({ group, isClosed, onToggle, isRenaming, onRenamed, onMenu }: GroupHeadProps) {
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
