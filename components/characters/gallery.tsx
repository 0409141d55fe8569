'use client'

import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useLiveQuery } from 'dexie-react-hooks'
import { Plus, Upload } from 'lucide-react'
import dynamic from 'next/dynamic'
import { type ReactNode, useCallback, useDeferredValue, useMemo, useRef, useState } from 'react'
import type { Shown } from '@/components/characters/character-card'
import { CharacterGrid } from '@/components/characters/character-grid'
import { type GalleryState, isFound, keepState, keptState, START } from '@/components/characters/filters'
import { GalleryFilters } from '@/components/characters/gallery-filters'
import { GalleryProblem, GallerySkeleton, NothingHere } from '@/components/characters/gallery-states'
import { ImportButton } from '@/components/characters/import-button'
import { TopBar } from '@/components/common/top-bar'
import { Button } from '@/components/ui/button'
import { galleryQuery, namedQuery } from '@/lib/browser/characters'
import { recentCharacters } from '@/lib/browser/storage/chats'
import { useFavourites } from '@/lib/browser/storage/favourites'
import { listLocal } from '@/lib/browser/storage/own-characters'
import { plural, t } from '@/lib/i18n/t'

const OwnSheet = dynamic(() => import('@/components/characters/own-sheet').then((module) => module.OwnSheet), {
  ssr: false,
})
const OwnEditor = dynamic(() => import('@/components/characters/own-editor').then((module) => module.OwnEditor), {
  ssr: false,
})

const RECENT_SHOWN = 24

/** What lies over the gallery: one of this browser's characters, or the form of a new one. */
type Over = { id: string } | 'new' | undefined

/** The screen of all characters: those of the service, and those of this browser. */
export function Gallery() {
  const [state, setState] = useState(keptState)
  const [over, setOver] = useState<Over>()
  const scroller = useRef<HTMLDivElement>(null)
  const change = useCallback((changes: Partial<GalleryState>) => {
    setState((before) => {
      const next = { ...before, ...changes }
      keepState(next)
      return next
    })
    scroller.current?.scrollTo({ top: 0 })
  }, [])
  const openLocal = useCallback((id: string) => setOver({ id }), [])
  return (
    <>
      <TopBar>
        <h1 className="px-2 text-14 font-medium">{t('Characters')}</h1>
      </TopBar>
      <div ref={scroller} className="thin-scroll min-h-0 flex-1 overflow-y-auto overscroll-contain">
        <div className="relative mx-auto w-full max-w-260 px-4 pt-6 pb-16 md:px-8 md:pt-8">
          <div className="mb-5 flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
            <p className="max-w-120 text-14 text-ink-2">
              {t('Chat with fictional characters, played by an AI model.')}
            </p>
            <div className="flex gap-2">
              <ImportButton onImported={openLocal}>
                <Upload aria-hidden="true" className="size-4" strokeWidth={1.5} />
                {t('Import card')}
              </ImportButton>
              <Button onClick={() => setOver('new')}>
                <Plus aria-hidden="true" className="size-4" strokeWidth={1.5} />
                {t('Create character')}
              </Button>
            </div>
          </div>
          <GalleryFilters state={state} onChange={change} />
          <Shelf state={state} scroller={scroller} onOpenLocal={openLocal} onReset={() => change(START)} />
        </div>
      </div>
      {over === 'new' && <OwnEditor onClose={() => setOver(undefined)} onSaved={openLocal} />}
      {over && over !== 'new' && <OwnSheet key={over.id} id={over.id} onClose={() => setOver(undefined)} />}
    </>
  )
}

type ShelfProps = {
  state: GalleryState
  scroller: React.RefObject<HTMLDivElement | null>
  onOpenLocal: (id: string) => void
  onReset: () => void
}

function Shelf({ state, scroller, onOpenLocal, onReset }: ShelfProps) {
  const favourites = useFavourites('character')
  const found = useShown(state, favourites.ids)
  const { fetchMore } = found
  const onStar = favourites.toggle
  const grid = (shown: Shown[]): ReactNode => (
    <CharacterGrid
      shown={shown}
      scroller={scroller}
      isStarred={favourites.has}
      onStar={onStar}
      onOpenLocal={onOpenLocal}
      onNearEnd={fetchMore}
    />
  )
  if (found.isPending) return <GallerySkeleton />
  return (
    <div className="pt-5">
      {found.shown.length > 0 && (
        <p className="sr-only">
          {plural(found.shown.length, {
            one: '{count} character listed.',
            other: '{count} characters listed.',
          })}
        </p>
      )}
      {found.hasFailed && <GalleryProblem hasSome={found.shown.length > 0} onRetry={found.retry} />}
      {found.shown.length > 0 && grid(found.shown)}
      {found.shown.length === 0 && !found.hasFailed && <NothingHere state={state} onReset={onReset} />}
    </div>
  )
}

/** What a shelf holds, with what was fetched of it so far. */
function useShown(given: GalleryState, favourites: string[] | undefined) {
  const search = useDeferredValue(given.search.trim())
  const { shelf, category, tag, sortBy, isAdult } = given
  const all = useInfiniteQuery({
    ...galleryQuery({ search, category, tag, sortBy, isAdult }),
    enabled: shelf === 'all',
    // What was shown stays until there is something else to show.
    placeholderData: (before) => before,
  })
  const local = useLiveQuery(() => listLocal().catch(() => []), [])
  const recent = useLiveQuery(() => recentCharacters(RECENT_SHOWN).catch(() => []), [])
  const ids = shelf === 'favourites' ? favourites : shelf === 'recent' ? recent?.map(({ id }) => id) : []
  const localIds = new Set(local?.map(({ id }) => id))
  const slugs = ids?.filter((id) => !localIds.has(id)) ?? []
  const isListed = shelf === 'favourites' || shelf === 'recent'
  const named = useQuery({ ...namedQuery(slugs), enabled: isListed && ids !== undefined && local !== undefined })
  const fetched = shelf === 'all' ? all : named
  const shown = useMemo((): Shown[] => {
    if (shelf === 'all') {
      const characters = all.data?.pages.flat() ?? []
      // A page that was fetched later may hold again what has moved meanwhile.
      return [
        ...new Map(characters.map((character) => [character.slug, { kind: 'public' as const, character }])).values(),
      ]
    }
    const mine = (local ?? []).map((character): Shown => ({ kind: 'local', character }))
    const theirs = (named.data ?? []).map((character): Shown => ({ kind: 'public', character }))
    const chosen = shelf === 'own' ? mine : inOrder(ids ?? [], [...mine, ...theirs])
    return chosen.filter(({ character }) => isFound(character, search))
  }, [shelf, all.data, local, named.data, ids, search])
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = all
  const fetchMore = useCallback(() => {
    if (shelf === 'all' && hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [shelf, hasNextPage, isFetchingNextPage, fetchNextPage])
  const needsService = shelf !== 'own'
  return {
    shown,
    fetchMore,
    isPending: (needsService && fetched.isPending) || (shelf !== 'all' && (local === undefined || ids === undefined)),
    hasFailed: needsService && fetched.isError,
    retry: () => void fetched.refetch(),
  }
}

function inOrder(ids: string[], all: Shown[]): Shown[] {
  const byId = new Map(all.map((one) => [one.kind === 'public' ? one.character.slug : one.character.id, one]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}
