'use client'

import { useVirtualizer } from '@tanstack/react-virtual'
import { Globe, Star } from 'lucide-react'
import { useRouter } from 'next/navigation'
import {
  type KeyboardEvent,
  type MouseEvent,
  memo,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { StoredImage } from '@/components/characters/local-portrait'
import { Portrait } from '@/components/characters/portrait'
import { characterHref, portraitPath, refOf } from '@/lib/browser/characters'
import type { LocalCharacter } from '@/lib/browser/storage/records'
import type { Character } from '@/lib/contract/characters/character.schema'
import { formatNumber, t } from '@/lib/i18n/t'

const MIN_CARD_PX = 156
const GAP_PX = 20
const TEXT_PX = 132
const OVERSCAN = 3
const AHEAD = 4
const EAGER_ROWS = 2

export type Shown = { kind: 'public'; character: Character } | { kind: 'local'; character: LocalCharacter }

const idOf = (shown: Shown): string => (shown.kind === 'public' ? shown.character.slug : shown.character.id)

type CharacterGridProps = {
  shown: Shown[]
  scroller: RefObject<HTMLElement | null>
  isStarred: (id: string) => boolean
  onStar: (id: string) => void
  onOpenLocal: (id: string) => void
  onNearEnd: () => void
}

/** Draws only the rows near the window; arrows move among the cards, Tab enters and leaves. */
export function CharacterGrid({ shown, scroller, isStarred, onStar, onOpenLocal, onNearEnd }: CharacterGridProps) {
  const grid = useRef<HTMLDivElement>(null)
  const { columns, width, top } = usePlace(grid)
  const [wanted, setWanted] = useState(0)
  const active = Math.min(wanted, shown.length - 1)
  const rowCount = Math.ceil(shown.length / columns)
  const virtual = useVirtualizer({
    count: rowCount,
    getScrollElement: () => scroller.current,
    estimateSize: () => width + TEXT_PX,
    overscan: OVERSCAN,
    scrollMargin: top,
    initialOffset: () => scroller.current?.scrollTop ?? 0,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows of another width have another height
  useEffect(() => virtual.measure(), [virtual, width])
  const rows = virtual.getVirtualItems()
  const isNearEnd = (rows.at(-1)?.index ?? 0) >= rowCount - AHEAD
  useEffect(() => {
    if (isNearEnd) onNearEnd()
  }, [isNearEnd, onNearEnd])

  const goesTo = useRef<number>(undefined)
  // The card may only be drawn after the scrolling that brings it near.
  useEffect(() => {
    const at = goesTo.current
    if (at === undefined) return
    const card = grid.current?.querySelector<HTMLElement>(`[data-at="${at}"] [data-card]`)
    if (!card) return
    goesTo.current = undefined
    card.focus({ preventScroll: true })
  })
  const onKeyDown = (event: KeyboardEvent) => {
    const isRtl = getComputedStyle(event.currentTarget).direction === 'rtl'
    const to = stepOf(event.key, { at: active, count: shown.length, columns, isRtl })
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    goesTo.current = to
    setWanted(to)
    virtual.scrollToIndex(Math.floor(to / columns), { align: 'auto' })
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table has no rows that come and go
    <div
      ref={grid}
      role="grid"
      aria-label={t('Characters')}
      aria-rowcount={rowCount}
      aria-colcount={columns}
      onKeyDown={onKeyDown}
      className="relative"
      style={{ height: `${virtual.getTotalSize()}px` }}
    >
      {rows.map(({ index, start, key }) => (
        // biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive: rows of the grid come and go with the scroll, which no table has
        <div
          key={key}
          ref={virtual.measureElement}
          data-index={index}
          role="row"
          aria-rowindex={index + 1}
          className="absolute inset-x-0 top-0 grid pb-6"
          style={{
            transform: `translateY(${start - top}px)`,
            gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
            columnGap: GAP_PX,
          }}
        >
          {shown.slice(index * columns, (index + 1) * columns).map((one, column) => {
            const at = index * columns + column
            return (
              // biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive: a cell of a grid without a table; what stands in it has the focus
              <div
                key={idOf(one)}
                role="gridcell"
                aria-colindex={column + 1}
                data-at={at}
                onFocus={() => setWanted(at)}
              >
                <CharacterCard
                  shown={one}
                  isStarred={isStarred(idOf(one))}
                  isActive={at === active}
                  isEager={index < EAGER_ROWS}
                  onStar={onStar}
                  onOpenLocal={onOpenLocal}
                />
              </div>
            )
          })}
        </div>
      ))}
    </div>
  )
}

function usePlace(grid: RefObject<HTMLElement | null>) {
  const [place, setPlace] = useState({ columns: 2, width: MIN_CARD_PX, top: 0 })
  useLayoutEffect(() => {
    const element = grid.current
    if (!element) return
    const measure = () => {
      const available = element.clientWidth
      const columns = Math.max(2, Math.floor((available + GAP_PX) / (MIN_CARD_PX + GAP_PX)))
      const width = Math.floor((available - GAP_PX * (columns - 1)) / columns)
      const top = element.offsetTop
      setPlace((known) =>
        known.columns === columns && known.width === width && known.top === top ? known : { columns, width, top },
      )
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    // What stands above it may change its height without the grid changing its own.
    if (element.parentElement) observer.observe(element.parentElement)
    return () => observer.disconnect()
  }, [grid])
  return place
}

const PAGE_ROWS = 3

type GridPlace = { at: number; count: number; columns: number; isRtl: boolean }

export function stepOf(key: string, { at, count, columns, isRtl }: GridPlace): number | undefined {
  const forward = isRtl ? -1 : 1
  const steps: Record<string, number> = {
    ArrowRight: forward,
    ArrowLeft: -forward,
    ArrowDown: columns,
    ArrowUp: -columns,
    PageDown: columns * PAGE_ROWS,
    PageUp: -columns * PAGE_ROWS,
  }
  if (count === 0) return undefined
  if (key === 'Home') return 0
  if (key === 'End') return count - 1
  const step = steps[key]
  if (step === undefined) return undefined
  const to = at + step
  // Down from the last full row leads to the last card, not away.
  if (to >= count) return step === 1 || at === count - 1 ? at : lastBelow(at, count, columns)
  return to < 0 ? (step === -1 ? 0 : at % columns) : to
}

function lastBelow(at: number, count: number, columns: number): number {
  const lastRow = Math.floor((count - 1) / columns)
  return Math.floor(at / columns) < lastRow ? count - 1 : at
}

type CharacterCardProps = {
  shown: Shown
  isStarred: boolean
  isActive: boolean
  isEager: boolean
  onStar: (id: string) => void
  onOpenLocal: (id: string) => void
}

const FACE =
  'flex w-full flex-col text-start outline-offset-4 after:absolute after:inset-0 after:rounded-card after:content-[""]'

const CharacterCard = memo(function CharacterCard(props: CharacterCardProps) {
  const { shown, isStarred, isActive, isEager, onStar, onOpenLocal } = props
  const { push } = useRouter()
  const { name, description } = shown.character
  const tabIndex = isActive ? 0 : -1
  const text = (
    <>
      <span dir="auto" className="mt-2.5 block h-6 truncate font-serif text-18 leading-6">
        {name}
      </span>
      <span dir="auto" className="mt-0.5 line-clamp-2 h-9 text-13 wrap-anywhere text-ink-2">
        {description}
      </span>
    </>
  )
  const portrait = 'aspect-square w-full rounded-card border border-line'
  const open = (event: MouseEvent, href: string) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    push(href)
  }
  return (
    <div className="group relative">
      {shown.kind === 'public' ? (
        <a
          href={characterHref(shown.character.slug)}
          data-card=""
          tabIndex={tabIndex}
          onClick={(event) => open(event, characterHref(shown.character.slug))}
          className={FACE}
        >
          <Portrait
            character={refOf(shown.character)}
            src={portraitPath(shown.character)}
            className={portrait}
            isEager={isEager}
          />
          {text}
        </a>
      ) : (
        <button
          type="button"
          data-card=""
          tabIndex={tabIndex}
          aria-haspopup="dialog"
          onClick={() => onOpenLocal(shown.character.id)}
          className={FACE}
        >
          <StoredImage hash={shown.character.portrait} name={name} className={portrait} />
          {text}
        </button>
      )}
      <Meta shown={shown} />
      <button
        type="button"
        tabIndex={tabIndex}
        aria-pressed={isStarred}
        aria-label={t('Favourite: {name}', { name })}
        title={t('Favourite')}
        onClick={() => onStar(idOf(shown))}
        className={`absolute end-1.5 top-1.5 z-1 inline-flex size-9 items-center justify-center rounded-chip bg-surface/85 transition-opacity pointer-coarse:size-11 ${isStarred ? 'text-accent' : 'text-ink-2 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100'}`}
      >
        <Star aria-hidden="true" className={`size-4 ${isStarred ? 'fill-current' : ''}`} strokeWidth={1.5} />
      </button>
    </div>
  )
})

const ONE_DIGIT = { minimumFractionDigits: 1, maximumFractionDigits: 1 }

function Meta({ shown }: { shown: Shown }) {
  if (shown.kind === 'local') return <p className="mt-1 h-4 text-12 text-ink-3">{t('Only in this browser')}</p>
  const { stats, webEnabled, adult } = shown.character
  return (
    <p className="mt-1 flex h-4 items-center gap-2.5 overflow-hidden text-12 whitespace-nowrap text-ink-3">
      {stats.ratingCount > 0 && (
        <span>
          <span aria-hidden="true">★ </span>
          <span className="sr-only">{t('Rating:')} </span>
          {formatNumber(stats.averageRating, ONE_DIGIT)} ({formatNumber(stats.ratingCount)})
        </span>
      )}
      {adult && <span>{t('adult')}</span>}
      {webEnabled && (
        <span className="inline-flex items-center gap-1">
          <Globe aria-hidden="true" className="size-3" strokeWidth={1.5} />
          {t('web')}
        </span>
      )}
    </p>
  )
}
