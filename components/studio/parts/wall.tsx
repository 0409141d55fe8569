'use client'

import { useLiveQuery } from 'dexie-react-hooks'
import Link from 'next/link'
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { taskName } from '@/components/studio/parts/card'
import { STUDIO_PATHS } from '@/components/studio/parts/frame'
import { useClock } from '@/components/studio/parts/progress'
import { countGenerations, listGenerations, listJobs } from '@/components/studio/store'
import { Button } from '@/components/ui/button'
import { useFocusFallback } from '@/components/ui/use-focus-fallback'
import { formatLength } from '@/lib/browser/format/numbers'
import { type Generation, type GenerationKind, isUnderWay } from '@/lib/browser/storage/generations'
import { t } from '@/lib/i18n/t'

const PAGE = 24
// Rows of the masonry; a card spans as many as it is high.
const ROW_PX = 4
const GAP_PX = 16

type WallProps = {
  kind: GenerationKind
  /** `masonry`: columns of cards, each as high as it is. `list`: one below the other. */
  layout: 'masonry' | 'list'
  empty: ReactNode
  render: (generation: Generation) => ReactNode
  onShown?: (generations: readonly Generation[]) => void
}

export function Wall(props: WallProps) {
  return (
    <>
      <QueuePanel kind={props.kind} />
      <Results {...props} />
    </>
  )
}

function Results({ kind, layout, empty, render, onShown }: WallProps) {
  const [shownCount, setShownCount] = useState(PAGE)
  const list = useRef<HTMLOListElement>(null)
  // A card that is made again is another one, and what it offers goes with each state.
  useFocusFallback(list, (focused) => {
    const at = cardsIn(list.current).findIndex((card) => card.contains(focused))
    return () => cardsIn(list.current)[at] ?? cardsIn(list.current).at(-1) ?? document.querySelector('main')
  })
  const found = useLiveQuery(
    () =>
      Promise.all([listGenerations(kind, shownCount), countGenerations(kind)]).then(
        ([shown, count]) => ({ shown, count }),
        () => null,
      ),
    [kind, shownCount],
  )
  useEffect(() => {
    if (found) onShown?.(found.shown)
  }, [found, onShown])
  if (found === undefined) return <Loading layout={layout} />
  if (found === null) {
    return (
      <p className="mx-auto max-w-100 px-6 py-12 text-center text-14 text-ink-2">
        {t('This browser blocks storage for this site. Allow site storage to generate here.')}
      </p>
    )
  }
  const { shown, count } = found
  if (shown.length === 0) return empty
  return (
    <div className="p-4">
      <ol
        ref={list}
        aria-label={t('Results, newest first')}
        onKeyDown={moveFocus}
        className={layout === 'list' ? 'mx-auto max-w-200 space-y-4' : 'grid items-start gap-x-4'}
        style={
          layout === 'masonry'
            ? { gridTemplateColumns: 'repeat(auto-fill, minmax(min(15.5rem, 100%), 1fr))', gridAutoRows: ROW_PX }
            : undefined
        }
      >
        {shown.map((generation) => (
          <Cell key={generation.id} isMasonry={layout === 'masonry'}>
            {render(generation)}
          </Cell>
        ))}
      </ol>
      {count > shown.length && (
        <p className="pt-4 text-center">
          <Button onClick={() => setShownCount(shownCount + PAGE)}>{t('Show older')}</Button>
        </p>
      )}
    </div>
  )
}

function Cell({ isMasonry, children }: { isMasonry: boolean; children: ReactNode }) {
  const place = useRef<HTMLLIElement>(null)
  const card = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const inner = card.current
    if (!isMasonry || !inner) return
    const measure = () => {
      const rows = Math.ceil((inner.offsetHeight + GAP_PX) / ROW_PX)
      if (place.current) place.current.style.gridRowEnd = `span ${rows}`
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(inner)
    return () => observer.disconnect()
  }, [isMasonry])
  return (
    <li ref={place} className="min-w-0">
      <div ref={card}>{children}</div>
    </li>
  )
}

const cardsIn = (list: HTMLElement | null): HTMLElement[] => [...(list?.querySelectorAll<HTMLElement>('article') ?? [])]

const STEPS: Readonly<Record<string, number>> = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1, ArrowRight: 1, ArrowLeft: -1 }

// Moves from card to card, unless the focus is in something that uses the keys itself.
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = STEPS[event.key]
  if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return
  const cards = cardsIn(event.currentTarget)
  const at = cards.findIndex((card) => card.contains(event.target as Node))
  const isOwn =
    event.target instanceof HTMLElement &&
    event.target.closest('input, textarea, select, audio, video, [role="slider"]')
  const next = cards[at + step]
  if (at < 0 || isOwn || !next) return
  event.preventDefault()
  next.focus()
  next.scrollIntoView({ block: 'nearest' })
}

function Loading({ layout }: Pick<WallProps, 'layout'>) {
  return (
    <div
      aria-hidden="true"
      className={layout === 'list' ? 'space-y-4 p-4' : 'grid grid-cols-2 gap-4 p-4 lg:grid-cols-3'}
    >
      <div className="skeleton h-48 rounded-card" />
      <div className="skeleton h-64 rounded-card" />
    </div>
  )
}

type EmptyWallProps = { title: string; children: ReactNode }

export function EmptyWall({ title, children }: EmptyWallProps) {
  return (
    <div className="mx-auto flex max-w-110 flex-col items-center px-6 py-12 text-center md:py-[18vh]">
      <p className="font-serif text-24 font-[440] tracking-[-0.01em] text-balance">{title}</p>
      <div className="mt-2 space-y-2 text-14 text-pretty text-ink-2">{children}</div>
    </div>
  )
}

function QueuePanel({ kind }: { kind: GenerationKind }) {
  const jobs = useLiveQuery(() => listJobs().catch(() => []), [])
  const others = jobs?.filter((job) => isUnderWay(job) && job.kind !== kind && job.deletedAt === undefined) ?? []
  if (others.length === 0) return null
  return (
    <section aria-label={t('Queue')} className="px-4 pt-4">
      <ul className="mx-auto max-w-200 space-y-1">
        {others.map((job) => (
          <li key={job.id}>
            <QueueRow job={job} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function QueueRow({ job }: { job: Generation }) {
  const { kind, task, prompt, state, startedAt, createdAt } = job
  const now = useClock()
  return (
    <Link
      href={STUDIO_PATHS[kind]}
      prefetch={false}
      className="flex min-h-10 items-center gap-3 rounded-card border border-line bg-surface px-3 text-13 text-ink-2 hover:border-control pointer-coarse:min-h-11"
    >
      <span aria-hidden="true" className="size-1.5 shrink-0 rounded-chip bg-accent motion-safe:animate-pulse" />
      <span className="shrink-0 font-medium text-ink">{taskName(task)}</span>
      <span dir="auto" className="min-w-0 flex-1 truncate">
        {prompt}
      </span>
      <span className="shrink-0">{state === 'waiting' ? t('Queued') : t('Generating')}</span>
      <span className="shrink-0 font-mono text-12 tabular-nums">
        {formatLength(Math.max(0, now - (startedAt ?? createdAt)))}
      </span>
    </Link>
  )
}
