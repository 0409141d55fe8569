'use client'

import { Search } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { type KeyboardEvent, useId, useState } from 'react'
import { FoundList } from '@/components/docs/found-list'
import { useFoundDocs } from '@/components/docs/use-found-docs'
import { useActiveOption } from '@/components/ui/combobox'
import { SEARCH } from '@/lib/contract/docs-addresses'
import { t } from '@/lib/i18n/t'

/** Searches while one types. Without scripts it is a form, whose answer is a page. */
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
