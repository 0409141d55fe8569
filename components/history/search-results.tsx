'use client'

import { useQuery } from '@tanstack/react-query'
import { useLiveQuery } from 'dexie-react-hooks'
import { useRouter } from 'next/navigation'
import {
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useDeferredValue,
  useEffect,
  useImperativeHandle,
  useRef,
  useState,
} from 'react'
import { HistorySkeleton } from '@/components/common/placeholders'
import { Button } from '@/components/ui/button'
import { chatHref, isOnChatScreen, messageHref, openChat } from '@/lib/browser/navigation'
import type { Hit, SearchFilters } from '@/lib/browser/search/chat-search'
import { searchChats, warmSearch } from '@/lib/browser/search/search'
import type { Piece } from '@/lib/browser/search/snippet'
import { listConversations } from '@/lib/browser/storage/chats'
import { listFolders, tagsOf } from '@/lib/browser/storage/folders-and-tags'
import type { Folder } from '@/lib/browser/storage/records'
import { formatDate, msg, plural, t } from '@/lib/i18n/t'

type SearchResultsProps = {
  ref: Ref<{ onKey: (event: KeyboardEvent) => void }>
  query: string
  id: string
  field: { current: HTMLInputElement | null }
  onOpened: () => void
  onDone: (() => void) | undefined
}

export function SearchResults({ ref, query, id, field, onOpened, onDone }: SearchResultsProps) {
  const { push } = useRouter()
  const [filters, setFilters] = useState<SearchFilters>({})
  const [chosen, setChosen] = useState(0)
  const [awaited, setAwaited] = useState<string>()
  const list = useRef<HTMLDivElement>(null)
  const terms = query.trim()
  const deferredTerms = useDeferredValue(terms)
  useEffect(warmSearch, [])
  const chats = useLiveQuery(listConversations)
  const folders = useLiveQuery(listFolders) ?? []
  const found = useQuery({
    queryKey: ['history-search', deferredTerms, filters],
    queryFn: () => searchChats(deferredTerms, filters),
    placeholderData: (previous) => previous,
    // What is found changes with every message that is written.
    staleTime: 0,
    gcTime: 0,
    retry: false,
  })
  const hits = found.data ?? []
  const isCurrent = deferredTerms === terms && !found.isPending && !found.isPlaceholderData
  const current = Math.min(chosen, Math.max(0, hits.length - 1))
  const open = (hit: Hit) => {
    if (isOnChatScreen()) openChat(hit.conversationId, hit.messageId)
    else push(hit.messageId ? messageHref(hit.conversationId, hit.messageId) : chatHref(hit.conversationId))
    onOpened()
    onDone?.()
  }
  const choose = (index: number) => {
    setChosen(index)
    list.current?.children[index]?.scrollIntoView({ block: 'nearest' })
  }
  const onKey = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0 && hits.length > 0) {
      event.preventDefault()
      choose((current + step + hits.length) % hits.length)
    }
    if (event.key !== 'Enter') return
    event.preventDefault()
    const hit = hits[current]
    // What is listed was found for other words: who types fast means what these will find.
    if (!isCurrent) setAwaited(terms)
    else if (hit) open(hit)
  }
  useImperativeHandle(ref, () => ({ onKey }))
  useEffect(() => {
    if (awaited === undefined || (awaited === terms && !isCurrent)) return
    setAwaited(undefined)
    if (awaited === terms && hits[0]) open(hits[0])
  })
  useEffect(() => {
    const active = hits.length > 0 ? `${id}-${current}` : undefined
    if (active) field.current?.setAttribute('aria-activedescendant', active)
    else field.current?.removeAttribute('aria-activedescendant')
    const input = field.current
    return () => input?.removeAttribute('aria-activedescendant')
  }, [field, id, current, hits.length])

  if (found.isError) {
    return (
      <div className="px-2 pt-4 text-14 text-ink-2">
        <p>{t('Could not search your chats.')}</p>
        <Button className="mt-2" onClick={() => void found.refetch()}>
          {t('Search again')}
        </Button>
      </div>
    )
  }
  return (
    <>
      <SearchFilterRow
        filters={filters}
        onChange={(next) => {
          setFilters(next)
          setChosen(0)
        }}
        folders={folders}
        tags={tagsOf(chats ?? [])}
        models={[...new Set((chats ?? []).map(({ modelId }) => modelId))].filter(Boolean).toSorted()}
      />
      {found.isPending && <HistorySkeleton />}
      <p role="status" className={found.isSuccess && hits.length === 0 ? 'px-2 pt-4 text-14 text-ink-3' : 'sr-only'}>
        {found.isSuccess && (hits.length === 0 ? t('No results in your chats.') : matchesText(hits.length))}
      </p>
      <div ref={list} id={id} role="listbox" aria-label={t('Results in your chats')} className="pt-1">
        {hits.map((hit, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: the field has the focus and the keys; the list is for pointers
          <div
            key={hit.messageId ?? hit.conversationId}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === current}
            onClick={() => open(hit)}
            className="cursor-pointer rounded-control px-2 py-2 hover:bg-hover aria-selected:bg-accent-soft"
          >
            <span className="flex items-baseline gap-2">
              <span dir="auto" className="min-w-0 flex-1 truncate text-14">
                <Pieces pieces={hit.titlePieces} />
              </span>
              <span className="shrink-0 text-12 text-ink-3">{dayText(hit.at)}</span>
            </span>
            {hit.snippet && (
              <span dir="auto" className="mt-0.5 line-clamp-2 text-13 text-ink-2 wrap-anywhere">
                <Pieces pieces={hit.snippet} />
              </span>
            )}
            {hit.isArchived && <span className="text-12 text-ink-3">{t('Archived')}</span>}
          </div>
        ))}
      </div>
    </>
  )
}

