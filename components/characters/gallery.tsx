'use client'

import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useLiveQuery } from 'dexie-react-hooks'
import { Plus, Upload } from 'lucide-react'
import dynamic from 'next/dynamic'
import { type ReactNode, useCallback, useDeferredValue, useMemo, useRef, useState } from 'react'
import type { Shown } from '@/components/characters/character-grid'
import { CharacterGrid } from '@/components/characters/character-grid'
import { FileButton } from '@/components/characters/file-button'
import {
  GalleryFilters,
  type GalleryState,
  isFound,
  keepState,
  START,
  savedState,
} from '@/components/characters/gallery-filters'
import { TopBar } from '@/components/common/top-bar'
import { Button } from '@/components/ui/button'
import { showToast } from '@/components/ui/toast'
import { galleryQuery, namedQuery } from '@/lib/browser/characters'
import { keepBlob } from '@/lib/browser/storage/blobs'
import { recentCharacters } from '@/lib/browser/storage/chats'
import { useFavourites } from '@/lib/browser/storage/favourites'
import { listLocal, MAX_LOCAL_CHARACTERS, saveLocal } from '@/lib/browser/storage/own-characters'
import { msg, plural, t } from '@/lib/i18n/t'

const OwnSheet = dynamic(() => import('@/components/characters/own-sheet').then((module) => module.OwnSheet), {
  ssr: false,
})
const OwnEditor = dynamic(() => import('@/components/characters/own-sheet').then((module) => module.OwnEditor), {
  ssr: false,
})

const RECENT_SHOWN = 24

type Over = { id: string } | 'new' | undefined

export function Gallery() {
  const [state, setState] = useState(savedState)
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
          <Section state={state} scroller={scroller} onOpenLocal={openLocal} onReset={() => change(START)} />
        </div>
      </div>
      {over === 'new' && <OwnEditor onClose={() => setOver(undefined)} onSaved={openLocal} />}
      {over && over !== 'new' && <OwnSheet key={over.id} id={over.id} onClose={() => setOver(undefined)} />}
    </>
  )
}

type SectionProps = {
  state: GalleryState
  scroller: React.RefObject<HTMLDivElement | null>
  onOpenLocal: (id: string) => void
  onReset: () => void
}

function Section({ state, scroller, onOpenLocal, onReset }: SectionProps) {
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
          {plural(found.shown.length, { one: '{count} character listed.', other: '{count} characters listed.' })}
        </p>
      )}
      {found.hasFailed && <GalleryProblem hasSome={found.shown.length > 0} onRetry={found.retry} />}
      {found.shown.length > 0 && grid(found.shown)}
      {found.shown.length === 0 && !found.hasFailed && <NothingHere state={state} onReset={onReset} />}
    </div>
  )
}

