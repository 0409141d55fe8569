'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Search } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { type KeyboardEvent, useDeferredValue, useEffect, useId, useRef, useState } from 'react'
import { useActiveOption } from '@/components/ui/combobox'
import { fetchJson } from '@/lib/browser/api'
import { type Found, SEARCH } from '@/lib/contract/docs'
import { t } from '@/lib/i18n/t'

/** Searches while typing. Without scripts it is a form whose answer is a page. */
export function SearchField() {
  const { push } = useRouter()
  const listId = useId()
  const [query, setQuery] = useState('')
  const [isOpen, setIsOpen] = useState(false)
  const { found, isLooking } = useFoundDocs(query)
  const { active, set, move } = useActiveOption(found.map(({ href }) => href))
  const isShown = isOpen && query.trim() !== ''
  const go = (href: string) => {
    setIsOpen(false)
    push(href)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setIsOpen(true)
      if (isShown) move(step)
    }
    if (event.key === 'Escape') {
      // Only the list goes: what was typed stays.
      event.stopPropagation()
      setIsOpen(false)
    }
    // While an input method composes, Enter picks a word; while nothing is found, it asks for the page of results.
    if (event.key === 'Enter' && isShown && active !== undefined && !event.nativeEvent.isComposing) {
      event.preventDefault()
      go(active)
    }
  }
  return (
    <search
      className="relative block"
      onBlur={({ currentTarget, relatedTarget }) => !currentTarget.contains(relatedTarget) && setIsOpen(false)}
    >
      <form
        action={SEARCH}
        className="flex items-center gap-2 rounded-control border border-line bg-surface px-2.5 focus-within:border-control"
      >
        <Search aria-hidden="true" className="size-4 shrink-0 text-ink-3" strokeWidth={1.5} />
        <input
          type="search"
          name="q"
          role="combobox"
          dir="auto"
          aria-label={t('Search docs')}
          aria-expanded={isShown}
          aria-controls={listId}
          aria-activedescendant={isShown && active !== undefined ? optionId(listId, active) : undefined}
          aria-autocomplete="list"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          placeholder={t('Search docs')}
          value={query}
          onChange={(event) => {
            setQuery(event.target.value)
            setIsOpen(true)
          }}
          onFocus={() => setIsOpen(true)}
          onKeyDown={onKeyDown}
          className="min-h-8 min-w-0 flex-1 bg-transparent text-13 outline-none placeholder:text-ink-3 [&::-webkit-search-cancel-button]:hidden"
        />
      </form>
      {isShown && (
        <div className="enter absolute inset-x-0 top-full z-20 mt-1 w-[min(30rem,90vw)] rounded-card border border-line bg-surface shadow-over">
          <FoundList
            id={listId}
            found={found}
            active={active}
            optionId={(href) => optionId(listId, href)}
            onPoint={set}
            onPick={go}
          />
          {found.length === 0 && (
            <p role="status" className="px-3.5 py-3.5 text-13 text-ink-2">
              {isLooking ? t('Searching') : t('No results.')}
            </p>
          )}
        </div>
      )}
    </search>
  )
}

const optionId = (listId: string, href: string): string => `${listId}-${href}`

type FoundListProps = {
  id: string
  found: readonly Found[]
  active: string | undefined
  optionId: (href: string) => string
  onPoint: (href: string) => void
  onPick: (href: string) => void
}

function FoundList({ id, found, active, optionId, onPoint, onPick }: FoundListProps) {
  const list = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: what the arrows are at is shown.
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [active])
  return (
    <div
      ref={list}
      id={id}
      role="listbox"
      aria-label={t('Results')}
      lang="en"
      className={`thin-scroll max-h-[min(28rem,70dvh)] overflow-y-auto ${found.length > 0 ? 'p-1.5' : ''}`}
    >
      {found.map(({ title, place, href, snippet }) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the keys are those of the field, which has the focus.
        <div
          key={href}
          id={optionId(href)}
          role="option"
          aria-selected={href === active}
          onPointerMove={() => onPoint(href)}
          // The field keeps the focus.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onPick(href)}
          className="cursor-pointer rounded-control px-2 py-1.5 aria-selected:bg-hover"
        >
          <SearchHitText {...{ title, place, href }} {...(snippet !== undefined && { snippet })} />
        </div>
      ))}
    </div>
  )
}

const FRESH_MS = 600_000
const NONE: Found[] = []

function useFoundDocs(query: string): { found: Found[]; isLooking: boolean } {
  const text = useDeferredValue(query.trim())
  const { data, isFetching } = useQuery({
    queryKey: ['docs', 'search', text],
    queryFn: ({ signal }) =>
      fetchJson<{ data: Found[] }>(`/api/docs/search?${new URLSearchParams({ q: text })}`, { signal }),
    enabled: text !== '',
    staleTime: FRESH_MS,
    retry: false,
    placeholderData: keepPreviousData,
  })
  return { found: text === '' ? NONE : (data?.data ?? NONE), isLooking: isFetching || text !== query.trim() }
}

export function SearchHitText({ title, place, snippet }: Found) {
  return (
    <>
      <span className="flex items-baseline justify-between gap-3">
        <span className="min-w-0 truncate text-14">{title}</span>
        <span className="max-w-1/2 shrink-0 truncate font-mono text-12 text-ink-3">{place}</span>
      </span>
      {snippet !== undefined && <span className="mt-0.5 line-clamp-2 block text-13 text-ink-2">{snippet}</span>}
    </>
  )
}