const matchesText = (count: number): string => plural(count, { one: '{count} match', other: '{count} matches' })

function Pieces({ pieces }: { pieces: readonly Piece[] }) {
  return pieces.map(({ text, isMark }, index) =>
    isMark ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no other name
      <mark key={index} className="bg-transparent font-medium text-accent">
        {text}
      </mark>
    ) : (
      text
    ),
  )
}

const dayText = (time: number): string => formatDate(time, { day: 'numeric', month: 'short', year: '2-digit' })

const DAY_MS = 86_400_000
const DAYS = [
  { value: '', label: msg('Any time') },
  { value: '1', label: msg('Since yesterday') },
  { value: '7', label: msg('Last 7 days') },
  { value: '30', label: msg('Last 30 days') },
  { value: '365', label: msg('Last 12 months') },
]

type SearchFilterRowProps = {
  filters: SearchFilters
  onChange: (filters: SearchFilters) => void
  folders: readonly Folder[]
  tags: readonly string[]
  models: readonly string[]
}

function SearchFilterRow({ filters, onChange, folders, tags, models }: SearchFilterRowProps) {
  const { role, modelId, folderId, tag, from } = filters
  const today = new Date().setHours(0, 0, 0, 0)
  const days = DAYS.find(({ value }) => value !== '' && today - Number(value) * DAY_MS === from)?.value ?? ''
  // An empty choice takes the filter away.
  const put = (name: keyof SearchFilters, value: string | number | undefined) => {
    const { [name]: _, ...others } = filters
    onChange(value === undefined || value === '' ? others : { ...others, [name]: value })
  }
  return (
    <div className="thin-scroll flex gap-1 overflow-x-auto py-1">
      <Choice label={t('Sender')} value={role ?? ''} onPick={(value) => put('role', value)}>
        <option value="">{t('Anyone')}</option>
        <option value="user">{t('You')}</option>
        <option value="assistant">{t('Models')}</option>
      </Choice>
      <Choice label={t('Date')} value={days} onPick={(value) => put('from', value && today - Number(value) * DAY_MS)}>
        {DAYS.map(({ value, label }) => (
          <option key={value} value={value}>
            {t(label)}
          </option>
        ))}
      </Choice>
      {folders.length > 0 && (
        <Choice label={t('Folder')} value={folderId ?? ''} onPick={(value) => put('folderId', value)}>
          <option value="">{t('All folders')}</option>
          {folders.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Choice>
      )}
      {tags.length > 0 && (
        <Choice label={t('Tag')} value={tag ?? ''} onPick={(value) => put('tag', value)}>
          <option value="">{t('All tags')}</option>
          {tags.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </Choice>
      )}
      {models.length > 1 && (
        <Choice label={t('Model')} value={modelId ?? ''} onPick={(value) => put('modelId', value)}>
          <option value="">{t('All models')}</option>
          {models.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </Choice>
      )}
    </div>
  )
}

type ChoiceProps = { label: string; value: string; onPick: (value: string) => void; children: ReactNode }

function Choice({ label, value, onPick, children }: ChoiceProps) {
  return (
    <select
      aria-label={label}
      value={value}
      onChange={(event) => onPick(event.target.value)}
      className={`min-h-7 max-w-32 shrink-0 rounded-chip border bg-surface px-2 text-12 hover:border-control pointer-coarse:min-h-11 ${value ? 'border-accent text-ink' : 'border-line text-ink-2'}`}
    >
      {children}
    </select>
  )
}