function useShown(given: GalleryState, favourites: string[] | undefined) {
  const search = useDeferredValue(given.search.trim())
  const { section, category, tag, sortBy, isAdult } = given
  const all = useInfiniteQuery({
    ...galleryQuery({ search, category, tag, sortBy, isAdult }),
    enabled: section === 'all',
    // What was shown stays until there is something else to show.
    placeholderData: (before) => before,
  })
  const local = useLiveQuery(() => listLocal().catch(() => []), [])
  const recent = useLiveQuery(() => recentCharacters(RECENT_SHOWN).catch(() => []), [])
  const ids = section === 'favourites' ? favourites : section === 'recent' ? recent?.map(({ id }) => id) : []
  const localIds = new Set(local?.map(({ id }) => id))
  const slugs = ids?.filter((id) => !localIds.has(id)) ?? []
  const isListed = section === 'favourites' || section === 'recent'
  const named = useQuery({ ...namedQuery(slugs), enabled: isListed && ids !== undefined && local !== undefined })
  const fetched = section === 'all' ? all : named
  const shown = useMemo((): Shown[] => {
    if (section === 'all') {
      const characters = all.data?.pages.flat() ?? []
      // A page that was fetched later may hold again what has moved meanwhile.
      return [
        ...new Map(characters.map((character) => [character.slug, { kind: 'public' as const, character }])).values(),
      ]
    }
    const mine = (local ?? []).map((character): Shown => ({ kind: 'local', character }))
    const theirs = (named.data ?? []).map((character): Shown => ({ kind: 'public', character }))
    const chosen = section === 'own' ? mine : inOrder(ids ?? [], [...mine, ...theirs])
    return chosen.filter(({ character }) => isFound(character, search))
  }, [section, all.data, local, named.data, ids, search])
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = all
  const fetchMore = useCallback(() => {
    if (section === 'all' && hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [section, hasNextPage, isFetchingNextPage, fetchNextPage])
  const needsService = section !== 'own'
  return {
    shown,
    fetchMore,
    isPending: (needsService && fetched.isPending) || (section !== 'all' && (local === undefined || ids === undefined)),
    hasFailed: needsService && fetched.isError,
    retry: () => void fetched.refetch(),
  }
}

function inOrder(ids: string[], all: Shown[]): Shown[] {
  const byId = new Map(all.map((one) => [one.kind === 'public' ? one.character.slug : one.character.id, one]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

const SKELETON_CARDS = Array.from({ length: 12 }, (_, at) => at)

function GallerySkeleton() {
  return (
    <div
      aria-hidden="true"
      className="grid grid-cols-[repeat(auto-fill,minmax(156px,1fr))] gap-x-5 pt-5 max-sm:grid-cols-2"
    >
      {SKELETON_CARDS.map((at) => (
        <div key={at} className="pb-6">
          <div className="skeleton aspect-square w-full rounded-card" />
          <div className="skeleton mt-3 h-5 w-3/5" />
          <div className="skeleton mt-2 h-3.5 w-full" />
          <div className="skeleton mt-1.5 h-3.5 w-4/5" />
          <div className="mt-1 h-4" />
        </div>
      ))}
    </div>
  )
}

function GalleryProblem({ hasSome, onRetry }: { hasSome: boolean; onRetry: () => void }) {
  const isOffline = !navigator.onLine
  const message = isOffline
    ? t('You’re offline. Characters you created here are still available under “Yours”.')
    : t('The characters could not be loaded.')
  return (
    <div role="alert" className={`flex flex-wrap items-center gap-x-4 gap-y-2 ${hasSome ? 'pb-5' : 'py-10'}`}>
      <p className="text-14 text-ink-2">{message}</p>
      <Button onClick={onRetry}>{t('Try again')}</Button>
    </div>
  )
}

const NOTHING: Record<GalleryState['section'], string> = {
  all: msg('No results.'),
  favourites: msg('Your starred characters appear here.'),
  recent: msg('Characters you chatted with appear here.'),
  own: msg(
    'Characters you create or import appear here. They are stored in this browser and sent only with your messages.',
  ),
}

function NothingHere({ state, onReset }: { state: GalleryState; onReset: () => void }) {
  const isNarrowed = state.search.trim() !== '' || state.category !== '' || state.tag !== '' || state.isAdult
  return (
    <div className="flex flex-col items-start gap-4 py-10">
      <p className="max-w-120 text-14 text-ink-2">{t(isNarrowed ? NOTHING.all : NOTHING[state.section])}</p>
      {(isNarrowed || state.section !== 'all') && <Button onClick={onReset}>{t('Show all characters')}</Button>}
    </div>
  )
}

const WARNING_LASTS_MS = 8_000

type ImportButtonProps = { onImported: (id: string) => void; children: ReactNode }

function ImportButton({ onImported, children }: ImportButtonProps) {
  const [isReading, setIsReading] = useState(false)
  const [fault, setFault] = useState('')
  const read = async (file: File) => {
    setIsReading(true)
    setFault('')
    try {
      onImported(await importCard(file))
    } catch (error) {
      setFault(emptyMessage(error))
    } finally {
      setIsReading(false)
    }
  }
  return (
    <div className="flex flex-col items-end">
      <FileButton
        label={t('Character card')}
        accept=".png,.json,image/png,application/json"
        disabled={isReading}
        onFile={(file) => void read(file)}
      >
        {children}
      </FileButton>
      <p role="alert" className="max-w-80 text-end text-13 text-danger not-empty:pt-1.5">
        {fault}
      </p>
    </div>
  )
}

async function importCard(file: File): Promise<string> {
  // What reads cards is loaded with the first of them.
  const { readLocalCard } = await import('@/components/characters/card-file')
  const { draft, portrait: image, warnings } = await readLocalCard(file)
  const portrait = image && (await keepBlob('', image))
  const { id } = await saveLocal({ ...draft, ...(portrait && { portrait }) })
  if (warnings.length > 0) showToast({ text: warnings.join(' '), lastsMs: WARNING_LASTS_MS })
  return id
}

function emptyMessage(error: unknown): string {
  if (error instanceof RangeError) {
    return t('This browser already holds {count} of your characters, the maximum. Delete a character first.', {
      count: MAX_LOCAL_CHARACTERS,
    })
  }
  // Its message is made for this place and repeats nothing of the file.
  if (error instanceof Error && error.name === 'CardError') return error.message
  return t('The card could not be saved in this browser. Free up space and try again.')
}
