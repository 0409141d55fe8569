'use client'

import { Search } from 'lucide-react'
import type { ReactNode } from 'react'
import type { CharacterFilter } from '@/lib/browser/characters'
import { CATEGORIES, type SORTS } from '@/lib/contract/characters/character'
import { msg, t } from '@/lib/i18n/t'

type GalleryFiltersProps = { state: GalleryState; onChange: (changes: Partial<GalleryState>) => void }

export function GalleryFilters({ state, onChange }: GalleryFiltersProps) {
  const { section, category, tag, isAdult, sortBy } = state
  const isAll = section === 'all'
  return (
    <search aria-label={t('Characters')} className="block space-y-3">
      <div className="flex flex-wrap items-center gap-2">
        <label className="flex min-h-10 min-w-48 flex-1 basis-full items-center sm:basis-0 gap-2 rounded-control border border-control bg-surface px-3 focus-within:border-accent pointer-coarse:min-h-11">
          <Search aria-hidden="true" className="size-4 shrink-0 text-ink-3" strokeWidth={1.5} />
          <input
            type="search"
            dir="auto"
            aria-label={t('Search characters')}
            placeholder={t('Search names, descriptions, #tags')}
            value={state.search}
            maxLength={200}
            onChange={(event) => onChange({ search: event.target.value })}
            className="min-w-0 flex-1 bg-transparent text-14 outline-none placeholder:text-ink-3 pointer-coarse:text-16 [&::-webkit-search-cancel-button]:hidden"
          />
        </label>
        <select
          aria-label={t('Sort')}
          value={sortBy}
          disabled={!isAll}
          onChange={(event) => onChange({ sortBy: event.target.value as GalleryState['sortBy'] })}
          className="min-h-10 rounded-control border border-control bg-surface px-2.5 text-14 disabled:opacity-50 pointer-coarse:min-h-11 pointer-coarse:text-16"
        >
          {SORT_NAMES.map((sort) => (
            <option key={sort.sortBy} value={sort.sortBy}>
              {t(sort.name)}
            </option>
          ))}
        </select>
        <button
          type="button"
          role="switch"
          aria-checked={isAdult}
          disabled={!isAll}
          title={t('Show only characters for adults')}
          onClick={() => onChange({ isAdult: !isAdult })}
          className={`min-h-10 rounded-control border px-3 text-14 whitespace-nowrap disabled:opacity-50 pointer-coarse:min-h-11 ${isAdult ? 'border-accent bg-accent-soft text-accent' : 'border-control text-ink-2'}`}
        >
          {t('Adult')} <span aria-hidden="true">{isAdult ? t('on') : t('off')}</span>
        </button>
      </div>
      <Chips label={t('Filters')}>
        {SHELVES.map(({ section: one, name }) => (
          <Chip
            key={one}
            isOn={section === one && !category}
            onClick={() => onChange({ section: one, category: '', tag: '' })}
          >
            {t(name)}
          </Chip>
        ))}
        <li aria-hidden="true" className="mx-1 w-px shrink-0 self-stretch bg-line" />
        {CATEGORY_LIST.map((one) => (
          <Chip
            key={one.category}
            isOn={category === one.category}
            onClick={() => onChange({ section: 'all', category: category === one.category ? '' : one.category })}
          >
            {t(one.name)}
          </Chip>
        ))}
      </Chips>
      {tag && (
        <p className="flex items-center gap-2 text-13 text-ink-2">
          <span>{t('Tag: “{tag}”', { tag })}</span>
          <button
            type="button"
            onClick={() => onChange({ tag: '' })}
            className="min-h-7 rounded-control px-2 text-accent hover:bg-hover pointer-coarse:min-h-11"
          >
            {t('Show all')}
          </button>
        </p>
      )}
    </search>
  )
}

function Chips({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul
      aria-label={label}
      className="thin-scroll -mx-4 flex gap-1.5 overflow-x-auto px-4 pb-1 md:mx-0 md:flex-wrap md:px-0"
    >
      {children}
    </ul>
  )
}

type ChipProps = { isOn: boolean; onClick: () => void; children: ReactNode }

function Chip({ isOn, onClick, children }: ChipProps) {
  return (
    <li className="shrink-0">
      <button
        type="button"
        aria-pressed={isOn}
        onClick={onClick}
        className={`inline-flex min-h-8 items-center rounded-chip border px-3 text-13 pointer-coarse:min-h-11 pointer-coarse:px-4 ${isOn ? 'border-accent bg-accent-soft text-accent' : 'border-line text-ink-2 hover:border-control hover:text-ink'}`}
      >
        {children}
      </button>
    </li>
  )
}

type GallerySection = 'all' | 'favourites' | 'recent' | 'own'

export type GalleryState = CharacterFilter & { section: GallerySection }

const SHELVES: readonly { section: GallerySection; name: string }[] = [
  { section: 'all', name: msg('All') },
  { section: 'favourites', name: msg('Favourites') },
  { section: 'recent', name: msg('Recent') },
  { section: 'own', name: msg('Yours') },
]

const CATEGORY_NAMES: Readonly<Record<(typeof CATEGORIES)[number], string>> = {
  learning: msg('Learning'),
  coding: msg('Coding'),
  writing: msg('Writing'),
  languages: msg('Languages'),
  philosophy: msg('Philosophy'),
  science: msg('Science'),
  games: msg('Games'),
  health: msg('Health'),
  business: msg('Business'),
  life: msg('Life'),
}

const CATEGORY_LIST = CATEGORIES.map((category) => ({ category, name: CATEGORY_NAMES[category] }))

const SORT_NAMES: readonly { sortBy: (typeof SORTS)[number]; name: string }[] = [
  { sortBy: 'imports', name: msg('Popular') },
  { sortBy: 'highestRating', name: msg('Best rated') },
  { sortBy: 'ratingCount', name: msg('Most ratings') },
  { sortBy: 'mostRecent', name: msg('Newest') },
  { sortBy: 'featured', name: msg('Featured only') },
]

export const START: GalleryState = {
  section: 'all',
  search: '',
  category: '',
  tag: '',
  sortBy: 'imports',
  isAdult: false,
}

let next = START

export const savedState = (): GalleryState => next

export function keepState(state: GalleryState): void {
  next = state
}

type Named = { name: string; description: string | null; tags: string[] }

export function isFound({ name, description, tags }: Named, search: string): boolean {
  const text = `${name}\n${description ?? ''}\n${tags.join('\n')}`.toLowerCase()
  const terms = search.toLowerCase().split(/\s+/).filter(Boolean)
  return terms.every((word) =>
    word.startsWith('#') ? tags.some((tag) => tag.startsWith(word.replace(/^#+/, ''))) : text.includes(word),
  )
}
