'use client'

import { useLiveQuery } from 'dexie-react-hooks'
import { Ellipsis, Search, X } from 'lucide-react'
import dynamic from 'next/dynamic'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { HistorySkeleton } from '@/components/common/placeholders'
import { ChatList } from '@/components/history/chat-list'
import { useSelection } from '@/components/history/selection'
import { IconButton } from '@/components/ui/button'
import { useHistorySheet } from '@/lib/browser/dialogs'
import { useTitleCount } from '@/lib/browser/document-title'
import { useChatId } from '@/lib/browser/navigation'
import { listConversations, setUnread } from '@/lib/browser/storage/chats'
import { t } from '@/lib/i18n/t'

const loadResults = () => import('@/components/history/search-results').then((module) => module.SearchResults)
const SearchResults = dynamic(loadResults, { ssr: false, loading: () => <HistorySkeleton /> })
const SelectBar = dynamic(() => import('@/components/history/menus').then((module) => module.SelectBar), { ssr: false })
const HistorySheets = dynamic(() => import('@/components/history/sheets').then((module) => module.HistorySheets), {
  ssr: false,
})

type HistoryPanelProps = { onDone?: () => void }

export function HistoryPanel({ onDone }: HistoryPanelProps) {
  const [query, setQuery] = useState('')
  const [menuAnchor, setMenuAnchor] = useState<HTMLElement>()
  const scroller = useRef<HTMLElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const resultsId = useId()
  const results = useRef<{ onKey: (event: KeyboardEvent) => void } | null>(null)
  const selection = useSelection()
  const isSearching = query.trim() !== ''
  const close = () => setQuery('')
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && query !== '') {
      event.preventDefault()
      event.stopPropagation()
      return close()
    }
    if (!event.nativeEvent.isComposing) results.current?.onKey(event)
  }
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex shrink-0 items-center gap-0.5 px-2 pt-1 pb-1">
        <div className="relative min-w-0 flex-1">
          <Search
            aria-hidden="true"
            className="pointer-events-none absolute inset-y-0 start-2 my-auto size-4 text-ink-3"
            strokeWidth={1.5}
          />
          <input
            ref={field}
            role="combobox"
            dir="auto"
            aria-label={t('Search chats')}
            aria-autocomplete="list"
            aria-expanded={isSearching}
            aria-controls={isSearching ? resultsId : undefined}
            placeholder={t('Search chats')}
            autoComplete="off"
            enterKeyHint="search"
            value={query}
            onFocus={() => void loadResults()}
            onChange={(event) => setQuery(event.target.value)}
            onKeyDown={onKey}
            className="min-h-9 w-full rounded-control border border-line bg-surface ps-8 pe-8 text-14 placeholder:text-ink-3 hover:border-control pointer-coarse:min-h-11 pointer-coarse:text-16"
          />
          {query !== '' && (
            <IconButton label={t('Clear search')} onClick={close} className="absolute! inset-y-0 end-0 size-9">
              <X aria-hidden="true" />
            </IconButton>
          )}
        </div>
        <IconButton
          label={t('All chats')}
          aria-haspopup="menu"
          onClick={(event) => {
            close()
            setMenuAnchor(event.currentTarget)
          }}
        >
          <Ellipsis aria-hidden="true" />
        </IconButton>
      </div>
      <nav ref={scroller} aria-label={t('History')} className="thin-scroll min-h-0 flex-1 overflow-y-auto px-2 pb-4">
        {isSearching ? (
          <SearchResults ref={results} query={query} id={resultsId} field={field} onOpened={close} onDone={onDone} />
        ) : (
          <ChatList
            scroller={scroller}
            menuAnchor={menuAnchor}
            onMenuClosed={() => setMenuAnchor(undefined)}
            onDone={onDone}
          />
        )}
      </nav>
      {selection && <SelectBar chosen={selection.ids} />}
      {!onDone && <Watch />}
    </div>
  )
}

function Watch() {
  const chatId = useChatId()
  const sheet = useHistorySheet()
  const unread = useLiveQuery(async () => (await listConversations()).filter((chat) => chat.isUnread)) ?? []
  useReading(
    chatId,
    unread.some(({ id }) => id === chatId),
  )
  useTitleCount(unread.filter(({ id }) => id !== chatId).length)
  return sheet ? <HistorySheets sheet={sheet} /> : null
}

function useReading(chatId: string | null, isUnread: boolean): void {
  useEffect(() => {
    if (chatId === null || !isUnread) return
    const read = () => {
      if (document.visibilityState === 'visible') void setUnread(chatId, false)
    }
    read()
    document.addEventListener('visibilitychange', read)
    return () => document.removeEventListener('visibilitychange', read)
  }, [chatId, isUnread])
}
