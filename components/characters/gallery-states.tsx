'use client'

import type { GalleryState } from '@/components/characters/filters'
import { Button } from '@/components/ui/button'
import { msg, t } from '@/lib/i18n/t'

/** As many as stand in the first rows of a desk. */
const SKELETON_CARDS = Array.from({ length: 12 }, (_, at) => at)

/** The shape of the first rows while they are fetched. */
export function GallerySkeleton() {
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

/** The service could not be asked. What was fetched before stays below it. */
export function GalleryProblem({ hasSome, onRetry }: { hasSome: boolean; onRetry: () => void }) {
  const isOffline = !navigator.onLine
  const words = isOffline
    ? t('You’re offline. Characters you created here are still available under “Yours”.')
    : t('The characters could not be loaded.')
  return (
    <div role="alert" className={`flex flex-wrap items-center gap-x-4 gap-y-2 ${hasSome ? 'pb-5' : 'py-10'}`}>
      <p className="text-14 text-ink-2">{words}</p>
      <Button onClick={onRetry}>{t('Try again')}</Button>
    </div>
  )
}

const NOTHING: Record<GalleryState['shelf'], string> = {
  all: msg('No results.'),
  favourites: msg('Your starred characters appear here.'),
  recent: msg('Characters you chatted with appear here.'),
  own: msg(
    'Characters you create or import appear here. They are stored in this browser and sent only with your messages.',
  ),
}

/** Nothing to show, and the way back. */
export function NothingHere({ state, onReset }: { state: GalleryState; onReset: () => void }) {
  const isNarrowed = state.search.trim() !== '' || state.category !== '' || state.tag !== '' || state.isAdult
  return (
    <div className="flex flex-col items-start gap-4 py-10">
      <p className="max-w-120 text-14 text-ink-2">{t(isNarrowed ? NOTHING.all : NOTHING[state.shelf])}</p>
      {(isNarrowed || state.shelf !== 'all') && <Button onClick={onReset}>{t('Show all characters')}</Button>}
    </div>
  )
}
